public import ArgumentParser
public import Console

extension RowFormat: ExpressibleByArgument {}

/// How rows are printed; the same on every command that prints some.
struct OutputOptions: ParsableArguments {
  @Option(help: "How to print: \(RowFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format: RowFormat?

  @Flag(name: [.customShort("0"), .customLong("null")], help: "Print paths ended by NUL.")
  var null = false

  @Flag(help: "Show exact numbers of bytes.")
  var bytes = false

  func validate() throws {
    if null, let format, format != .paths {
      throw ValidationError("-0 prints paths; leave out --format \(format.rawValue)")
    }
  }

  /// The format to use. `piped` is what it is when nobody asked and there is no terminal.
  func format(piped: RowFormat) -> RowFormat {
    if null { return .paths }
    return format ?? (Terminal(descriptor: 1).isTerminal ? .table : piped)
  }

  func printer(_ columns: [Column], piped: RowFormat) -> RowPrinter {
    RowPrinter(
      columns: columns, format: format(piped: piped), sink: .standardOutput,
      terminal: Terminal(descriptor: 1),
      options: RowPrinter.Options(
        sizes: bytes ? .exact : .human, pathEnding: null ? .null : .newline))
  }
}
