import Foundation
import TestSupport
import Testing

/// A JSON value as it was written, numbers and truths told apart.
enum JSONValue: Decodable, Equatable {
  case null
  case truth(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .truth(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The value as the delimited formats write it.
  var text: String? {
    switch self {
    case .null: nil
    case .truth(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .string(let value): value
    case .array(let values): values.compactMap(\.text).joined(separator: ",")
    case .object: "object"
    }
  }
}

/// Reads back what a run printed.
enum Rows {
  typealias Row = [String: String?]

  /// The rows of any format that programs read.
  static func parse(_ run: CommandResult, _ format: String) throws -> [Row] {
    switch format {
    case "json", "ndjson": try objects(run, format).map { $0.mapValues(\.text) }
    case "csv": table(csv(run.text))
    default: table(tsv(run.text))
    }
  }

  /// The objects of `json` and `ndjson`.
  static func objects(_ run: CommandResult, _ format: String) throws -> [[String: JSONValue]] {
    let decoder = JSONDecoder()
    guard format == "ndjson" else {
      return try decoder.decode([[String: JSONValue]].self, from: Data(run.output))
    }
    return try lines(run).map {
      try decoder.decode([String: JSONValue].self, from: Data($0.utf8))
    }
  }

  /// The records of `csv`, the names of the columns first.
  static func records(_ run: CommandResult) throws -> [[String?]] {
    csv(try #require(String(validating: run.output, as: UTF8.self)))
  }

  /// The lines of a text that ends with one.
  static func lines(_ run: CommandResult) -> [String] {
    var lines = run.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func table(_ records: [[String?]]) -> [Row] {
    guard let header = records.first else { return [] }
    return records.dropFirst().map { record in
      #expect(record.count == header.count)
      return Row(zip(header.map { $0 ?? "" }, record)) { $1 }
    }
  }

  /// A reader of RFC 4180 that tells an empty field (null) from an empty text.
  private static func csv(_ text: String) -> [[String?]] {
    var records: [[String?]] = []
    var record: [String?] = []
    var field = ""
    var isQuoted = false
    var wasQuoted = false
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"" where isQuoted && scalars.first == "\"":
        scalars.removeFirst()
        field.unicodeScalars.append("\"")
      case "\"":
        isQuoted.toggle()
        wasQuoted = true
      case "," where !isQuoted, "\n" where !isQuoted:
        record.append(field.isEmpty && !wasQuoted ? nil : field)
        (field, wasQuoted) = ("", false)
        if scalar == "\n" {
          records.append(record)
          record = []
        }
      default:
        field.unicodeScalars.append(scalar)
      }
    }
    return records
  }

  /// A reader of tab-separated values with the escapes `\t \n \r \\`.
  private static func tsv(_ text: String) -> [[String?]] {
    text.unicodeScalars.split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { field in
        field.isEmpty ? nil : unescaped(field)
      }
    }
  }

  private static func unescaped(_ field: Substring.UnicodeScalarView) -> String {
    var text = ""
    var rest = field
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        text.unicodeScalars.append(scalar)
        continue
      }
      switch next {
      case "t": text += "\t"
      case "n": text += "\n"
      case "r": text += "\r"
      default: text.unicodeScalars.append(next)
      }
    }
    return text
  }
}
