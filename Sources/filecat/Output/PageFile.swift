import Console
import FileCoordination
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that a page is written to; `-` is standard output.
///
/// The page names all files of a catalog: a new one is for its owner alone.
struct PageFile {
  /// As many links as Linux follows in one path.
  private static let mostLinks = 40

  private let path: FilePath

  init(_ path: FilePath) { self.path = path }

  /// Writes all of it, or leaves what was there before. A file keeps its owner and its mode, and a link
  /// goes on leading to it; what is no file, such as a terminal, is written to.
  ///
  /// - Throws: ``PageFileError``, `OutputError` for standard output, and `CoordinationError` with the
  ///   code `notFlushed` when the page was written but may be lost with the power.
  func write(_ page: [UInt8]) async throws {
    guard path != "-" else {
      return try StandardStream.output.write(document: page)
    }
    do {
      let target = try destination()
      if isDevice() { return try writeToDevice(page) }
      var options = FileCoordinator.WriteOptions()
      options.permissions = .ownerReadWrite
      options.links = .refused
      try await FileCoordinator().write(page, to: target, options: options)
    } catch let error as Errno {
      throw PageFileError(path: path, reason: "\(error)")
    } catch let error as CoordinationError where error.code != .notFlushed {
      throw PageFileError(path: path, reason: error.errno?.description ?? "\(error)")
    }
  }

  /// What the path means when the links at its end are followed. None of them may be in a directory
  /// where others could have put it: they would choose what is replaced.
  private func destination() throws -> FilePath {
    var place = path
    for _ in 0...Self.mostLinks {
      guard let name = place.lastComponent else { return place }
      let parent = place.removingLastComponent()
      let directory = try OpenFile(parent.isEmpty ? "." : parent, for: .passage)
      guard let target = try directory.target(of: name) else { return place }
      guard try Self.isClosedToOthers(directory) else {
        throw PageFileError(
          path: path, reason: "it is a link in a directory that others may write to")
      }
      place = parent.pushing(target)
    }
    throw Errno.tooManySymbolicLinkLevels
  }

  /// Whether only this process's user and root make names in a directory.
  private static func isClosedToOthers(_ directory: OpenFile) throws(Errno) -> Bool {
    let status = try directory.status()
    return [0, geteuid()].contains(status.uid) && status.mode & UInt32(S_IWGRP | S_IWOTH) == 0
  }

  /// Whether there is something that is neither a file nor a directory, links followed.
  private func isDevice() -> Bool {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }

  private func writeToDevice(_ page: [UInt8]) throws {
    let descriptor = try FileDescriptor.open(path, .writeOnly)
    try descriptor.closeAfter { _ = try descriptor.writeAll(page) }
  }
}

/// The page could not be written.
struct PageFileError: Error, CustomStringConvertible {
  let path: FilePath
  let reason: String

  var description: String {
    "\(path.string) cannot be written: \(reason); name another file"
  }
}
