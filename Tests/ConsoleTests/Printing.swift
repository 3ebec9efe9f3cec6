@testable import Console

/// Prints rows into memory.
func printed(
  _ rows: [[Cell]],
  columns: [Column],
  format: RowFormat,
  terminal: Terminal = .absent,
  options: RowPrinter.Options = RowPrinter.Options(timeZone: .utc)
) throws -> [UInt8] {
  var printer = RowPrinter(
    columns: columns, format: format, sink: .memory, terminal: terminal, options: options)
  for row in rows { try printer.print(row) }
  try printer.finish()
  return printer.takeSink().bytes
}

/// Prints rows into memory, as text.
func printedText(
  _ rows: [[Cell]],
  columns: [Column],
  format: RowFormat,
  terminal: Terminal = .absent,
  options: RowPrinter.Options = RowPrinter.Options(timeZone: .utc)
) throws -> String {
  let bytes = try printed(
    rows, columns: columns, format: format, terminal: terminal, options: options)
  return String(decoding: bytes, as: UTF8.self)
}

/// Rows such as a listing of files has.
enum Sample {
  static let columns: [Column] = [
    .number("size"), Column("modified"), Column("links", title: "LINKS"), .path("path"),
  ]

  static let rows: [[Cell]] = [
    [.byteCount(1_572_864), .timestamp(nanoseconds: 1_795_269_900_000_000_000), 1, "/usr/bin/vim"],
    [.null, .null, 12, "/données/日本語.txt"],
    [.byteCount(7), .timestamp(nanoseconds: -1), 3, .text(bytes: Array("/a\nb".utf8) + [0xFF])],
  ]
}
