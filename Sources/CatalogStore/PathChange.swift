internal import FileSystem
package import SQLite
package import SystemPackage

/// A directory that has another path than it had: what begins with the one begins with the other now.
///
/// Every table changes in one statement. A path is stored as programs can show it, with its exact bytes beside
/// it where they are something else.
package struct PathChange {
  package let old: FilePath
  package let new: FilePath
  private let parameters: [Binding]

  package init(from old: FilePath, to new: FilePath) {
    self.old = old
    self.new = new
    // What stands before the rest of a path that has one, which begins with a separator.
    func prefix(_ path: FilePath) -> FilePath { path == "/" ? "" : path }
    parameters = [
      .blob(old.bytes), .blob(new.bytes), new.shown, .blob(prefix(old).bytes), prefix(old).shown,
      .blob(prefix(new).bytes), prefix(new).shown,
    ]
  }

  /// The path that something has now; `nil` for what is elsewhere.
  package func path(insteadOf path: FilePath) -> FilePath? {
    var rest = path
    return rest.removePrefix(old) ? new.pushing(rest) : nil
  }

  /// Changes the paths in a column and the one beside it, `…_bytes`, of the rows that meet a condition.
  ///
  /// - Parameter condition: its parameter is `?8`.
  package func run(
    on table: String, _ column: String, where condition: String = "?8 IS NULL",
    _ parameter: Int64? = nil, in db: Connection
  ) throws {
    let bytes = "\(column)_bytes"
    let exact = "CAST(ifnull(\(bytes), \(column)) AS BLOB)"
    try db.execute(
      """
      UPDATE \(table) SET (\(column), \(bytes)) = (
        SELECT shown, nullif(exact, CAST(shown AS BLOB)) FROM (SELECT
          CASE \(exact) WHEN ?1 THEN ?3
            ELSE ?7 || substr(\(column), length(?5) + 1) END AS shown,
          CASE \(exact) WHEN ?1 THEN ?2
            ELSE CAST(?6 || substr(\(exact), length(?4) + 1) AS BLOB) END AS exact))
      WHERE \(Self.condition(exact)) AND (\(condition))
      """, parameters + [parameter.binding])
  }

  private static func condition(_ exact: String) -> String {
    "(\(exact) = ?1 OR substr(\(exact), 1, length(?4) + 1) = CAST(?4 || x'2f' AS BLOB))"
  }
}
