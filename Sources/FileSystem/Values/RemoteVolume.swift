internal import CPlatform

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
