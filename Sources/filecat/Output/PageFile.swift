import Console
import FileCatalog
import Foundation

/// A file that a page is written to; `-` is standard output.
struct PageFile {
  private let name: String

  init(_ name: String) { self.name = name }

  /// Writes all of it, or leaves what was there before.
  func write(_ page: [UInt8]) throws {
    guard name != "-" else {
      var sink = ByteSink.standardOutput
      try sink.write(page)
      return try sink.flush()
    }
    do {
      try Data(page).write(to: URL(fileURLWithPath: name), options: .atomic)
    } catch {
      throw PageFileError(name: name, reason: Self.reason(error))
    }
  }

  private static func reason(_ error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    guard let underlying, underlying.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return String(cString: strerror(Int32(truncatingIfNeeded: underlying.code)))
  }
}

/// The page could not be written.
struct PageFileError: Error, CustomStringConvertible {
  let name: String
  let reason: String

  var description: String { "\(name) cannot be written: \(reason); name another file" }
}
