import ArgumentParser
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The words of the command line, bytes and all.
///
/// Arguments need not be UTF-8, and the parser of arguments takes strings. So a byte that is not part of a
/// character stands in them as a character of a private range of Unicode, and goes back to what it was
/// where a path is made of the argument.
enum RawArguments {
  private static let range: ClosedRange<UInt32> = 0x10_ff00...0x10_ffff

  /// The arguments of this process, without its name.
  static var words: [String] {
    ProcessArguments.words.map { text(of: $0) }
  }

  static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self),
      isText(text)
    {
      return text
    }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = (1...4).first { length in
        length <= rest.count && String(validating: rest.prefix(length), as: UTF8.self) != nil
      }
      let character = length.flatMap { String(validating: rest.prefix($0), as: UTF8.self) }
      if let length, let character, isText(character) {
        text.append(contentsOf: character.unicodeScalars)
        rest.removeFirst(length)
      } else {
        text.append(standIn(for: first))
        rest.removeFirst()
      }
    }
    return String(text)
  }

  /// The bytes that an argument had.
  static func bytes(of text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      range.contains(scalar.value)
        ? [UInt8(scalar.value & 0xff)] : Array(UTF8.encode(scalar) ?? .init())
    }
  }

  /// Whether an argument is UTF-8.
  static func isText(_ text: String) -> Bool {
    !text.unicodeScalars.contains { range.contains($0.value) }
  }

  /// A text with an argument in it, as a person may see it: U+FFFD for what is not UTF-8.
  static func shown(_ text: String) -> String { String(decoding: bytes(of: text), as: UTF8.self) }

  /// The character that stands for a byte, which may also be one that the parser must not see.
  static func standIn(for byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(range.lowerBound + UInt32(byte)) ?? "\u{fffd}"
  }
}

/// A path on the command line: its bytes as they were given.
struct PathArgument: ExpressibleByArgument {
  let path: FilePath

  /// Refuses an empty path, which names nothing.
  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    path = FilePath(bytes: RawArguments.bytes(of: argument))
  }
}
