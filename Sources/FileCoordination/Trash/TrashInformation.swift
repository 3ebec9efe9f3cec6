internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What a file in `info` says of an item.
struct TrashInformation {
  /// Where the item was, as bytes of a path.
  var path: [UInt8]
  /// When it was deleted, in seconds since 1970.
  var deleted: time_t

  /// The text of the file. The time is that of the clock on the wall, without a zone, as the
  /// specification has it.
  var text: String {
    "[Trash Info]\nPath=\(escapedPath)\nDeletionDate=\(localTime)\n"
  }

  /// The path escaped as in a URL (RFC 2396).
  private var escapedPath: String {
    var text = ""
    for byte in path {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.append(Character(Unicode.Scalar(byte)))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }

  private var localTime: String {
    var seconds = deleted
    var parts = tm()
    localtime_r(&seconds, &parts)
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0) }
    return date.map(padded).joined(separator: "-") + "T"
      + time.map(padded).joined(separator: ":")
  }

  private func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

/// A name in the trash: that of the item, with a number before its extension if it is not the first.
struct TrashName {
  let file: FilePath.Component
  let information: FilePath.Component

  /// Names have at most 255 bytes, and the information's is the longer one.
  private static let longest = 255 - ".trashinfo".utf8.count

  init(_ name: FilePath.Component, number: Int) {
    var stem = name.bytes
    var suffix: [UInt8] = []
    if let dot = stem.lastIndex(of: UInt8(ascii: ".")), dot > 0, stem.count - dot <= 20 {
      suffix = Array(stem[dot...])
      stem = Array(stem[..<dot])
    }
    if number > 1 { suffix = Array(" \(number)".utf8) + suffix }
    stem = Array(stem.prefix(Self.longest - suffix.count))
    // Never in the middle of a character, if it was one.
    if stem.count + suffix.count == Self.longest {
      while let last = stem.last, last & 0xC0 == 0x80, !Self.endsWell(stem) { stem.removeLast() }
      if let last = stem.last, last >= 0xC0 { stem.removeLast() }
    }
    file = FilePath(bytes: stem + suffix).lastComponent ?? name
    information =
      FilePath(bytes: stem + suffix + Array(".trashinfo".utf8)).lastComponent ?? name
  }

  private static func endsWell(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes.suffix(4).drop { $0 & 0xC0 == 0x80 }, as: UTF8.self) != nil
  }
}
