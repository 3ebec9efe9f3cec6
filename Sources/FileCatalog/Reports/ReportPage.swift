internal import CReportPage

/// A page for a browser that shows reports as pictures and tables.
///
/// The page is one file that loads nothing. Its data is JSON in a script element, which browsers do
/// not run, and the page's script turns it into text and never into markup: a file's name can say
/// whatever it likes.
struct ReportPage: Sendable {
  /// A value of JSON.
  enum Value: Sendable {
    case null
    case number(Int64)
    case real(Double)
    case text(String)
    case flag(Bool)
    case list([Value])
    case record([(key: String, value: Value)])

    init(_ value: ColumnValue) {
      switch value {
      case .null: self = .null
      case .integer(let number): self = .number(number)
      case .real(let number): self = number.isFinite ? .real(number) : .null
      case .text(let bytes): self = .text(Self.shortened(bytes))
      }
    }

    /// As much of a text as anybody reads. A file may hold names of any length, and a page is made in
    /// memory.
    static func shortened(_ bytes: some Collection<UInt8>) -> String {
      let most = 4096
      let text = String(decoding: bytes.prefix(most), as: UTF8.self)
      return bytes.count > most ? text + "…" : text
    }
  }

  struct Root: Sendable {
    var path: String
    var files: Int64
    var directories: Int64
    var size: Int64
    var allocated: Int64
  }

  struct Table: Sendable {
    struct Column: Sendable {
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
  struct History: Sendable {
    var root: String
    var points: [[Value]]
  }

  /// What the page is about.
  var subject: String
  /// Seconds since 1970.
  var made: Int64
  var roots: [Root] = []
  /// The position of the parent in this list or -1, the name, files, size and bytes on disk.
  var directories: [[Value]] = []
  var history: [History] = []
  var reports: [Table] = []

  /// The page as UTF-8.
  func html() -> [UInt8] {
    var data: [UInt8] = []
    value.append(to: &data)
    let parts: [(place: String, bytes: [UInt8])] = [
      ("<!--style-->", Self.bytes(creportpage_css())),
      ("<!--data-->", data),
      ("<!--script-->", Self.bytes(creportpage_js())),
    ]
    var rest = Self.bytes(creportpage_html())[...]
    var page: [UInt8] = []
    for part in parts {
      let place = Array(part.place.utf8)
      guard let found = rest.indices.first(where: { rest[$0...].starts(with: place) }) else {
        continue
      }
      page += rest[..<found]
      page += part.bytes
      rest = rest[(found + place.count)...]
    }
    return page + rest
  }

  private static func bytes(_ part: creportpage_part) -> [UInt8] {
    Array(UnsafeBufferPointer(start: part.bytes, count: part.length))
  }
}

extension ReportPage {
  /// All of it, as the page's script reads it.
  private var value: Value {
    .record([
      ("subject", .text(subject)), ("made", .number(made)), ("roots", .list(roots.map(\.value))),
      ("directories", .list(directories.map { .list($0) })),
      ("history", .list(history.map(\.value))),
      ("reports", .list(reports.map(\.value))),
    ])
  }
}

extension ReportPage.Root {
  fileprivate var value: ReportPage.Value {
    .record([
      ("path", .text(path)), ("files", .number(files)), ("directories", .number(directories)),
      ("size", .number(size)), ("allocated", .number(allocated)),
    ])
  }
}

extension ReportPage.History {
  fileprivate var value: ReportPage.Value {
    .record([("root", .text(root)), ("points", .list(points.map { .list($0) }))])
  }
}

extension ReportPage.Table {
  fileprivate var value: ReportPage.Value {
    .record(
      [("name", .text(name)), ("title", .text(title)), ("abstract", .text(abstract))]
        + (measure.map { [("measure", .text($0))] } ?? [])
        + [
          ("isWide", .flag(isWide)),
          (
            "columns",
            .list(
              columns.map { column in
                .record([
                  ("name", .text(column.name)), ("title", .text(column.title)),
                  ("form", .text(column.form)),
                ])
              })
          ),
          ("rows", .list(rows.map { .list($0) })),
        ])
  }
}

extension ReportPage.Value {
  /// Writes JSON in which no browser finds markup.
  fileprivate func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .number(let value): bytes += "\(value)".utf8
    case .real(let value): bytes += "\(value)".utf8
    case .flag(let value): bytes += "\(value)".utf8
    case .text(let value): Self.append(value, to: &bytes)
    case .list(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .record(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      // Control characters may not stand in a string, and from these a browser would make markup.
      case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        let digits = String(byte, radix: 16)
        bytes += (digits.utf8.count == 1 ? "\\u000" : "\\u00").utf8
        bytes += digits.utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
