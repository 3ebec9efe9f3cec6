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
