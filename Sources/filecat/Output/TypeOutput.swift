import Console
import UniformTypes

/// What is told of a type, named as in JSON.
enum TypeField: String, CaseIterable {
  case identifier, description, supertypes, extensions
  case mimeTypes = "mime_types"
  case isPackage = "is_package"
  case isDynamic = "is_dynamic"
  case source

  var column: Column {
    switch self {
    case .isPackage, .isDynamic: Column(rawValue)
    default: .text(rawValue)
    }
  }

  func cell(of type: UniformType) -> Cell {
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

/// Prints one type.
enum TypeOutput {
  static func print(_ type: UniformType, _ output: OutputOptions) throws {
    switch output.format(piped: .tsv) {
    case .table: try printLines(type, output)
    // One type is one object, not an array of one.
    case .json: try printRow(type, .ndjson)
    case let format: try printRow(type, format)
    }
  }

  private static func printLines(_ type: UniformType, _ output: OutputOptions) throws {
    var printer = output.printer([.text("property"), .text("value")], piped: .table)
    for field in TypeField.allCases {
      let cell = field.cell(of: type)
      guard cell != .null, cell != .list([]) else { continue }
      try printer.print([.text(field.rawValue), cell])
    }
    try printer.finish()
  }

  private static func printRow(_ type: UniformType, _ format: RowFormat) throws {
    var printer = RowPrinter(
      columns: TypeField.allCases.map(\.column), format: format, sink: .standardOutput,
      terminal: Terminal(descriptor: 1))
    try printer.print(TypeField.allCases.map { $0.cell(of: type) })
    try printer.finish()
  }
}

extension UniformType {
  /// All supertypes, the nearest first.
  var ancestors: [UniformType] {
    var found: [UniformType] = []
    var level = directSupertypes
    while !level.isEmpty {
      let new = level.filter { !found.contains($0) }
      for type in new where !found.contains(type) { found.append(type) }
      level = new.flatMap(\.directSupertypes)
    }
    return found
  }
}
