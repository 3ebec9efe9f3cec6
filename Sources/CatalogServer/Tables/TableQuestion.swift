internal import FileCatalog
internal import StandardDirectories
internal import SystemPackage

/// What a table of a client shows, as it was asked for.
struct TableQuestion: Sendable {
  /// The query as it was typed.
  var text: String
  var directories: [FilePath]
  var order: SortOrder
  var columns: [TableColumn]
  private(set) var query: Query

  /// What tables show of each entry when nobody says.
  static let usualColumns: [TableColumn] = [
    EntryColumn.name, .path, .kind, .type, .size, .modified,
  ].map {
    TableColumn.entry($0)
  }

  init(
    text: String, directories: [FilePath], order: SortOrder, columns: [TableColumn]
  ) throws {
    self.text = text
    self.directories = directories
    self.order = order
    self.columns = columns
    query = try Query(parsing: text)
  }

  /// What a body asks for; what it does not say is as before.
  init(_ members: [String: PropertyList], changing old: TableQuestion?) throws {
    var directories = old?.directories ?? []
    let names = try Ask.texts("in", in: members)
    let odd = try Ask.texts("in_base64", in: members)
    if names != nil || odd != nil {
      directories =
        try Ask.paths(names ?? [], "in") + Ask.paths(base64: odd ?? [], "in_base64")
    }
    try self.init(
      text: try Ask.text("q", in: members) ?? old?.text ?? "",
      directories: directories,
      order: try Ask.text("sort", in: members).map { try SortOrder(sent: $0) } ?? old?.order
        ?? SortOrder(),
      columns: try Ask.texts("columns", in: members).map {
        try TableColumn.sent($0.joined(separator: ","))
      }
        ?? old?.columns ?? Self.usualColumns)
  }

  var request: TableRequest {
    var request = TableRequest(query, in: .inside(directories), order: order)
    request.columns = columns
    return request
  }

  /// The same for all that show the same rows in the same order.
  var key: String {
    ([query.description, order.description]
      + columns.filter(\.isValue).map(\.name)
      + directories.map { $0.bytes.map { String($0, radix: 16) }.joined(separator: ".") })
      .joined(separator: "\u{1f}")
  }
}

extension TableRequest.Scope {
  /// Some directories with everything below them; all roots where there are none.
  static func inside(_ directories: [FilePath]) -> Self {
    switch directories.count {
    case 0: .everything
    case 1: .subtree(of: directories[0])
    default: .subtrees(of: directories, levels: nil)
    }
  }
}

extension SortOrder {
  /// An order as a request has it: that of the names where it is empty.
  init(sent text: String) throws(SortOrder.ParseError) {
    if text.isEmpty { self.init() } else { try self.init(parsing: text) }
  }
}

extension TableColumn {
  /// So many a table may have.
  private static let limit = 100

  /// Columns as a request has them. Bytes go with their texts.
  static func sent(_ names: String) throws -> [TableColumn] {
    let columns = try names.isEmpty ? [] : parse(names)
    guard columns.count <= limit else {
      throw Problem.parameter(
        "columns", "has \(columns.count) names; at most \(limit) may be asked for")
    }
    if let odd = columns.first(where: { $0.form == .octets }) {
      throw Problem.parameter(
        "columns", "has no \(odd.name): where bytes are no text they come by themselves")
    }
    return columns
  }

  /// Whether not every entry has it.
  fileprivate var isValue: Bool {
    if case .value = self { true } else { false }
  }
}
