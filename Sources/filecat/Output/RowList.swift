import ArgumentParser
import Console
import FileCatalog

/// The order and the number of the rows of a list that is all in memory.
struct ListOptions: ParsableArguments {
  // A descending key begins with a dash, and is a value all the same.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort by columns, each descending with a leading -.", valueName: "column,…"))
  var sort: String?

  @Option(help: ArgumentHelp("Print at most so many rows.", valueName: "n"))
  var limit: Int?

  func validate() throws { try limit?.validateAsLimit() }
}

/// Rows that are all in memory, and can be put in order by any of their columns.
struct RowList {
  let columns: [Column]
  private(set) var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  mutating func append(_ row: [Cell]) { rows.append(row) }

  /// Prints the rows, and tells whether there were any.
  func print(_ list: ListOptions, _ output: OutputOptions) throws -> Outcome {
    try print(sort: list.sort, limit: list.limit, output)
  }

  /// Prints the rows, and tells whether there were any.
  func print(sort: String?, limit: Int?, _ output: OutputOptions) throws -> Outcome {
    var rows = rows
    if let sort {
      try ColumnOrder(parsing: sort, among: columns.map(\.name)).sort(&rows, of: columns)
    }
    var printer = output.printer(columns, piped: .tsv)
    for row in rows.prefix(limit ?? .max) { try printer.print(row) }
    try printer.finish()
    return rows.isEmpty || limit == 0 ? .nothing : .done
  }
}

extension ColumnOrder {
  /// Sorts rows by their cells. Those with equal ones keep their order.
  func sort(_ rows: inout [[Cell]], of columns: [Column]) {
    sort(&rows, of: columns) { $0 }
  }

  /// Sorts values by their cells. Those with equal ones keep their order.
  func sort<Value>(_ values: inout [Value], of columns: [Column], cells: (Value) -> [Cell]) {
    let places = terms.compactMap { term in
      columns.firstIndex { $0.name == term.column }.map { ($0, term.direction == .descending) }
    }
    let keyed = values.enumerated().map { (place: $0, value: $1, row: cells($1)) }
    let sorted = keyed.sorted { a, b in
      for (place, isDescending) in places {
        let (x, y) = (a.row[place], b.row[place])
        if x == y { continue }
        // What is not known is last in both directions.
        if x == .null || y == .null { return y == .null }
        if x.precedes(y) { return !isDescending }
        if y.precedes(x) { return isDescending }
      }
      return a.place < b.place
    }
    values = sorted.map(\.value)
  }
}

extension Cell {
  /// Whether a value comes before another of the same column.
  fileprivate func precedes(_ other: Cell) -> Bool {
    switch (self, other) {
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    case (.real(let a), .real(let b)): a < b
    case (.boolean(let a), .boolean(let b)): !a && b
    case (.list(let a), .list(let b)):
      a.lexicographicallyPrecedes(b) { $0.precedes($1) }
    default: number.map { a in other.number.map { a < $0 } ?? true } ?? false
    }
  }

  private var number: Int64? {
    switch self {
    case .integer(let number), .count(let number), .byteCount(let number),
      .timestamp(let number), .duration(let number):
      number
    default: nil
    }
  }
}
