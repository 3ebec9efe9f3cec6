internal import GRDB
internal import GRDBSQLite

/// The SQL functions of the catalog's own queries. Nothing stored depends on them: the views are
/// read without.
///
/// - `filecat_matches(text, matcher)`: whether a text matches.
/// - `filecat_matches_below(path, root, matcher)`: the same for the part of a path below its root.
/// - `filecat_has_extension(name, extensions)`: whether a name has one of some extensions.
/// - `filecat_folded(text)`: the text by which texts are equal whatever the case of their letters.
/// - `filecat_has_tag(tags, tag, folded)`: whether a tag is among some, which commas separate.
/// - `filecat_natural_key(name)`: a BLOB that sorts names as people expect.
enum SQLFunctions {
  /// The type tag of the objects passed as parameters (sqlite.org/bindptr.html). A C string that
  /// must live as long as the process.
  static var pointerType: UnsafePointer<CChar> {
    let name: StaticString = "FileCatalog"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  static func register(on db: Database) throws {
    guard let connection = db.sqliteConnection else { return }
    let functions: [(String, Int32, Implementation)] = [
      ("filecat_matches", 2, matches),
      ("filecat_matches_below", 3, matchesBelow),
      ("filecat_has_extension", 2, hasExtension),
      ("filecat_folded", 1, folded),
      ("filecat_has_tag", 3, hasTag),
      ("filecat_natural_key", 1, naturalKey),
    ]
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    for (name, count, function) in functions {
      let code = sqlite3_create_function_v2(
        connection, name, count, flags, nil, function, nil, nil, nil)
      guard code == SQLITE_OK else { throw SQLiteFailure(connection, code) }
    }
  }

  private typealias Implementation =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

  private static let matches: Implementation = { context, _, arguments in
    guard let arguments, let matcher: TextMatcher = object(arguments[1]) else { return }
    sqlite3_result_int(context, matcher.matches(bytes(of: arguments[0])) ? 1 : 0)
  }

  private static let matchesBelow: Implementation = { context, _, arguments in
    guard let arguments, let matcher: TextMatcher = object(arguments[2]) else { return }
    let path = bytes(of: arguments[0])
    let root = bytes(of: arguments[1])
    let slash = UInt8(ascii: "/")
    let prefix = root.count + (root.last == slash ? 0 : 1)
    let below = UnsafeRawBufferPointer(rebasing: path.dropFirst(prefix))
    sqlite3_result_int(context, matcher.matches(below) ? 1 : 0)
  }

  private static let hasExtension: Implementation = { context, _, arguments in
    guard let arguments, let extensions: ExtensionSet = object(arguments[1]) else { return }
    sqlite3_result_int(context, extensions.contains(extensionOf: bytes(of: arguments[0])) ? 1 : 0)
  }

  private static let folded: Implementation = { context, _, arguments in
    guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return }
    CaseFolding.withFolded(bytes(of: arguments[0])) { text in
      sqlite3_result_text(
        context, text.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(truncatingIfNeeded: text.count), RawStatement.transient)
    }
  }

  private static let hasTag: Implementation = { context, _, arguments in
    guard let arguments else { return }
    let isFolded = sqlite3_value_int(arguments[2]) != 0
    func comparable(_ text: UnsafeRawBufferPointer) -> [UInt8] {
      isFolded ? CaseFolding.withFolded(text) { Array($0) } : Array(text)
    }
    let wanted = comparable(bytes(of: arguments[1]))
    let space = UInt8(ascii: " ")
    let has = bytes(of: arguments[0]).split(separator: UInt8(ascii: ",")).contains { tag in
      let start = tag.drop { $0 == space }
      let end = (start.lastIndex { $0 != space } ?? start.startIndex - 1) + 1
      return comparable(UnsafeRawBufferPointer(rebasing: start[..<end])) == wanted
    }
    sqlite3_result_int(context, has ? 1 : 0)
  }

  private static let naturalKey: Implementation = { context, _, arguments in
    guard let arguments else { return }
    let key = NaturalOrder.key(of: bytes(of: arguments[0]))
    key.withUnsafeBytes { key in
      sqlite3_result_blob(
        context, key.baseAddress, Int32(truncatingIfNeeded: key.count), RawStatement.transient)
    }
  }

  /// The exact bytes of a TEXT or BLOB.
  @inline(__always)
  private static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  @inline(__always)
  private static func object<Object: AnyObject>(_ value: OpaquePointer?) -> Object? {
    guard let pointer = sqlite3_value_pointer(value, pointerType) else { return nil }
    // Bound by the query compiler, which pairs each function with the class it takes.
    return unsafeDowncast(
      Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue(), to: Object.self)
  }
}
