internal import SQLite

/// Reads what an engine prints: the names of columns, then rows as JSON, one on a line.
struct EngineAnswer {
  /// What Spark is made to print before the names and before the rows.
  static let namesMark = "filecat: names"
  static let rowsMark = "filecat: rows"

  private enum Place {
    case beginning
    case names([String])
    case rows
  }

  private let engine: FleetEngine.Name
  private let db: Connection
  private var lines = LineBuffer()
  private var place = Place.beginning

  init(of engine: FleetEngine.Name) throws {
    self.engine = engine
    db = try Connection.inMemory()
  }

  /// Whether the names of the columns have come, so that rows may be missing and nothing else.
  var isComplete: Bool { if case .rows = place { true } else { false } }

  mutating func read(
    _ bytes: UnsafeRawBufferPointer, names: ([String]) throws -> Void,
    row: ([ColumnValue]) throws -> Void
  ) throws {
    for line in lines.take(bytes) { try read(line, names: names, row: row) }
  }

  /// Reads what is left when the engine has ended: nobody has to end a last line.
  mutating func finish(names: ([String]) throws -> Void, row: ([ColumnValue]) throws -> Void) throws
  {
    for line in lines.takeRest() { try read(line, names: names, row: row) }
  }

  private mutating func read(
    _ line: String, names: ([String]) throws -> Void, row: ([ColumnValue]) throws -> Void
  ) throws {
    switch (place, engine) {
    case (.beginning, .duckdb), (.beginning, .chdb):
      guard let found = try values(of: line) else { return }
      place = .rows
      try names(found.map { $0.string ?? "" })
    case (.beginning, .spark):
      if line == Self.namesMark { place = .names([]) }
    case (.names(let found), _):
      if line == Self.rowsMark {
        place = .rows
        try names(found)
      } else {
        // Spark fills them up to a width with spaces.
        let name = line.prefix { $0 != "\t" }
        let end = name.lastIndex { $0 != " " }.map { name.index(after: $0) } ?? name.startIndex
        place = .names(found + [String(name[..<end])])
      }
    case (.rows, _):
      // Whatever else an engine has to say is no JSON.
      if let values = try values(of: line) { try row(values) }
    }
  }

  /// The members of an array or an object, in their order; `nil` for anything else.
  private func values(of line: String) throws -> [ColumnValue]? {
    guard line.hasPrefix("{") || line.hasPrefix("[") else { return nil }
    var values: [ColumnValue] = []
    let members = SQL("SELECT type, value FROM json_each(?)", [.text(line)])
    try db.forEach(cached: members) { row in
      switch row.text(0) {
      case "null": values.append(.null)
      case "true", "false": values.append(.integer(row.integer(1)))
      default: values.append(row.value(1))
      }
    }
    return values
  }
}

/// What an engine says beside its answer.
struct EngineMessages {
  private var lines = LineBuffer(separators: [UInt8(ascii: "\n"), UInt8(ascii: "\r")])
  /// The first line with an error says what is wrong; a trace of calls follows.
  private var error: (line: String, rank: Int)?
  private var last: String?

  mutating func read(_ bytes: UnsafeRawBufferPointer, _ progress: (FleetEngine.Progress) -> Void) {
    for line in lines.take(bytes) {
      if let step = FleetEngine.Progress(ofSpark: line) {
        progress(step)
      } else {
        note(line)
      }
    }
  }

  private mutating func note(_ line: String) {
    guard let start = line.firstIndex(where: { !$0.isWhitespace }) else { return }
    let line = String(line[start...])
    last = line
    guard let rank = Self.rank(of: line), rank < error?.rank ?? .max else { return }
    error = (line, rank)
  }

  /// How well a line says what is wrong; `nil` where it does not. Spark's own errors begin with a code.
  private static func rank(of line: String) -> Int? {
    if line.hasPrefix("["), line.dropFirst().first?.isUppercase == true { return 0 }
    return ["Error: ", "Exception: ", "DB::Exception"].contains { line.contains($0) } ? 1 : nil
  }

  /// Why the engine has ended with a status, in one line.
  mutating func reason(_ status: Int32) -> String {
    for line in lines.takeRest() { note(line) }
    return error?.line ?? last ?? "it ended with status \(status)"
  }
}

extension FleetEngine.Progress {
  /// Reads `[Stage 3:====>   (12 + 2) / 40]`; `nil` for anything else. Of several stages the first is told.
  fileprivate init?(ofSpark line: String) {
    guard line.contains("[Stage ") else { return nil }
    let numbers = line.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count >= 4 else { return nil }
    self.init(stage: numbers[0], done: numbers[1], count: numbers[3])
  }
}

/// Cuts bytes into lines.
private struct LineBuffer {
  var separators: [UInt8] = [UInt8(ascii: "\n")]
  private var rest: [UInt8] = []

  init(separators: [UInt8] = [UInt8(ascii: "\n")]) { self.separators = separators }

  /// The lines that have come to their end.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if separators.contains(byte) {
        lines.append(String(decoding: rest, as: UTF8.self))
        rest.removeAll(keepingCapacity: true)
      } else {
        rest.append(byte)
      }
    }
    return lines
  }

  mutating func takeRest() -> [String] {
    defer { rest = [] }
    return rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]
  }
}
