internal import SQLite

/// What entries are counted and looked through in: the narrowest that has what is asked about.
///
/// The view with all that is known of entries joins several tables, and SQLite goes on about them for
/// each row, even where no column of theirs is asked for.
enum EntrySource: Comparable {
  /// The sums that the catalog keeps by kind, type, extension and owner: a row stands for many entries.
  case sums
  /// The rows of entries, as they are stored.
  case stored
  /// The view.
  case view

  /// What a request is answered from; its order, columns and page play no part.
  ///
  /// - Parameter condition: the compiled condition of the request.
  init(for request: TableRequest, _ condition: SQL) {
    let scope: EntrySource =
      switch request.scope {
      case .everything: .sums
      case .children, .subtree, .entry, .subtrees(_, nil): .stored
      case .subtrees: .view
      }
    self = max(scope, request.query.filter.source)
    if self == .sums, DeepConditions.areTakenOut(of: condition) { self = .stored }
  }

  /// What stands behind `FROM`. Columns are called as in the view.
  var table: String {
    switch self {
    case .sums:
      """
      (SELECT kind AS kind_id, type_id, nullif(extension_id, 0) AS extension_id,
        nullif(uid, -1) AS uid, entries FROM _usage_sums)
      """
    case .stored:
      """
      (SELECT id, parent_id, kind AS kind_id, type_id, extension_id, size, allocated, created AS created_ns,
        modified AS modified_ns, changed AS changed_ns, accessed AS accessed_ns, mode, uid, gid,
        inode, links FROM _entries)
      """
    case .view: "_entry_rows"
    }
  }

  /// How many entries meet a condition.
  func count(where condition: SQL, _ db: Connection) throws -> Int {
    let question =
      switch self {
      case .sums: SQL("SELECT ifnull(sum(entries), 0) FROM \(table) WHERE ") + condition
      case .stored: SQL("SELECT count(*) FROM \(table) WHERE ") + condition
      case .view:
        // Only of a statement that is no aggregate SQLite leaves out the joins that no column asks for;
        // the limit keeps it from making one of the two.
        SQL("SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE ") + condition + SQL(" LIMIT -1)")
      }
    return try db.first(question) { Int($0.count(0)) } ?? 0
  }
}

extension Filter {
  /// What has the columns that the filter is compiled to.
  fileprivate var source: EntrySource {
    switch condition {
    case .everything, .kinds: .sums
    case .all(let filters), .any(let filters): filters.map(\.source).max() ?? .sums
    case .not(let filter): filter.source
    case .date, .mode, .value: .stored
    case .number(let field, _):
      switch field {
      case .uid: .sums
      case .size, .allocated, .links, .gid: .stored
      case .depth: .view
      }
    case .word(let field, _):
      switch field {
      case .type, .conformsTo, .owner: .sums
      case .group, .tag: .stored
      case .container, .role, .backup, .idiom: .view
      }
    case .extensions(let extensions):
      extensions.contains(where: \.isEndingOfSeveralParts) ? .view : .sums
    case .text, .scale, .flag: .view
    }
  }
}

extension SortOrder.Key {
  /// What has the column ``viewColumn``.
  var source: EntrySource {
    switch self {
    case .size, .allocated, .inode, .links, .mode, .modified, .created, .changed, .accessed: .stored
    default: .view
    }
  }
}
