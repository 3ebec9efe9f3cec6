import Console
import UniformTypes

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
        ? "no type \(Self.shown(identifier)) is declared; see: filecat types list"
        : "no type \(Self.shown(identifier)) is declared; nearest: "
          + nearest.joined(separator: ", ")
    case .malformed(let identifier, let error):
      "\(Self.shown(identifier)) is no dynamic identifier: \(error)"
    case .invalidExtension(let text):
      "\(Self.shown(text)) cannot be an extension; write it without the dot, as in: jpg, tar.gz"
    case .invalidMIMEType(let text):
      "\(Self.shown(text)) is no MIME type; write it as in: image/jpeg"
    }
  }

  private static func shown(_ text: String) -> String {
    "“\(DisplayText(escaping: Array(text.utf8)).string)”"
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
