import Console
import FileCatalog
import FileSystem
import SystemPackage

/// Prints tables of entries.
enum EntryRows {
  /// Prints what a request finds: all of it, or the page that `options` ask for.
  static func print(
    _ request: TableRequest, from catalog: Catalog, _ options: TableOptions,
    _ output: OutputOptions, piped: RowFormat = .paths, relative: RelativePaths? = nil
  ) throws -> Outcome {
    guard let after = options.after else {
      return try print(request, output, piped, relative) { printPath in
        try catalog.forEachPath(of: request, printPath)
      } rows: { request, printRow in
        try catalog.forEachRow(of: request, printRow)
      }
    }
    let start: Catalog.PageStart =
      after == "start" ? .beginning : .cursor(try PageCursor(parsing: after))
    var next: PageCursor?
    let outcome = try print(request, output, piped, relative) { printPath in
      next = try catalog.forEachPath(of: request, from: start, printPath)
    } rows: { request, printRow in
      next = try catalog.forEachRow(of: request, from: start, printRow)
    }
    if let next { Message.print("next page: --after \(next)") }
    return outcome
  }

  /// Prints what `paths` or `rows` reads, and tells whether that was anything.
  private static func print(
    _ request: TableRequest, _ output: OutputOptions, _ piped: RowFormat,
    _ relative: RelativePaths?,
    paths: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void,
    rows: (TableRequest, ([ColumnValue]) throws -> Void) throws -> Void
  ) throws -> Outcome {
    var printer = output.printer(request.columns.map(Column.init), piped: piped)
    var count = 0
    if printer.format == .paths {
      try paths { path in
        count += 1
        if let relative {
          try relative.shown(Array(path)).withUnsafeBytes { try printer.printPath($0) }
        } else {
          try printer.printPath(path)
        }
      }
    } else {
      let forms = request.columns.map(\.form)
      let isTable = printer.format == .table
      let shownPath = isTable && relative != nil ? request.columns.firstIndex(of: .path) : nil
      // The kind decides how a name stands out on a terminal.
      var request = request
      if isTable { request.columns.append(.kind) }
      try rows(request) { values in
        count += 1
        var row = zip(values, forms).map { value, form in
          isTable && form == .mode ? ModeText.cell(value) : Cell(value, form)
        }
        if let shownPath, let relative, case .text(let path) = values[shownPath] {
          row[shownPath] = .text(bytes: relative.shown(path))
        }
        try printer.print(row, emphasis: isTable ? values.last.flatMap(emphasis) : nil)
      }
    }
    try printer.finish()
    return count == 0 ? .nothing : .done
  }

  private static func emphasis(_ kind: ColumnValue) -> Emphasis? {
    switch kind.string {
    case "directory": .blue
    case "package": .magenta
    case "symlink": .cyan
    case "fifo", "socket", "block_device", "character_device": .yellow
    default: nil
    }
  }
}

extension Column {
  init(_ column: EntryColumn) {
    guard column == .path else {
      self.init(column.rawValue, of: column.form)
      return
    }
    self.init(
      column.rawValue, alignment: .leading, shortening: .inMiddle, content: .path,
      base64Key: "path_base64")
  }

  /// A column of values of a form.
  init(_ name: String, of form: ValueForm) {
    switch form {
    case .path: self = .path(name)
    case .text: self = .text(name)
    case .identifier, .number, .bytes, .nanoseconds: self = .number(name)
    default: self.init(name)
    }
  }
}

extension Cell {
  init(_ value: ColumnValue, _ form: ValueForm) {
    switch (value, form) {
    case (.integer(let value), .bytes): self = .byteCount(value)
    case (.integer(let value), .seconds):
      let (nanoseconds, isTooLarge) = value.multipliedReportingOverflow(by: 1_000_000_000)
      self = isTooLarge ? .integer(value) : .timestamp(nanoseconds: nanoseconds)
    case (.integer(let value), .truth): self = .boolean(value != 0)
    default: self.init(value)
    }
  }

  init(_ value: ColumnValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let bytes): self = .text(bytes: bytes)
    }
  }
}

/// Modes as `ls -l` shows them.
enum ModeText {
  static func cell(_ value: ColumnValue) -> Cell {
    value.integer.map { .text(text(UInt32(truncatingIfNeeded: $0))) } ?? .null
  }

  static func text(_ mode: UInt32) -> String {
    let types: [UInt32: Character] = [
      0o040000: "d", 0o120000: "l", 0o010000: "p", 0o140000: "s", 0o060000: "b", 0o020000: "c",
    ]
    var text = String(types[mode & 0o170000] ?? "-")
    for (shift, special, letter) in [
      (UInt32(6), UInt32(0o4000), Character("s")), (3, 0o2000, "s"), (0, 0o1000, "t"),
    ] {
      let bits = mode >> shift
      text.append(bits & 4 != 0 ? "r" : "-")
      text.append(bits & 2 != 0 ? "w" : "-")
      let isExecutable = bits & 1 != 0
      if mode & special != 0 {
        text.append(isExecutable ? String(letter) : letter.uppercased())
      } else {
        text.append(isExecutable ? "x" : "-")
      }
    }
    return text
  }
}

/// Paths as somebody in a directory would type them.
struct RelativePaths {
  private let directory: [UInt8]

  /// Paths below the directory that this process is in.
  init() {
    let path = FilePath(".").absolute.bytes
    directory = path == [UInt8(ascii: "/")] ? path : path + [UInt8(ascii: "/")]
  }

  /// The part of a path below the directory, `.` for the directory itself, and other paths as they are.
  func shown(_ path: [UInt8]) -> [UInt8] {
    if path.starts(with: directory), path.count > directory.count {
      return Array(path.dropFirst(directory.count))
    }
    return path + [UInt8(ascii: "/")] == directory || path == directory ? [UInt8(ascii: ".")] : path
  }
}
