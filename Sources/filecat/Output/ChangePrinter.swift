import Console
import FileCatalog
import FileSystem
import Synchronization

/// Prints changes as they come: a line each for people, an object each for programs.
final class ChangePrinter: Sendable {
  private struct State: ~Copyable {
    var printer: RowPrinter
    var count = 0
  }

  private static let columns: [Column] = [
    .number("scan_id", title: "SCAN"), Column("at"), .text("kind"), .path("path"),
    .path("old_path"), .number("entry_id"), .text("entry_kind"),
    .text("fields"), .number("size"), .number("old_size"),
  ]

  private let isText: Bool
  // Changes come from the threads of a scan.
  private let state: Mutex<State>

  init(_ output: OutputOptions) {
    isText = output.format == nil && !output.null
    let printer = output.printer(Self.columns, piped: .ndjson)
    state = Mutex(State(printer: printer))
  }

  var count: Int { state.withLock { $0.count } }

  func print(_ change: Change) throws {
    try state.withLock { state in
      state.count += 1
      if isText {
        try Self.printLine(change, to: &state.printer)
      } else {
        try state.printer.print(Self.cells(change))
      }
    }
  }

  /// Hands over what has been printed so far.
  func flush() throws {
    try state.withLock { try $0.printer.flush() }
  }

  func finish() throws {
    try state.withLock { try $0.printer.finish() }
  }

  private static func printLine(_ change: Change, to printer: inout RowPrinter) throws {
    let path = RowPrinter.LinePart.path(change.path.bytes)
    switch change.kind {
    case .added: try printer.printLine(.text("+ "), path)
    case .removed: try printer.printLine(.text("- "), path)
    case .modified: try printer.printLine(.text("~ "), path)
    case .moved:
      let oldPath = change.oldPath?.bytes ?? []
      try printer.printLine(.text("> "), .path(oldPath), .text(" -> "), path)
    }
  }

  private static func cells(_ change: Change) -> [Cell] {
    [
      change.scanID.map { .integer($0.rawValue) } ?? .null,
      change.at.map { Cell(.integer($0), .seconds) } ?? .null, .text(change.kind.rawValue),
      .text(bytes: change.path.bytes),
      change.oldPath.map { .text(bytes: $0.bytes) } ?? .null,
      change.entryID.map { .integer($0.rawValue) } ?? .null, .text(change.entryKind.name),
      .list(change.fields.map { .text($0.rawValue) }),
      change.size.map { .byteCount($0) } ?? .null, change.oldSize.map { .byteCount($0) } ?? .null,
    ]
  }
}
