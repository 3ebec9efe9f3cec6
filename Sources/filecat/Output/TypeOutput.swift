import Console
import FileCatalog
import UniformTypes

/// Prints one type.
enum TypeOutput {
  static func print(_ type: UniformType, _ output: OutputOptions) throws {
    if output.format(piped: .tsv) == .table {
      try printLines(type, output)
    } else {
      try printRow(type, output)
    }
  }

  private static func printLines(_ type: UniformType, _ output: OutputOptions) throws {
    var printer = output.printer(
      [Column("property"), Column("value", alignment: .leading)], piped: .table)
    for field in TypeField.allCases {
      let cell = field.cell(of: type)
      guard cell != .null, cell != .list([]) else { continue }
      try printer.print([.text(field.rawValue), cell])
    }
    try printer.finish()
  }

  private static func printRow(_ type: UniformType, _ output: OutputOptions) throws {
    // One type is one object, not an array of one.
    var printer = output.printer(
      TypeField.allCases.map(\.column), piped: .tsv, objects: .lines)
    try printer.print(TypeField.allCases.map { $0.cell(of: type) })
    try printer.finish()
  }
}

/// A question about a type that has no answer.
enum TypeLookupError: Error, CustomStringConvertible {
  /// Nobody declares the identifier.
  case unknown(String, nearest: [String])
  /// The identifier begins as a dynamic one and is none.
  case malformed(String, DynamicIdentifier.ParsingError)
  case invalidExtension(String)
  case invalidMIMEType(String)

  var outcome: Outcome {
    switch self {
    case .unknown: .nothing
    case .malformed, .invalidExtension, .invalidMIMEType: .usage
    }
  }

  /// One line that says what to do.
  var description: String {
    switch self {
    case .unknown(let identifier, let nearest):
      nearest.isEmpty
        ? "no type “\(identifier)” is declared; see: filecat types list"
        : "no type “\(identifier)” is declared; nearest: "
          + nearest.joined(separator: ", ")
    case .malformed(let identifier, let error):
      "“\(identifier)” is no dynamic identifier: \(error)"
    case .invalidExtension(let text):
      "“\(text)” cannot be an extension; write it without the dot, as in: jpg, tar.gz"
    case .invalidMIMEType(let text):
      "“\(text)” is no MIME type; write it as in: image/jpeg"
    }
  }
}

extension TypeSources {
  /// All layers, once the files that are left out have been named on standard error.
  func reportedTypes() -> TypeRegistry {
    let registry = allTypes()
    Message.print(leftOut: registry.diagnostics)
    return registry
  }
}

extension TypeRegistry {
  /// The type with an identifier, or an error that names similar ones.
  func requireType(_ identifier: String) throws(TypeLookupError) -> UniformType {
    if let type = type(identifier: identifier) { return type }
    if identifier.lowercased().hasPrefix("dyn.") {
      do throws(DynamicIdentifier.ParsingError) {
        _ = try DynamicIdentifier(parsing: identifier)
      } catch {
        throw .malformed(identifier, error)
      }
    }
    throw .unknown(identifier, nearest: identifiers(resembling: identifier))
  }
}
