internal import SQLite

extension Catalog {
  /// A report as the statement that any program can run; `nil` where SQL alone cannot tell it.
  package func statement(of request: ReportRequest) async throws -> String? {
    guard request.report.isView else { return nil }
    return try await read { db in
      let columns = request.report.columns.map(\.name)
      return try ReportStatement(db).fragment(
        for: request, columns: request.report.isAboutTime ? nil : columns
      ).literal
    }
  }
}

extension SQL {
  /// The statement with its values in it; `nil` where one has no text.
  fileprivate var literal: String? {
    var literal = ""
    var values = parameters[...]
    var isQuoted = false
    for character in text {
      if character == "'" { isQuoted.toggle() }
      guard character == "?", !isQuoted else {
        literal.append(character)
        continue
      }
      guard let text = values.popFirst()?.literal else { return nil }
      literal += text
    }
    return values.isEmpty ? literal : nil
  }
}

extension Binding {
  fileprivate var literal: String? {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): value.isFinite ? value.description : nil
    case .text(let text): text.contains("\0") ? nil : "'\(text.replacing("'", with: "''"))'"
    case .blob(let bytes): Self.hexadecimal(bytes)
    case .name(let bytes):
      String(validating: bytes, as: UTF8.self).map { Binding.text($0).literal }
        ?? Self.hexadecimal(bytes)
    case .object: nil
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return "x'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
  }
}
