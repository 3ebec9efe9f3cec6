internal import Console
internal import FileCatalog

// What answers hold, by the names that the description of the API has for it.

extension Schema {
  /// Those with a name.
  static let named: [(name: String, schema: Schema)] = [
    ("Problem", problem), ("Entry", entry), ("Totals", totals), ("Change", change),
    ("Root", root), ("Scan", scan), ("Type", type), ("Asset", asset), ("Table", table),
    ("Column", column), ("GrowthPoint", growthPoint),
  ]

  private static let problem = Schema.object([
    .member("type", .text, "about:blank, or urn:filecat: and the code."),
    .member("title", .text), .member("status", .integer(100...599)),
    .member("detail", .text, "The reason, in one line for a person."),
    .member("code", .text, "The reason, for programs."),
    .maybe("query", .text, "The query that was sent."),
    .maybe(
      "position",
      .object([.member("offset", .integer(0...Int.max)), .member("length", .integer(0...Int.max))]),
      "Where the query is wrong, in Unicode scalars."),
    .maybe("expected", .text, "What would have been right there."),
    .maybe("nearest", .text, "The known word that was probably meant."),
    .maybe("generation", .integer(), "The generation of a table."),
  ])

  /// A value of a column; none of them is certain.
  private static func value(of form: ValueForm) -> Schema {
    switch form {
    case .identifier, .number, .bytes, .seconds, .nanoseconds, .mode: .optional(.integer())
    case .factor, .duration: .optional(.number)
    case .truth: .optional(.truth)
    case .any: .any
    default: .optional(.text)
    }
  }

  /// Members for columns, with those for bytes that are no text.
  private static func members(_ columns: [(String, ValueForm, String)]) -> [Member] {
    columns.flatMap { name, form, meaning in
      [Member.maybe(name, value(of: form), meaning)]
        + (form == .path
          ? [.maybe("\(name)_base64", .text, "The bytes, where they are no text.")] : [])
    }
  }

  private static let entry = Schema.object(
    [.member("id", .integer(), "The number of the entry.")]
      + members(
        EntryColumn.allCases.filter { $0.form != .octets && $0 != .id }
          .map { ($0.rawValue, $0.form, $0.meaning) }))

  private static let totals = Schema.object([
    .member("id", .integer()), .member("path", .text), .maybe("path_base64", .text),
    .member("name", .text), .maybe("name_base64", .text),
    .member("depth", .integer(), "Steps below the root."), .member("kind", .word(["directory"])),
    .member("size", .integer(), "Bytes of what is directly in it and no directory."),
    .member("allocated", .integer(), "The same on the disk, with the directory itself."),
    .member("files", .integer()), .member("directories", .integer()),
    .member("total_size", .integer()), .member("total_allocated", .integer()),
    .member("total_files", .integer()), .member("total_directories", .integer()),
    .member("newest_modified", .optional(.integer())),
    .member("state", .word(["complete", "unreadable", "unscanned"])),
    .member("error", .optional(.text)),
  ])

  private static let change = Schema.object([
    .member("scan_id", .optional(.integer())), .member("at", .optional(.integer())),
    .member("kind", .word(Change.Kind.allCases.map(\.rawValue))),
    .member("path", .text), .maybe("path_base64", .text),
    .member("old_path", .optional(.text)), .maybe("old_path_base64", .text),
    .member("entry_id", .optional(.integer())), .member("entry_kind", .text),
    .member("fields", .list(.text), "The columns that differ."),
    .member("size", .optional(.integer())), .member("old_size", .optional(.integer())),
  ])

  /// The rows of a view, whose columns may get more.
  private static func rows(of names: String, _ view: String) -> Schema {
    let known = names.split(separator: " ").map { name -> (String, ValueForm, String) in
      let term = Glossary.term(String(name), of: view)
      return (String(name), term?.form ?? .any, term?.meaning ?? "")
    }
    return .object(members(known), others: .any)
  }

  private static let root = rows(
    of: "id path state last_scan last_scan_at last_scan_state excludes one_file_system shallow "
      + "include_packages container entries total_size total_allocated gitignore skip_fs", "roots")
  private static let scan = rows(
    of: "id root_id root started_at finished_at state entries added removed modified moved errors "
      + "seconds", "scans")

  private static let type = Schema.object([
    .member("identifier", .text), .member("description", .optional(.text)),
    .member("supertypes", .list(.text)), .member("extensions", .list(.text)),
    .member("mime_types", .list(.text)), .member("is_package", .truth),
    .member("is_dynamic", .truth), .member("source", .text),
  ])

  private static let asset = Schema.object([
    .member("path", .text), .maybe("path_base64", .text), .member("scale", .number),
    .member("idiom", .optional(.text)), .member("height", .optional(.integer())),
    .member("hd", .truth), .member("rank", .integer()),
  ])

  private static let table = Schema.object([
    .member("id", .text), .member("count", .integer(0...Int.max)),
    .member("generation", .integer(1...Int.max)), .member("q", .text),
    .member("in", .list(.text)), .maybe("in_base64", .list(.text)), .member("sort", .text),
    .member("columns", .list(.text)),
  ])

  private static let column = Schema.object([
    .member("name", .text), .member("unit", .optional(.text)), .member("meaning", .text),
  ])

  private static let growthPoint = Schema.object([
    .member("scan_id", .optional(.integer()), "The scan; null for the present."),
    .member("at", .integer()), .member("total_size", .integer()),
    .member("total_allocated", .integer()), .member("total_files", .integer()),
  ])
}
