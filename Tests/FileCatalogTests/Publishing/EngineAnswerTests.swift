import Testing

@testable import FileCatalog

@Suite("Answers of engines")
struct EngineAnswerTests {
  /// What an engine's answer is read as, that comes in pieces of so many bytes.
  private func read(
    _ answer: String, of engine: FleetEngine.Name, by count: Int
  ) throws -> (names: [String], rows: [[ColumnValue]]) {
    var reader = try EngineAnswer(of: engine)
    var names: [String] = []
    var rows: [[ColumnValue]] = []
    let bytes = Array(answer.utf8)
    for start in stride(from: 0, to: bytes.count, by: count) {
      try bytes[start..<min(start + count, bytes.count)].withUnsafeBytes { piece in
        try reader.read(piece, names: { names = $0 }, row: { rows.append($0) })
      }
    }
    try reader.finish(names: { names = $0 }, row: { rows.append($0) })
    #expect(reader.isComplete)
    return (names, rows)
  }

  @Test("end with a line, whether that is ended or not", arguments: ["", "\n"], [1, 7, 4096])
  func lastLine(_ end: String, _ count: Int) throws {
    for (engine, answer) in [
      (.duckdb, "[\"a\",\"b\"]\n{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":null}"),
      (.chdb, "[\"a\", \"b\"]\n[1, \"x\"]\n[2, null]"),
      (
        .spark,
        """
        \(EngineAnswer.namesMark)
        a   \tbigint\t
        b\tstring\t
        \(EngineAnswer.rowsMark)
        {"a":1,"b":"x"}
        {"a":2,"b":null}
        """
      ),
    ] as [(FleetEngine.Name, String)] {
      let (names, rows) = try read(answer + end, of: engine, by: count)
      #expect(names == ["a", "b"], "\(engine)")
      #expect(
        rows == [[.integer(1), .text(Array("x".utf8))], [.integer(2), .null]], "\(engine)")
    }
  }
}
