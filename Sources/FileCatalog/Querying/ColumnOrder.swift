/// An order of rows by their columns, each ascending or descending.
///
/// Rows without a value in a column come last in both directions.
///
/// ```swift
/// let order = try ColumnOrder(parsing: "-size,path", among: ["path", "size"])
/// ```
public struct ColumnOrder: Sendable, Hashable {
  /// A column and its direction.
  public struct Term: Sendable, Hashable {
    /// The name of the column.
    public let column: String
    /// Which end comes first.
    public let direction: SortOrder.Direction
  }

  /// The columns; each decides where all before it are equal.
  public let terms: [Term]

  /// Parses names separated by commas; a leading `-` makes a column descending.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/unknownColumn`` with the nearest known name.
  public init(parsing text: String, among columns: [String]) throws(CatalogError) {
    var terms: [Term] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let isDescending = item.first == "-"
      let name = (isDescending ? item.dropFirst() : item).lowercased()
      guard columns.contains(name) else {
        throw CatalogError(
          .unknownColumn, named: name, among: columns,
          name.isEmpty ? "a sort key is missing" : "there is no sort key “\(name)” here")
      }
      terms.append(Term(column: name, direction: isDescending ? .descending : .ascending))
    }
    self.terms = terms
  }

  /// The `ORDER BY` terms. The names are known ones, so nothing else can be in them.
  var sql: String {
    terms.map { "\($0.column) IS NULL, \($0.column)\($0.direction == .descending ? " DESC" : "")" }
      .joined(separator: ", ")
  }
}
