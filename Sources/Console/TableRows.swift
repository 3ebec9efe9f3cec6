/// Rows as a table for people.
///
/// The first rows are held back until there are enough to know how wide the columns are. From
/// then on rows pass through; a number that is wider than all before it moves the columns from
/// its row on, for it must not be cut. Where a line may be of any length nothing is cut, and a cell
/// that is wider than what one looks at moves nothing but what stands behind it.
struct TableRows: Sendable {
  private struct Line {
    var cells: [DisplayText]
    var emphasis: Emphasis?
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
      TableLayout.Demand(width: $1.width, isFlexible: $0.isFlexible)
    }
    isTrailing = columns.map { $0.alignment != .leading }
    hasNumbers = columns.map { $0.alignment == .trailing }
  }

  /// Takes a row, and appends it unless it is held back.
  mutating func append(_ row: [Cell], emphasis: Emphasis?, to bytes: inout [UInt8]) {
    let line = Line(
      cells: columns.indices.map { $0 < row.count ? cells.text(row[$0]) : DisplayText(ascii: []) },
      emphasis: emphasis)
    guard !isSettled else {
      widen(for: line)
      return append(line, to: &bytes)
    }
    for (index, cell) in line.cells.enumerated() {
      if counts(cell) { demands[index].width = max(demands[index].width, cell.width) }
      judgeAlignment(of: index, by: index < row.count ? row[index] : .null)
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
    fit()
    append(Line(cells: titles), as: .header, to: &bytes)
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

  private mutating func fit() {
    layout = TableLayout(demands, available: terminal.width)
    // The last column needs no padding, so later rows may use the line to its end.
    if let width = terminal.width, let last = layout.widths.indices.last,
      demands[last].isFlexible, !isTrailing[last]
    {
      layout.extendLast(to: width)
    }
  }

  private mutating func widen(for line: Line) {
    var needsFit = false
    for (index, cell) in line.cells.enumerated()
    where cell.width > demands[index].width && counts(cell) {
      // On a terminal, cells that may be shortened leave the columns where they are.
      guard !demands[index].isFlexible || !terminal.isTerminal else { continue }
      demands[index].width = cell.width
      needsFit = true
    }
    if needsFit { fit() }
  }

  // MARK: - Lines

  private enum Part { case header, row }

  private func append(_ line: Line, as part: Part = .row, to bytes: inout [UInt8]) {
    // Spaces wait until text follows them, so that no line ends in them.
    var spaces = 0
    for (index, width) in layout.widths.enumerated() {
      let column = columns[index]
      var cell = line.cells[index]
      if terminal.width != nil { cell = cell.shortened(to: width, column.shortening) }
      let padding = max(0, width - cell.width)
      if index > 0 { spaces += TableLayout.gap }
      if isTrailing[index] { spaces += padding }
      if !cell.bytes.isEmpty {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: spaces))
        spaces = 0
        terminal.style.append(cell.bytes, emphasis(of: column, in: line, part), to: &bytes)
      }
      if !isTrailing[index] { spaces += padding }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private func emphasis(of column: Column, in line: Line, _ part: Part) -> Emphasis? {
    switch part {
    case .header: .bold
    case .row: column.isPath ? line.emphasis : nil
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
    /// Whether its cells may be shortened before those of other columns.
    var isFlexible: Bool
  }

  /// The width of each column that is shown. Where not even `…` fits for all, the last ones
  /// are not shown.
  private(set) var widths: [Int]

  /// Fits columns to a line.
  ///
  /// First the flexible columns give way, the widest first. When they are down to a few
  /// characters, all columns do.
  ///
  /// - Parameter available: The columns of the line, or `nil` when it may be of any length.
  init(_ demands: [Demand], available: Int?) {
    let natural = demands.map { max(1, $0.width) }
    guard let available else {
      widths = natural
      return
    }
    let shown = min(demands.count, max(1, (available + Self.gap) / (1 + Self.gap)))
    let room = available - Self.gap * (shown - 1)
    widths = Array(natural.prefix(shown))
    guard widths.reduce(0, +) > room else { return }

    let flexible = widths.indices.filter { demands[$0].isFlexible }
    let flexibleNatural = flexible.map { natural[$0] }
    let roomForFlexible =
      room - (widths.reduce(0, +) - flexibleNatural.reduce(0, +))
    let least = flexibleNatural.reduce(0) { $0 + min($1, Self.leastFlexibleWidth) }
    if !flexible.isEmpty, least <= roomForFlexible {
      for (index, width) in zip(flexible, Self.share(roomForFlexible, among: flexibleNatural)) {
        widths[index] = width
      }
    } else {
      widths = Self.share(room, among: widths)
    }
  }

  /// Gives the last column what is left of the line.
  mutating func extendLast(to available: Int) {
    let used = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1)
    guard used < available, let last = widths.indices.last else { return }
    widths[last] += available - used
  }

  /// Below this width a shortened text says little.
  private static let leastFlexibleWidth = 8

  /// Shares room so that small demands are met and the largest are cut to the same width.
  private static func share(_ room: Int, among demands: [Int]) -> [Int] {
    var result = demands
    var left = room
    let ascending = demands.indices.sorted { (demands[$0], $0) < (demands[$1], $1) }
    for (served, index) in ascending.enumerated() {
      let fair = left / (demands.count - served)
      result[index] = min(demands[index], fair)
      left -= result[index]
    }
    return result
  }
}
