internal import CPlatform
internal import SystemPackage

/// What tells a file system from every other, also after it was mounted again.
public struct VolumeIdentity: Sendable, Hashable, CustomStringConvertible {
  /// The text by which catalogs know the volume.
  public let description: String

  /// The file system of an open directory: its own id, which Linux derives from the UUID where there
  /// is one. File systems without an id are known by their device number.
  ///
  /// - Throws: where the system does not say. The device number in place of an id would be taken for
  ///   another file system the next time.
  init(descriptor: Int32, device: UInt64) throws(Errno) {
    var volume = cplatform_volume()
    let code = cplatform_volume_of(descriptor, &volume)
    if code != 0 { throw Errno(rawValue: code) }
    if volume.identity != 0 {
      self.init(description: "fsid:" + String(volume.identity, radix: 16))
    } else {
      self.init(device: device)
    }
  }

  /// A file system of which only the device number is known.
  package init(device: UInt64) {
    self.init(description: "device:" + String(device, radix: 16))
  }

  private init(description: String) {
    self.description = description
  }
}

/// File systems that other machines keep, or programs in place of a kernel.
enum RemoteVolume {
  /// Whether an open file or directory is on one.
  static func holds(_ descriptor: Int32) -> Bool {
    #if os(Linux)
      var volume = cplatform_volume()
      guard cplatform_volume_of(descriptor, &volume) == 0 else { return false }
      return types.contains(volume.type & 0xFFFF_FFFF)
    #else
      return false
    #endif
  }

  /// From `statfs(2)` and `linux/magic.h`: AFS, 9P, Ceph, CIFS, Coda, FUSE, NFS, SMB, SMB2, VirtualBox.
  private static let types: Set<UInt64> = [
    0x5346_414F, 0x0102_1997, 0x00C3_6400, 0xFF53_4D42, 0x7375_7245, 0x6573_5546, 0x6969, 0x517B,
    0xFE53_4D42, 0x786F_4256,
  ]
}
