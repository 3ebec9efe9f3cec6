import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens the page in the browser of whoever started the server.
enum Browser {
  /// The program that opens pages has not opened this one.
  struct Refused: Error {
    let status: Int32
  }

  /// - Parameter token: what the page needs. Arguments of programs can be seen by others, so the browser is
  ///   given a file that leads there, which only its owner may read.
  static func open(_ url: String, token: [UInt8]?) async throws {
    guard let token else { return try await start(url) }
    let directory = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(directory)/filecat-serve-XXXXXX.html".utf8CString)
    let descriptor = mkstemps(&template, 5)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    let file = FileDescriptor(rawValue: descriptor)
    let target = "\(url)?token=\(Self.encoded(token))"
    try file.closeAfter {
      _ = try file.writeAll(
        Array(
          "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url=\(target)\">\n"
            .utf8))
    }
    let path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    try await start(path)
    // A browser has read it by then.
    try? await Task.sleep(for: .seconds(20))
  }

  private static func encoded(_ token: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    return token.map { byte in
      switch byte {
      case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
        "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      default: String(UnicodeScalar(byte))
      }
    }.joined()
  }

  private static func start(_ target: String) async throws {
    let process = ChildProcess([ProgramStart.opener, target])
    let status = try await Blocking.run { try process.run { _, _ in } }
    guard status == 0 else { throw Refused(status: status) }
  }
}
