/// What a directory entry is, as far as typing cares.
public enum EntryClass: UInt8, Sendable, CaseIterable {
  /// A regular file that nobody may execute.
  case file
  /// A regular file with any of its three execute bits set.
  case executableFile
  /// A directory that is not the root of a volume.
  case directory
  /// A symbolic link, whatever it points to.
  case symlink
  /// A named pipe.
  case fifo
  /// A socket in the file system.
  case socket
  /// A block device.
  case blockDevice
  /// A character device.
  case characterDevice
  /// A directory that is the root of a mounted file system.
  case volume

  /// The identifier of the type that an entry has when its name says nothing.
  public var fallbackIdentifier: String {
    switch self {
    case .file: "public.data"
    case .executableFile: "public.unix-executable"
    case .directory: "public.folder"
    case .symlink: "public.symlink"
    case .fifo: "public.named-pipe"
    case .socket: "public.socket"
    case .blockDevice: "public.block-special"
    case .characterDevice: "public.character-special"
    case .volume: "public.volume"
    }
  }
}
