internal import CPlatform

/// What tells a file system from every other, also after it was mounted again.
public struct VolumeIdentity: Sendable, Hashable, CustomStringConvertible {
  /// The text by which catalogs know the volume.
  public let description: String

  /// The file system of an open directory: its own id, which Linux derives from the UUID where there
  /// is one. File systems without an id are known by their device number.
  init(descriptor: Int32, device: UInt64) {
    var volume = cplatform_volume()
    if cplatform_volume_of(descriptor, &volume) == 0, volume.identity != 0 {
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
