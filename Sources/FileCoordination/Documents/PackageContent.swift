internal import FileSystem
public import SystemPackage

extension DocumentPackage {
  /// The content of a file in a package: at hand, or still on the disk.
  public enum Content: Sendable, Hashable {
    /// The bytes themselves.
    case bytes([UInt8])
    /// A large file that was not read with the package.
    case stored(DocumentPackage.StoredContent)

    /// The number of bytes.
    public var size: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .stored(let stored): Int(clamping: stored.size)
      }
    }

    /// The bytes, read now if they are still on the disk.
    ///
    /// - Throws: ``CoordinationError``, `changedMeanwhile` if the file is no longer the one that was
    ///   there when the package was read. A package that was replaced since without a change to this
    ///   file still has it.
    public func bytes() async throws(CoordinationError) -> [UInt8] {
      switch self {
      case .bytes(let bytes): return bytes
      case .stored(let stored):
        return try await Blocking.run { () throws(CoordinationError) in
          try stored.read()
        }
      }
    }
  }
}

extension DocumentPackage {
  /// A file in a package that was not read with it: where it is, and how to know it again.
  public struct StoredContent: Sendable, Hashable {
    /// Where it was when the package was read.
    public let path: FilePath
    /// The number of bytes.
    public let size: Int64
    private let device: UInt64
    private let inode: UInt64
    private let modified: Int64

    init(path: FilePath, status: FileStatus) {
      self.path = path
      self.size = status.size
      self.device = status.device
      self.inode = status.inode
      self.modified = status.modified
    }

    /// Whether these are values of the file with the content it had.
    ///
    /// The time of change is no sign: a package that keeps the file when it is replaced alters it.
    func isUnchanged(_ status: FileStatus) -> Bool {
      status.device == device && status.inode == inode && status.size == size
        && status.modified == modified
    }

    func read() throws(CoordinationError) -> [UInt8] {
      let file = try open()
      return try reporting(.read, path) { () throws(Errno) in
        try file.readToEnd(expected: Int(clamping: size))
      }
    }

    /// Opens the file, if it is still the same.
    func open() throws(CoordinationError) -> OpenFile {
      do throws(Errno) {
        let file = try OpenFile(path, for: .reading)
        if isUnchanged(try file.status()) { return file }
      } catch {
        let gone = error == .noSuchFileOrDirectory || error == .notDirectory
        guard gone || error == .tooManySymbolicLinkLevels else {
          throw CoordinationError(.read, path, error)
        }
      }
      throw CoordinationError(.changedMeanwhile, .read, path)
    }
  }
}
