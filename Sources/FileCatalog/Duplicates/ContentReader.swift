internal import FileSystem
internal import SystemPackage

/// A file whose content may be that of another.
struct ContentCandidate: Sendable {
  var id: Int64
  var volume: Int64
  var inode: Int64
  var size: Int64
  var allocated: Int64
  var modified: Int64
  var changed: Int64
  var path: FilePath
  /// The hash of the first and the last block, once it is known.
  var ends: [UInt8]?
  /// The hash of all of it, once it is known.
  var whole: [UInt8]?
}

/// Hashes files that the catalog knows, and no others: a file that is not what the last scan saw is
/// refused, before and after it is read.
///
/// No symbolic link below a root is followed to one.
struct ContentReader {
  /// The roots of the catalog, as far as they can be opened.
  private let roots: [(path: FilePath, opened: Result<OpenRoot, Errno>)]

  /// - Parameter roots: their absolute paths.
  init(roots: [FilePath]) {
    self.roots = roots.map { path in
      do throws(Errno) {
        return (path, .success(try OpenRoot(path)))
      } catch {
        return (path, .failure(error))
      }
    }
  }

  /// Bytes that are looked at first, at the beginning and at the end of a file.
  static let endLength = 16 * 1024
  private static let stepLength = 256 * 1024

  /// Why a file was not hashed.
  enum Failure: Error {
    case system(Errno)
    case changed
  }

  /// The hash of the first and the last block. A file that is no longer than both is read whole, and
  /// this is then the hash of its content.
  func ends(of file: ContentCandidate) throws(Failure) -> [UInt8] {
    let length = Int64(Self.endLength)
    return try hash(
      file,
      file.size <= 2 * length ? [0..<file.size] : [0..<length, file.size - length..<file.size])
  }

  /// The hash of the content.
  ///
  /// - Parameter isCancelled: asked after each step; the result then means nothing.
  func whole(
    of file: ContentCandidate, isCancelled: () -> Bool
  ) throws(Failure) -> [UInt8] {
    try hash(file, [0..<file.size], isCancelled: isCancelled)
  }

  /// Refuses a file that is not the one that the catalog knows, without reading it.
  func requireUnchanged(_ file: ContentCandidate) throws(Failure) {
    do {
      try check(try open(file), file)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure.system(error as? Errno ?? .ioError)
    }
  }

  static func readsWhole(_ size: Int64) -> Bool { size <= 2 * Int64(endLength) }

  private func hash(
    _ file: ContentCandidate, _ ranges: [Range<Int64>], isCancelled: () -> Bool = { false }
  ) throws(Failure) -> [UInt8] {
    do {
      let opened = try open(file)
      try check(opened, file)
      let descriptor = FileDescriptor(rawValue: opened.descriptor)
      var hash = BLAKE2b()
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Self.stepLength, alignment: 16)
      defer { buffer.deallocate() }
      for range in ranges {
        var offset = range.lowerBound
        while offset < range.upperBound, !isCancelled() {
          let wanted = Int(min(Int64(Self.stepLength), range.upperBound - offset))
          let count = try descriptor.read(
            fromAbsoluteOffset: offset,
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
          guard count > 0 else { throw Failure.changed }
          hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          offset += Int64(count)
        }
      }
      try check(opened, file)
      return hash.finish()
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure.system(error as? Errno ?? .ioError)
    }
  }

  private func open(_ file: ContentCandidate) throws(Errno) -> OpenFile {
    guard let root = roots.first(where: { file.path.starts(with: $0.path) }) else {
      throw .noSuchFileOrDirectory
    }
    return try root.opened.get().open(file.path)
  }

  private func check(_ opened: OpenFile, _ file: ContentCandidate) throws {
    let status = try opened.status()
    guard EntryKind(mode: status.mode) == .file, Int64(bitPattern: status.inode) == file.inode,
      status.size == file.size, status.modified == file.modified, status.changed == file.changed
    else { throw Failure.changed }
  }
}
