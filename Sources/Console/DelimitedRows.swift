/// Rows as comma- or tab-separated values, below a line with the names of the columns.
struct DelimitedRows: Sendable {
  /// How fields are kept apart.
  enum Dialect: Sendable {
    /// Commas; a field is quoted when it has to be. Null is an empty field, empty text is `""`.
    case csv
    /// Tabs; tabs, line ends and backslashes within a field are escaped.
    case tsv
  }

  /// What becomes of control characters.
  enum Controls: Sendable {
    /// They stay, as programs need them.
    case kept
    /// They are escaped, as on a terminal.
    case escaped
  }

  let columns: [Column]
  let dialect: Dialect
  let controls: Controls
  let formulas: FormulaPolicy

  /// Appends the names of the columns.
  func appendHeader(to bytes: inout [UInt8]) {
    append(columns.map { .text($0.name) }, to: &bytes)
  }

  /// Appends the line of a row.
  func append(_ row: [Cell], to bytes: inout [UInt8]) {
    for (index, column) in columns.enumerated() {
      if index > 0 { bytes.append(dialect == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")) }
      let cell = index < row.count ? row[index] : .null
      switch cell {
      case .text(let raw): appendField(raw, to: &bytes)
      case .list:
        var raw: [UInt8] = []
        MachineCells.append(cell, timeUnit: column.timeUnit, to: &raw)
        appendField(raw, to: &bytes)
      default: MachineCells.append(cell, timeUnit: column.timeUnit, to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private func appendField(_ raw: [UInt8], to bytes: inout [UInt8]) {
    raw.withUnsafeBytes { raw in
      switch dialect {
      case .csv:
        let isQuoted = raw.isEmpty || raw.contains { Self.needsQuotes($0) }
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        if formulas == .guarded, FormulaPolicy.beginsFormula(raw) {
          bytes.append(UInt8(ascii: "'"))
        }
        appendContent(raw, to: &bytes)
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
      case .tsv:
        appendContent(raw, to: &bytes)
      }
    }
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  private func appendContent(_ raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    // Most text is plain.
    guard !raw.allSatisfy(Self.isPlain) else { return bytes.append(contentsOf: raw) }
    var index = 0
    var copied = 0
    while index < raw.count {
      let step = UTF8Step(raw, at: index)
      let end = index + step.length
      let special = escape(step.scalar)
      let isControl = controls == .escaped && ControlCharacters.contains(step.scalar)
      if !step.isValid || special != nil || isControl {
        // Everything up to here stands as it is, and is copied in one piece.
        bytes.append(contentsOf: raw[copied..<index])
        copied = end
        if !step.isValid {
          bytes.append(contentsOf: UTF8Step.replacement)
        } else if let special {
          bytes.append(contentsOf: special.utf8)
        } else {
          ControlCharacters.appendEscape(step.scalar, to: &bytes)
        }
      }
      index = end
    }
    bytes.append(contentsOf: raw[copied...])
  }

  /// Whether a byte stands as it is, whatever the dialect and whatever is beside it.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// What the dialect writes in place of a scalar.
  private func escape(_ scalar: UInt32) -> String? {
    switch (dialect, scalar) {
    case (.csv, 0x22): "\"\""
    case (.tsv, 0x09): "\\t"
    case (.tsv, 0x0A): "\\n"
    case (.tsv, 0x0D): "\\r"
    case (.tsv, 0x5C): "\\\\"
    default: nil
    }
  }
}

/// What becomes of text that spreadsheets take for a formula.
///
/// Whoever names a file chooses how its text begins, and a formula may fetch pages or start programs.
package enum FormulaPolicy: Sendable {
  /// It stays, as programs need it.
  case kept
  /// It gets an apostrophe in front, by which spreadsheets know text.
  case guarded

  /// Whether a spreadsheet would run text; numbers are cells of their own and no text.
  static func beginsFormula(_ text: UnsafeRawBufferPointer) -> Bool {
    switch text.first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      true
    default: false
    }
  }
}
