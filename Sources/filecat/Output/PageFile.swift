import Console
import FileCatalog
import FileCoordination
import FileSystem
import Foundation
import SystemPackage

/// A file that a page is written to; `-` is standard output.
struct PageFile {
  private let path: FilePath

  init(_ path: FilePath) { self.path = path }

  /// Writes all of it, or leaves what was there before. A file keeps its owner and its mode, and a link
  /// goes on leading to it; what is no file, such as a terminal, is written to.
  func write(_ page: [UInt8]) async throws {
    guard path != "-" else {
      var sink = ByteSink.standardOutput
      try sink.write(page)
      return try sink.flush()
    }
    let file = path.withPlatformString { realpath($0, nil) }
    defer { free(file) }
    let target = file.map { FilePath(platformString: $0) } ?? path
    do {
      if file != nil, try !isFile(target) {
        let descriptor = try FileDescriptor.open(target, .writeOnly)
        try descriptor.closeAfter { _ = try descriptor.writeAll(page) }
      } else {
        try await FileCoordinator().write(page, to: target)
      }
    } catch let error as Errno {
      throw PageFileError(path: path, reason: error.description)
    } catch let error as CoordinationError {
      throw PageFileError(path: path, reason: error.errno?.description ?? "\(error)")
    }
  }

  private func isFile(_ path: FilePath) throws -> Bool {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else { throw Errno(rawValue: errno) }
    return status.st_mode & S_IFMT == S_IFREG
  }
}

/// The page could not be written.
struct PageFileError: Error, CustomStringConvertible {
  let path: FilePath
  let reason: String

  var description: String {
    "\(DisplayText(escaping: path.bytes).string) cannot be written: \(reason); name another file"
  }
}
