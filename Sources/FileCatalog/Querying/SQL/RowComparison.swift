internal import FileSystem

extension SortOrder {
  /// What rows of the view `_entry_rows` are compared by, one after the other: a total order, so ties end
  /// with the name, the bytes of the path and the id.
  ///
  /// - Parameter path: what to compare paths by. Names do among entries of one directory.
  func comparisons(ofPathsBy path: String = "CAST(path AS BLOB)") -> [Comparison] {
    var comparisons: [Comparison] = []
    if directories == .first {
      comparisons.append(Comparison("kind_id <> \(EntryKind.directory.rawValue)"))
    }
    for term in terms { comparisons.append(term.comparison(ofPathsBy: path)) }
    let keys = terms.map(\.key)
    if !keys.contains(.path) {
      if !keys.contains(.name) { comparisons.append(Comparison("filecat_natural_key(name)")) }
      comparisons.append(Comparison(path))
    }
    return comparisons + [Comparison("id")]
  }

  /// The same as `ORDER BY` terms.
  func sql(comparingPathsBy path: String = "CAST(path AS BLOB)") -> String {
    comparisons(ofPathsBy: path).map(\.sql).joined(separator: ", ")
  }

  /// A value of each row that decides where rows stand, unless it is the same.
  struct Comparison {
    /// The value, in SQL.
    let value: String
    let direction: Direction
    let missing: MissingValues

    init(
      _ value: String, _ direction: Direction = .ascending, missing: MissingValues = .smallest
    ) {
      self.value = value
      self.direction = direction
      self.missing = missing
    }

    fileprivate var sql: String {
      switch (direction, missing) {
      case (.descending, _): "\(value) DESC"
      case (.ascending, .smallest): value
      case (.ascending, .last): "\(value) NULLS LAST"
      }
    }
  }
}

extension SortOrder.Term {
  fileprivate func comparison(ofPathsBy path: String) -> SortOrder.Comparison {
    SortOrder.Comparison(key.comparedValue(ofPath: path), direction, missing: key.missingValues)
  }
}

/// Where entries without a value stand.
enum MissingValues {
  /// Before the smallest value, as SQLite has it.
  case smallest
  /// After all others, in both directions.
  case last
}

extension SortOrder.Key {
  /// Where entries without a value stand in the order of this key.
  var missingValues: MissingValues {
    switch self {
    case .modified, .created, .changed, .accessed, .totalSize, .totalAllocated, .totalFiles, .value:
      .last
    case .name, .path, .size, .allocated, .kind, .type, .extension, .owner, .group, .mode, .inode,
      .links, .depth, .fullSize, .fullAllocated:
      .smallest
    }
  }

  /// What the view `_entry_rows` has for a key whose values are numbers; `nil` for other keys.
  var viewColumn: String? {
    switch self {
    case .size, .allocated, .inode, .links, .depth: name
    case .modified, .created, .changed, .accessed: name + "_ns"
    case .mode: "mode & 4095"
    case .fullSize: "ifnull(total_size, size)"
    case .fullAllocated: "ifnull(total_allocated, allocated)"
    case .name, .path, .kind, .type, .extension, .owner, .group, .totalSize, .totalAllocated,
      .totalFiles, .value:
      nil
    }
  }

  /// What rows of that view are compared by.
  fileprivate func comparedValue(ofPath path: String) -> String {
    switch self {
    case .name: "filecat_natural_key(name)"
    case .path: path
    case .extension, .owner: "\(name) COLLATE NOCASE"
    case .group: "group_name COLLATE NOCASE"
    case .value(let key): key.viewColumn
    default: viewColumn ?? name
    }
  }
}
