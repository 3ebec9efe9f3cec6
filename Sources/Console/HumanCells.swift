/// How cells look to people, in tables.
struct HumanCells: Sendable {
  var sizes: SizeStyle
  var timeZone: DisplayTimeZone

  /// The text of a cell.
  func text(_ cell: Cell) -> DisplayText {
    switch cell {
    case .text(let bytes): return DisplayText(escaping: bytes)
    case .list(let cells): return joined(cells)
    default:
      var bytes: [UInt8] = []
      append(cell, to: &bytes)
      // The sign of a microsecond is the one character here beyond ASCII.
      return DisplayText(escaping: bytes)
    }
  }

  private func append(_ cell: Cell, to bytes: inout [UInt8]) {
    switch cell {
    case .null, .text, .list: break
    case .integer(let value): Digits.append(value, to: &bytes)
    case .count(let value): CountText(value).append(to: &bytes)
    case .real(let value): bytes.append(contentsOf: value.description.utf8)
    case .boolean(let value): bytes.append(contentsOf: value ? "yes".utf8 : "no".utf8)
    case .byteCount(let value): ByteCountText(value, style: sizes).append(to: &bytes)
    case .timestamp(let value):
      DateText(nanoseconds: value, timeZone: timeZone).append(to: &bytes)
    case .duration(let value): DurationText(nanoseconds: value).append(to: &bytes)
    }
  }

  private func joined(_ cells: [Cell]) -> DisplayText {
    var result = DisplayText(ascii: [])
    for (index, cell) in cells.enumerated() {
      if index > 0 { result.append(", ") }
      result.append(text(cell))
    }
    return result
  }
}
