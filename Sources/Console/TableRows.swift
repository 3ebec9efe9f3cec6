/// Rows as a table for people.
///
/// The first rows are held back until there are enough to know how wide the columns are. From
/// then on rows pass through; a number that is wider than all before it moves the columns from
/// its row on, for it must not be cut. Where a line may be of any length nothing is cut, and a cell
/// that is wider than what one looks at moves nothing but what stands behind it.
struct TableRows: Sendable {
  private struct Line {
    var cells: [DisplayText]
    var look: RowLook
  }

  /// How many rows are held back at most, and how many bytes of them.
  private static let heldRowLimit = 1_000
  private static let heldByteLimit = 4 << 20
  /// A wider cell does not widen the column of a line that may be of any length: one name of a damaged
  /// catalog would make every line as long as itself.
  private static let widestCell = 400

  private let columns: [Column]
  private let terminal: Terminal
  private let cells: HumanCells

  private var held: [Line] = []
  private var heldBytes = 0
  private var isSettled = false

  private let titles: [DisplayText]
  private var demands: [TableLayout.Demand]
  private var isTrailing: [Bool]
  private var hasNumbers: [Bool]
  private var layout = TableLayout([], available: nil)

  init(columns: [Column], terminal: Terminal, cells: HumanCells) {
    self.columns = columns
    self.terminal = terminal
    self.cells = cells
    titles = columns.map { DisplayText($0.title) }
    demands = zip(columns, titles).map {
      TableLayout.Demand(width: $1.width, shortening: $0.shortening, presence: $0.presence)
    }
    isTrailing = columns.map { $0.alignment != .leading }
    hasNumbers = columns.map { $0.alignment == .trailing }
  }

  /// Takes a row, and appends it unless it is held back.
  mutating func append(_ row: [Cell], look: RowLook, to bytes: inout [UInt8]) {
    let line = Line(
      cells: columns.indices.map { $0 < row.count ? cells.text(row[$0]) : DisplayText(ascii: []) },
      look: look)
    guard !isSettled else {
      widen(for: line, row)
      return append(line, to: &bytes)
    }
    for (index, cell) in line.cells.enumerated() {
      let value = index < row.count ? row[index] : .null
      if counts(cell) { demands[index].width = max(demands[index].width, cell.width) }
      if value.isNumeric { demands[index].number = max(demands[index].number, cell.width) }
      judgeAlignment(of: index, by: value)
      heldBytes += cell.bytes.count
    }
    held.append(line)
    if held.count >= Self.heldRowLimit || heldBytes >= Self.heldByteLimit {
      settle(into: &bytes)
    }
  }

  /// Decides on the widths and appends the header and the rows that were held back.
  ///
  /// A table without rows has no header either.
  mutating func settle(into bytes: inout [UInt8]) {
    guard !isSettled, !held.isEmpty else { return }
    isSettled = true
    for index in columns.indices { isTrailing[index] = isTrailing[index] && hasNumbers[index] }
    layout = TableLayout(demands, available: terminal.width)
    extendLast()
    append(Line(cells: titles, look: RowLook()), as: .header, to: &bytes)
    for line in held { append(line, to: &bytes) }
    held = []
  }

  /// Whether a cell is to fit into its column.
  private func counts(_ cell: DisplayText) -> Bool {
    terminal.width != nil || cell.width <= Self.widestCell
  }

  private mutating func judgeAlignment(of index: Int, by cell: Cell) {
    guard columns[index].alignment == .automatic, cell != .null else { return }
    if cell.isNumeric { hasNumbers[index] = true } else { isTrailing[index] = false }
  }

  /// The last column needs no padding, so later rows may use the line to its end.
  private mutating func extendLast() {
    if let width = terminal.width, let last = layout.shown.last,
      columns[last].shortening != .never, !isTrailing[last]
    {
      layout.extendLast(to: width)
    }
  }

  private mutating func widen(for line: Line, _ row: [Cell]) {
    var needsFit = false
    for (index, cell) in line.cells.enumerated() where counts(cell) {
      let isNumber = index < row.count && row[index].isNumeric
      // On a terminal, cells that may be shortened leave the columns where they are.
      guard isNumber || columns[index].shortening == .never || !terminal.isTerminal else {
        continue
      }
      if cell.width > demands[index].width {
        demands[index].width = cell.width
        needsFit = true
      }
      if isNumber, cell.width > demands[index].number {
        demands[index].number = cell.width
        needsFit = true
      }
    }
    guard needsFit else { return }
    // The header stands: no column comes or goes any more.
    layout = TableLayout(demands, showing: layout.shown, available: terminal.width)
    extendLast()
  }

  // MARK: - Lines

  private enum Part { case header, row }

  private func append(_ line: Line, as part: Part = .row, to bytes: inout [UInt8]) {
    // Spaces wait until text follows them, so that no line ends in them.
    var spaces = 0
    var start = 0
    for (position, index) in layout.shown.enumerated() {
      let width = layout.widths[position]
      let column = columns[index]
      var cell = line.cells[index]
      var rest: [DisplayText] = []
      if terminal.width != nil {
        if column.shortening == .wrapped, index == layout.shown.last {
          rest = cell.wrapped(to: width)
          cell = rest.isEmpty ? cell : rest.removeFirst()
        } else if column.shortening != .never {
          cell = cell.shortened(to: width, column.shortening)
        }
      }
      let padding = max(0, width - cell.width)
      if position > 0 { spaces += TableLayout.gap }
      if isTrailing[index] { spaces += padding }
      if !cell.bytes.isEmpty {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: spaces))
        spaces = 0
        appendCell(cell, of: column, in: line, part, to: &bytes)
      }
      for piece in rest {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: start))
        bytes.append(contentsOf: piece.bytes)
      }
      if !isTrailing[index] { spaces += padding }
      start += width + TableLayout.gap
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private func appendCell(
    _ cell: DisplayText, of column: Column, in line: Line, _ part: Part, to bytes: inout [UInt8]
  ) {
    switch part {
    case .header: terminal.style.append(cell.bytes, .bold, to: &bytes)
    case .row where column.isPath: terminal.append(cell.bytes, line.look, to: &bytes)
    case .row: bytes.append(contentsOf: cell.bytes)
    }
  }
}

/// The widths of the columns of a table, fitted to a line.
struct TableLayout: Equatable, Sendable {
  /// The spaces between two columns.
  static let gap = 2

  /// What a column asks for.
  struct Demand: Equatable, Sendable {
    /// The width of its widest cell or of its title.
    var width: Int
    /// The width of its widest number, which is not cut.
    var number = 0
    /// How its cells give way.
    var shortening = Column.Shortening.never
    /// Whether it is there when there is no room for all.
    var presence = Column.Presence.always

    /// The width below which it does not go.
    fileprivate var least: Int {
      switch shortening {
      case .never: width
      case .atEnd, .inMiddle: max(number, min(width, leastFlexibleWidth))
      case .wrapped: max(number, min(width, leastProseWidth))
      }
    }
  }

  /// The columns that are shown, by their numbers.
  private(set) var shown: [Int]

  /// The width of each column that is shown.
  private(set) var widths: [Int]

  /// Fits columns to a line.
  ///
  /// First go the columns that are there only where they fit, from the right. Then text gives way, the
  /// widest first, and then paths do. What is left is shown, even if the line is too long then: half a
  /// number is a wrong one.
  ///
  /// - Parameters:
  ///   - showing: The columns that there may be; `nil` for all. When they are given, all of them stay.
  ///   - available: The columns of the line, or `nil` when it may be of any length.
  init(_ demands: [Demand], showing: [Int]? = nil, available: Int?) {
    let demands = demands.map {
      var demand = $0
      demand.width = max(1, demand.width)
      return demand
    }
    shown = showing ?? Array(demands.indices)
    if let available, showing == nil {
      while Self.total(shown.map { demands[$0].width }) > available,
        let last = shown.lastIndex(where: { demands[$0].presence == .whereItFits })
      {
        shown.remove(at: last)
      }
    }
    widths = shown.map { demands[$0].width }
    guard let available, Self.total(widths) > available else { return }
    for isPath in [false, true] {
      let flexible = widths.indices.filter {
        let shortening = demands[shown[$0]].shortening
        return shortening != .never && (shortening == .inMiddle) == isPath
      }
      let others = Self.total(widths) - flexible.reduce(0) { $0 + widths[$1] }
      let shares = Self.share(available - others, among: flexible.map { demands[shown[$0]] })
      for (index, width) in zip(flexible, shares) { widths[index] = width }
    }
  }

  /// Gives the last column what is left of the line.
  mutating func extendLast(to available: Int) {
    let used = Self.total(widths)
    guard used < available, let last = widths.indices.last else { return }
    widths[last] += available - used
  }

  /// Below this width a shortened text says little.
  private static let leastFlexibleWidth = 8
  /// Narrower columns of sentences hold a word or two a line.
  private static let leastProseWidth = 24

  /// The width of a line.
  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// Shares room so that small demands are met and the largest are cut to the same width; none to less
  /// than it needs.
  private static func share(_ room: Int, among demands: [Demand]) -> [Int] {
    var result = demands.map(\.least)
    var left = room - result.reduce(0, +)
    let ascending = demands.indices.sorted {
      (demands[$0].width, $0) < (demands[$1].width, $1)
    }
    for (served, index) in ascending.enumerated() where left > 0 {
      // What those that are still to be served have in common, with what this one has already.
      let open = ascending[served...]
      let fair = (left + open.reduce(0) { $0 + result[$1] }) / open.count
      let width = max(result[index], min(demands[index].width, fair, result[index] + left))
      left -= width - result[index]
      result[index] = width
    }
    return result
  }
}
