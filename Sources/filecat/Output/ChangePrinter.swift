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

  private let isText: Bool
  // Changes come from the threads of a scan.
  private let state: Mutex<State>

  init(_ output: OutputOptions) {
    isText = output.format == nil && !output.null
    let printer = output.printer(Change.printedColumns, piped: .ndjson)
    state = Mutex(State(printer: printer))
  }

  var count: Int { state.withLock { $0.count } }

  func print(_ change: Change) throws {
    try state.withLock { state in
      state.count += 1
      if isText {
        try Self.printLine(change, to: &state.printer)
      } else {
        try state.printer.print(change.cells)
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
}
