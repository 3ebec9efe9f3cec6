/// A type is encoded as its identifier, a single string.
extension UniformType: Codable {
  /// Decodes an identifier and looks it up in the built-in table.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for an identifier that is neither declared there nor a
  ///   dynamic one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let identifier = try container.decode(String.self)
    guard let type = TypeRegistry.builtIn.type(identifier: identifier) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no uniform type is declared as '\(identifier)'")
    }
    self = type
  }

  /// Encodes the identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
