/// A column of a table of entries.
public enum TableColumn: Sendable, Hashable {
  /// A column of the SQL view `files`.
  case entry(EntryColumn)
  /// The values that are stored under a key; `null` for entries without one.
  case value(ValueKey)

  /// What it is called: as in the view `files`, or `value:pixel_width`, `xattr:user.project`.
  public var name: String {
    switch self {
    case .entry(let column): column.rawValue
    case .value(let key): key.name
    }
  }

  /// What the values of the column are.
  public var form: ValueForm {
    switch self {
    case .entry(let column): column.form
    case .value: .any
    }
  }

  /// The key of the values; `nil` for what every entry has.
  var valueKey: ValueKey? {
    guard case .value(let key) = self else { return nil }
    return key
  }

  /// The column over the view `_entry_rows`.
  var viewColumn: String {
    switch self {
    case .entry(let column): column.rawValue
    case .value(let key): key.viewColumn
    }
  }
}

extension TableColumn {
  /// Reads a name.
  private init?(named name: String) {
    if let column = EntryColumn(rawValue: name.lowercased()) {
      self = .entry(column)
    } else if let key = ValueKey(named: name) {
      self = .value(key)
    } else {
      return nil
    }
  }

  /// Parses names separated by commas. A comma that belongs to a key has a backslash before it.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/unknownColumn`` with the nearest known name.
  public static func parse(_ text: String) throws(CatalogError) -> [TableColumn] {
    var columns: [TableColumn] = []
    for name in NameList.names(in: text) {
      guard let column = TableColumn(named: name) else {
        throw CatalogError(
          .unknownColumn, named: name.lowercased(), among: EntryColumn.allCases.map(\.rawValue),
          "there is no column “\(name)”")
      }
      columns.append(column)
    }
    return columns
  }

  /// The names of columns, as they are parsed.
  public static func text(of columns: [TableColumn]) -> String {
    NameList.text(of: columns.map(\.name))
  }
}
