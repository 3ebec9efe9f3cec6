package import CatalogStore
package import Console
package import FileSystem
internal import SQLite

// How the values of a catalog are printed, whoever prints them.

extension Column {
  /// A column of values of a form.
  package init(_ name: String, of form: ValueForm) {
    switch form {
    case .path: self = .path(name)
    case .text: self = .text(name)
    case .identifier, .number, .factor, .bytes, .nanoseconds: self = .number(name)
    default: self.init(name)
    }
  }
}

extension Column {
  /// A column of a table of entries.
  package init(_ column: TableColumn) {
    switch column {
    case .entry(let column): self.init(column)
    case .value(let key): self = .value(key.name)
    }
  }

  /// A column of further values: any value may be in it, and bytes that are no text are there in JSON as well.
  package static func value(_ name: String) -> Column {
    Column(name, shortening: .atEnd, base64Key: "\(name)_base64")
  }

  package init(_ column: EntryColumn) {
    switch column {
    case .path, .name: self = .path(column.rawValue)
    default:
      self.init(column.rawValue, of: column.form)
      if content == .path { content = .otherPath }
    }
  }
}

extension Cell {
  /// A value of a form.
  package init(_ value: ColumnValue, _ form: ValueForm) {
    switch (value, form) {
    case (.integer(let value), .bytes): self = .byteCount(value)
    case (.integer(let value), .seconds):
      let (nanoseconds, isTooLarge) = value.multipliedReportingOverflow(by: 1_000_000_000)
      self = isTooLarge ? .integer(value) : .timestamp(nanoseconds: nanoseconds)
    case (.integer(let value), .truth): self = .boolean(value != 0)
    default: self.init(value)
    }
  }

  /// A value as it is stored.
  package init(_ value: ColumnValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let bytes): self = .text(bytes: bytes)
    }
  }
}

extension Cell {
  /// A further value of an entry.
  package init(_ value: ResourceValue) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .text(bytes: bytes)
    }
  }
}

/// The rows of an export as they are printed.
struct PrintedRows {
  /// Where the value of a printed column comes from.
  private struct Source {
    let place: Int32
    let form: ValueForm
    /// The column with the exact bytes, where they have a column.
    let bytes: Int32?
  }

  let columns: [Column]
  private let sources: [Source]

  /// As JSON, where text that is not UTF-8 has its bytes beside it under a further key.
  init(objectsOf rows: [SchemaView.Column]) {
    let names = rows.map(\.name)
    let bytes = Dictionary(
      uniqueKeysWithValues: zip(Int32(0)..., rows).compactMap { place, column in
        column.shownColumn.flatMap { names.contains($0) ? ($0, place) : nil }
      })
    let shown = zip(Int32(0)..., rows).filter { !bytes.values.contains($0.0) }
    columns = shown.map { _, column in
      var printed = Column(column.name, of: column.form)
      if column.form == .any { printed.base64Key = "\(column.name)_base64" }
      return printed
    }
    sources = shown.map { place, column in
      Source(place: place, form: column.form, bytes: bytes[column.name])
    }
  }

  /// As lines with a value for each column.
  init(linesOf rows: ExportRows) {
    columns = rows.columns.map { Column($0.name, of: $0.form) }
    sources = zip(Int32(0)..., rows.columns).map { place, column in
      Source(place: place, form: column.form, bytes: nil)
    }
  }

  func cells(_ row: Row) -> [Cell] {
    sources.map { source in
      if let bytes = source.bytes, !row.isNull(bytes) { return Cell(row.value(bytes)) }
      guard source.form == .octets, case .text(let octets) = row.value(source.place) else {
        return Cell(row.value(source.place), source.form)
      }
      var digits: [UInt8] = []
      Base64.append(octets, to: &digits)
      return .text(bytes: digits)
    }
  }
}
