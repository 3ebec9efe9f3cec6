internal import SQLite

/// Between which values the rows of a page are, in an order whose first key is a number, or a further value:
/// so that only they are sorted.
///
/// Of a million rows, SQLite would make the keys of all, names and paths among them, to keep a hundred.
/// Numbers alone are quickly looked through: those of the first and of the last row of the page bound
/// what can be on it.
struct PageBounds {
  /// What all rows of the page meet, and few others: to be asked for instead of the condition of the request.
  let condition: SQL
  /// How many rows come before those that meet it.
  let skipped: Int

  /// Larger pages are sorted with all the rest.
  private static let largest = 10_000

  /// Whether a page of a request has bounds that are worth looking for.
  static func suit(_ request: TableRequest) -> Bool {
    guard let limit = request.limit, limit > 0, limit <= largest, request.offset >= 0,
      request.order.directories == .mixed, let key = request.order.terms.first?.key,
      key.viewColumn != nil || key.valueKey != nil
    else { return false }
    if case .children = request.scope { return false }
    return true
  }

  /// - Parameter condition: the compiled condition of the request.
  /// - Returns: `nil` where this is no gain.
  init?(of request: TableRequest, where condition: SQL, _ db: Connection) throws {
    guard Self.suit(request), let limit = request.limit, let term = request.order.terms.first
    else { return nil }
    let (end, isBeyondAll) = request.offset.addingReportingOverflow(limit)
    if isBeyondAll { return nil }
    if let key = term.key.valueKey {
      let bounds = try ValueBounds(
        of: key, term.direction, rows: request.offset..<end, in: request, where: condition, db)
      self.condition = SQL("(") + condition + SQL(") AND ") + bounds.condition
      skipped = bounds.skipped
      return
    }
    guard let column = term.key.viewColumn else { return nil }
    let source = max(EntrySource(for: request, condition), term.key.source)
    var numbers = SmallestNumbers(end)
    var missing = 0
    try db.forEach(SQL("SELECT \(column), id FROM \(source.table) WHERE ") + condition) { row in
      guard let number = row.optionalInteger(0) else {
        missing += 1
        return
      }
      numbers.add(term.direction == .ascending ? number : ~number, of: row.integer(1))
    }
    let comesFirst = term.direction == .ascending && term.key.missingValues == .smallest
    let page = Page(
      Column(name: column, direction: term.direction, missing: missing, comesFirst: comesFirst),
      numbers, rows: request.offset..<end)
    skipped = page.skipped
    if let ids = page.ids {
      self.condition = .isID(in: ids)
    } else {
      // The ids by themselves: over the view, SQLite would go through an index, and to each row from there.
      self.condition =
        SQL("id IN (SELECT id FROM \(source.table) WHERE (") + condition + SQL(")")
        + page.bounds + SQL(")")
    }
  }

  /// A column of numbers as an order goes through it.
  private struct Column {
    let name: String
    let direction: SortOrder.Direction
    /// How many rows have no value, and whether they stand before all others.
    let missing: Int
    let comesFirst: Bool

    func compare(_ operation: String, _ opposite: String, _ number: Int64) -> SQL {
      direction == .ascending
        ? SQL("\(name) \(operation) ?", [.integer(number)])
        : SQL("\(name) \(opposite) ?", [.integer(~number)])
    }
  }

  /// Where the rows of a page are in a column.
  private struct Page {
    /// Begins with `AND`.
    let bounds: SQL
    let skipped: Int
    /// The ids of the rows within the bounds, where they are known and few.
    let ids: [Int64]?

    init(_ column: Column, _ numbers: SmallestNumbers, rows: Range<Int>) {
      var numbers = numbers
      let before = column.comesFirst ? column.missing : 0
      let first = rows.lowerBound - before
      let last = rows.upperBound - 1 - before
      let isMissingIncluded = column.comesFirst ? first < 0 : last >= numbers.added
      guard last >= 0, first < numbers.added else {
        // Nothing but rows without a value, if any.
        bounds = SQL(isMissingIncluded ? " AND \(column.name) IS NULL" : " AND 0")
        skipped = last < 0 ? 0 : before + numbers.added
        ids = nil
        return
      }
      var conditions = [SQL("\(column.name) IS NOT NULL")]
      let lowest = first >= 0 ? numbers.number(at: first) : nil
      let highest = last < numbers.added ? numbers.number(at: last) : nil
      if let lowest { conditions.append(column.compare(">=", "<=", lowest)) }
      if let highest { conditions.append(column.compare("<=", ">=", highest)) }
      skipped = lowest.map { before + numbers.count(below: $0) } ?? 0
      ids =
        isMissingIncluded
        ? nil : numbers.owners(from: lowest ?? .min, through: highest ?? .max)
      let between = SQL.joined(conditions[...], by: "AND")
      bounds =
        isMissingIncluded
        ? SQL(" AND (") + between + SQL(" OR \(column.name) IS NULL)") : SQL(" AND ") + between
    }
  }
}

/// The smallest of many numbers and whose they are, in memory that follows how many are kept.
private struct SmallestNumbers {
  private struct Item {
    let number: Int64
    let owner: Int64
  }

  /// How many numbers there were.
  private(set) var added = 0
  private let count: Int
  private var kept: [Item] = []
  /// What is larger is not among the smallest.
  private var largest = Int64.max
  /// From this number on, some were let go.
  private var firstDropped = Int64.max

  /// Keeps that many.
  init(_ count: Int) {
    self.count = count
  }

  mutating func add(_ number: Int64, of owner: Int64) {
    added += 1
    guard number <= largest else { return }
    kept.append(Item(number: number, owner: owner))
    // Not at each number that is one too many.
    guard kept.count - count >= max(count, 4096) else { return }
    largest = self.number(at: count - 1)
    let dropped = kept[count...].lazy.map(\.number).min()
    firstDropped = min(firstDropped, dropped ?? .max)
    kept.removeLast(kept.count - count)
  }

  /// How many numbers are smaller than one that is kept.
  func count(below number: Int64) -> Int {
    kept.reduce(0) { $0 + ($1.number < number ? 1 : 0) }
  }

  /// More are not worth being named one by one.
  private static let mostOwners = 20_000

  /// Whose numbers lie between two; `nil` where not all of those were kept, or they are many.
  func owners(from lowest: Int64, through highest: Int64) -> [Int64]? {
    guard highest < firstDropped else { return nil }
    let owners = kept.lazy.filter { $0.number >= lowest && $0.number <= highest }.map(\.owner)
    let found = Array(owners.prefix(Self.mostOwners + 1))
    return found.count > Self.mostOwners ? nil : found
  }

  /// The number before which so many come in their order.
  ///
  /// Puts smaller numbers before its place and larger ones behind it (Hoare's selection), with pivots that
  /// nobody can foresee: no order of numbers makes it slow.
  mutating func number(at index: Int) -> Int64 {
    kept.withUnsafeMutableBufferPointer { numbers in
      var low = 0
      var high = numbers.count - 1
      while low < high {
        let pivot = numbers[Int.random(in: low...high)].number
        var left = low
        var right = high
        while left <= right {
          while numbers[left].number < pivot { left += 1 }
          while numbers[right].number > pivot { right -= 1 }
          if left <= right {
            numbers.swapAt(left, right)
            left += 1
            right -= 1
          }
        }
        if index <= right {
          high = right
        } else if index >= left {
          low = left
        } else {
          break
        }
      }
      return numbers[index].number
    }
  }
}
