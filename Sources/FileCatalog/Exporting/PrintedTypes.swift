package import Console
package import UniformTypes

/// What is told of a type, named as in JSON.
package enum TypeField: String, CaseIterable {
  case identifier, description, supertypes, extensions
  case mimeTypes = "mime_types"
  case isPackage = "is_package"
  case isDynamic = "is_dynamic"
  case source

  /// The column that it has in a list of types.
  package var column: Column {
    switch self {
    case .isPackage, .isDynamic: Column(rawValue)
    case .identifier, .description: .text(rawValue)
    case .supertypes, .extensions, .mimeTypes, .source: .text(rawValue).whereItFits
    }
  }

  /// The value of a type.
  package func cell(of type: UniformType) -> Cell {
    switch self {
    case .identifier: .text(type.identifier)
    case .description: type.localizedDescription.map { .text($0) } ?? .null
    case .supertypes: .list(type.ancestors.map { .text($0.identifier) })
    case .extensions: Self.list(type, .filenameExtension)
    case .mimeTypes: Self.list(type, .mimeType)
    case .isPackage: .boolean(type.isPackage)
    case .isDynamic: .boolean(type.isDynamic)
    case .source: .text(type.source.name)
    }
  }

  private static func list(_ type: UniformType, _ tagClass: UniformType.TagClass) -> Cell {
    .list((type.tags[tagClass] ?? []).map { .text($0) })
  }
}

extension UniformType {
  /// All supertypes, the nearest first.
  package var ancestors: [UniformType] {
    var found: [UniformType] = []
    var seen: Set<UniformType> = []
    var level = directSupertypes
    while !level.isEmpty {
      let new = level.filter { seen.insert($0).inserted }
      found += new
      level = new.flatMap(\.directSupertypes)
    }
    return found
  }
}
