internal import CReportPage
internal import Foundation

/// A page for a browser that shows reports as pictures and tables.
///
/// The page is one file that loads nothing. Its data is JSON in a script element, which browsers do
/// not run, and the page's script turns it into text and never into markup: a file's name can say
/// whatever it likes.
struct ReportPage: Encodable, Sendable {
  /// What a cell of a table holds.
  enum Value: Encodable, Sendable {
    case null
    case number(Int64)
    case real(Double)
    case text(String)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .number(let value): try container.encode(value)
      case .real(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      }
    }

    init(_ value: ColumnValue) {
      switch value {
      case .null: self = .null
      case .integer(let number): self = .number(number)
      case .real(let number): self = number.isFinite ? .real(number) : .null
      case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  struct Root: Encodable, Sendable {
    var path: String
    var files: Int64
    var directories: Int64
    var size: Int64
    var allocated: Int64
  }

  struct Table: Encodable, Sendable {
    struct Column: Encodable, Sendable {
      var name: String
      var title: String
      var form: String
    }

    var name: String
    var title: String
    var abstract: String
    var measure: String?
    var isWide: Bool
    var columns: [Column]
    var rows: [[Value]]
  }

  /// The scans of a root: when they ended, how many entries there were, and the bytes on disk.
  struct History: Encodable, Sendable {
    var root: String
    var points: [[Value]]
  }

  /// What the page is about.
  var subject: String
  /// Seconds since 1970.
  var made: Int64
  var roots: [Root] = []
  /// The position of the parent in this list or -1, the name, files, size and bytes on disk.
  var folders: [[Value]] = []
  var history: [History] = []
  var reports: [Table] = []

  /// The page as UTF-8.
  func html() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let parts: [(place: String, bytes: [UInt8])] = [
      ("<!--style-->", Self.bytes(creportpage_css())),
      ("<!--data-->", Self.escaped(try encoder.encode(self))),
      ("<!--script-->", Self.bytes(creportpage_js())),
    ]
    var rest = Self.bytes(creportpage_html())[...]
    var page: [UInt8] = []
    for part in parts {
      let place = Array(part.place.utf8)
      guard let found = rest.firstRange(of: place) else { continue }
      page += rest[..<found.lowerBound]
      page += part.bytes
      rest = rest[found.upperBound...]
    }
    return page + rest
  }

  /// JSON in which no browser finds markup: these characters stand in strings only, and mean the
  /// same as escapes.
  private static func escaped(_ json: Data) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count)
    for byte in json {
      switch byte {
      case UInt8(ascii: "<"): bytes += Array("\\u003c".utf8)
      case UInt8(ascii: ">"): bytes += Array("\\u003e".utf8)
      case UInt8(ascii: "&"): bytes += Array("\\u0026".utf8)
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  private static func bytes(_ part: creportpage_part) -> [UInt8] {
    Array(UnsafeBufferPointer(start: part.bytes, count: part.length))
  }
}
