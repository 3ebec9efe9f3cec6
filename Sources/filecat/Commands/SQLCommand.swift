import ArgumentParser
import Console
import Dispatch
import FileCatalog
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct SQLCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "sql", _superCommandName: FileCat.name,
    abstract: "Run an SQL statement that reads.",
    discussion: """
      Whatever the statement says, nothing is changed, and it gets no more memory and no longer rows \
      than it is allowed. Without a statement, or with -, it is read from standard input. The views, \
      whose columns filecat schema VIEW explains:

      \(viewNames)

        filecat sql 'SELECT owner, count(*), sum(size) FROM files GROUP BY owner'
        filecat sql < query.sql
      """)

  /// All views that there are; a test compares them with the schema.
  private static let viewNames = """
    files, roots, directories, resource_values, values_hash, values_acl, values_origin, \
    values_image, values_media, values_document, types, type_conformance, type_tags, scans, \
    scan_errors, changes, growth_by_directory, usage_by_kind, usage_by_type, usage_by_extension, \
    usage_by_owner, usage_by_age, usage_by_access_age, usage_by_group, usage_by_size, \
    usage_by_directory, usage_by_role, usage_by_container, largest_files, hard_link_names, hard_links, broken_links, duplicate_candidates, searches, \
    search_directories, roles, containers, backup_marks, asset_gaps.
    """

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Stop the statement after so many seconds.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: ArgumentHelp("Print at most so many rows.", valueName: "n"))
  var maxRows: Int?

  @Option(
    help: ArgumentHelp("Stop at a row with more bytes: 100k, 20M.", valueName: "size"))
  var maxRowBytes = ByteSize(bytes: 4 << 20)

  @Option(
    help: ArgumentHelp("Stop the statement when it needs more memory.", valueName: "size"))
  var maxMemory = ByteSize(bytes: 256 << 20)

  @Argument(help: "The statement; - for standard input.")
  var statement: String?

  func validate() throws {
    if statement == nil, isatty(STDIN_FILENO) == 1 {
      throw ValidationError("name a statement, or give one on standard input")
    }
    if let timeout, !(timeout > 0 && timeout <= 1e9) {
      throw ValidationError("--timeout takes a number of seconds above 0")
    }
    if let maxRows, maxRows < 0 { throw ValidationError("--max-rows takes a number from 0 on") }
    if maxRowBytes.bytes == 0 { throw ValidationError("--max-row-bytes takes a size above 0") }
    if maxMemory.bytes == 0 { throw ValidationError("--max-memory takes a size above 0") }
  }

  func execute() async throws -> Outcome {
    let statement = try self.statement.flatMap { $0 == "-" ? nil : $0 } ?? Self.statementFromInput()
    Catalog.limitMemoryOfSQLite(to: Int(maxMemory.bytes))
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let ending = CertainEnd()
    if let timeout {
      ending.come(after: timeout, between: .rows, with: CatalogError(timedOutAfter: timeout))
    }
    let isCut = try await MainThread.shared.cancellingWhenInterrupted {
      try await withTaskCancellationHandler {
        // The main thread has to hear of signals meanwhile.
        try await Blocking.run { try print(statement, catalog, ending) }
      } onCancel: {
        let error = CatalogError(CancellationError(), path: catalog.path)
        ending.come(after: 0, between: .anything, with: error)
      }
    }
    if isCut, let maxRows {
      Message.print("stopped after \(CountText(maxRows, "row", "rows")); see --max-rows")
    }
    return .done
  }

  /// Beyond so many bytes nothing is a statement: SQLite takes a million.
  private static let longestInput = 1 << 20

  /// Reads all of standard input.
  static func statementFromInput() throws -> String {
    var bytes: [UInt8] = []
    while bytes.count <= longestInput {
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
        let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
        if count > 0 { bytes += buffer[..<count] }
        return count
      }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      guard count > 0 || errno == EINTR else {
        throw ValidationError("standard input cannot be read: \(Errno(rawValue: errno))")
      }
    }
    throw ValidationError("standard input has more than \(longestInput) bytes")
  }

  /// - Returns: whether there are more rows.
  private func print(
    _ statement: String, _ catalog: Catalog, _ ending: CertainEnd
  ) throws -> Bool {
    var printer = output.printer([], piped: .tsv)
    defer { ending.isNeedless() }
    let isCut: Bool
    do {
      isCut = try catalog.runSQL(
        statement, timeout: timeout, maximumRows: maxRows, maximumRowBytes: Int(maxRowBytes.bytes)
      ) { names in
        try ending.printing {
          printer = output.printer(names.map(Self.column), piped: .tsv)
          try printer.begin()
        }
      } row: { row in
        try ending.printing { try printer.print(row.map { Cell($0) }) }
      }
    } catch let error as CatalogError where error.code == .invalidSQL {
      throw StatementError(error, in: statement)
    }
    try ending.printing { try printer.finish() }
    return isCut
  }

  /// Any value may be in any column: only paths have a form of their own.
  static func column(_ name: String) -> Column {
    guard let column = EntryColumn(rawValue: name), column.form == .path else {
      return Column(name, shortening: .atEnd)
    }
    return Column(column)
  }
}

/// Ends the process where a statement cannot be ended in an orderly way: while one SQL function runs,
/// or SQLite prepares a statement that was written to take long, it listens to nobody.
///
/// What the statement was to be ended for is told in the same line, and with the same status, as when
/// SQLite had listened. It only reads, so nothing is left half done.
private final class CertainEnd: Sendable {
  /// What may not be cut in two.
  enum Border {
    /// Rows that are being printed: whoever reads them takes as long as they like.
    case rows
    case anything
  }

  private enum Activity {
    /// SQLite has the word, since a moment.
    case reading(since: ContinuousClock.Instant)
    case printing
    case done
  }

  /// How long SQLite gets to listen.
  private static let grace = Duration.seconds(1)

  private let activity = Monitor(Activity.reading(since: .now))
  // A queue of its own has a thread of its own, however busy the processors are.
  private let queue = DispatchQueue(label: "filecat.end")

  /// Runs `body`, which prints, and is not cut in two.
  func printing<Result>(_ body: () throws -> Result) rethrows -> Result {
    activity.withLock { $0 = .printing }
    defer { activity.withLock { $0 = .reading(since: .now) } }
    return try body()
  }

  /// The statement has ended.
  func isNeedless() {
    activity.withLock { $0 = .done }
  }

  /// Ends the process after so many seconds, unless the statement ends soon after by itself.
  func come(after seconds: Double, between border: Border, with error: CatalogError) {
    let time = DispatchTime.now() + seconds + Self.grace / .seconds(1)
    queue.asyncAfter(deadline: time) { [self] in
      let isLate = activity.withLock { activity in
        switch activity {
        case .done: return false
        case .printing where border == .anything: end(with: error)
        case .printing: return true
        case .reading(let start):
          if ContinuousClock.now - start >= Self.grace { end(with: error) }
          return true
        }
      }
      if isLate { come(after: 0, between: border, with: error) }
    }
  }

  /// While this thread has the lock nothing is printed.
  private func end(with error: CatalogError) -> Never {
    Message.print(error)
    _exit(Outcome(error).rawValue)
  }
}

/// A statement that SQLite does not understand.
struct StatementError: Error {
  /// What is wrong with it.
  let message: String
  /// The line of the statement in which SQLite stumbled, and a caret under the place; empty where it
  /// does not tell.
  let excerpt: [DisplayText]

  init(_ error: CatalogError, in statement: String) {
    message = error.description
    let text = Array(statement.utf8)
    guard let offset = error.offset, offset <= text.count else {
      excerpt = []
      return
    }
    let newline = UInt8(ascii: "\n")
    let start = text[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let before = Self.shown(text[start..<offset])
    let line = before + Self.shown(text[offset...].prefix { $0 != newline })
    let fault = FaultExcerpt(of: line, around: before.utf8.count..<before.utf8.count)
    excerpt = [fault.text, fault.marks]
  }

  private static func shown(_ part: ArraySlice<UInt8>) -> String {
    RawArguments.shown(String(decoding: part, as: UTF8.self))
  }
}
