import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesTreeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "tree", abstract: "Show what conforms to a type, as a tree.",
    discussion: """
      A type that conforms to several others stands below each of them; what is below it is listed \
      the first time only.
      """)

  @OptionGroup var output: OutputOptions

  @Flag(help: "Show what the type conforms to instead.")
  var supertypes = false

  @Argument(help: ArgumentHelp("The identifier, such as public.image.", valueName: "id"))
  var identifier: String

  private static let columns: [Column] = [
    .text("identifier", title: "TYPE"), .number("depth"), .text("parent"), .text("description"),
    .text("source"),
  ]

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    let root = try registry.requireType(identifier)
    let isTable = output.format(piped: .tsv) == .table
    var printer = output.printer(
      isTable ? [Self.columns[0], Self.columns[3]] : Self.columns, piped: .tsv)
    for node in TypeTree(of: root, direction: supertypes ? .supertypes : .subtypes).nodes {
      let name = node.type.identifier
      let description = TypeField.description.cell(of: node.type)
      if isTable {
        let indentation = String(repeating: "  ", count: node.depth)
        try printer.print([.text(indentation + name), description])
      } else {
        try printer.print([
          .text(name), .integer(Int64(node.depth)),
          node.parent.map { .text($0.identifier) } ?? .null, description,
          .text(node.type.source.name),
        ])
      }
    }
    try printer.finish()
    return .done
  }
}

/// A type with everything below or above it, in the order in which a tree is printed.
struct TypeTree {
  enum Direction {
    case subtypes
    case supertypes
  }

  struct Node {
    let type: UniformType
    let parent: UniformType?
    let depth: Int
  }

  private(set) var nodes: [Node] = []

  init(of root: UniformType, direction: Direction) {
    let next: (UniformType) -> [UniformType]
    switch direction {
    case .supertypes:
      next = { $0.directSupertypes }
    case .subtypes:
      var children: [UniformType: [UniformType]] = [:]
      for type in root.registry.types {
        for parent in type.directSupertypes { children[parent, default: []].append(type) }
      }
      next = { [children] in
        (children[$0] ?? []).sorted { $0.identifier < $1.identifier }
      }
    }
    var expanded: Set<UniformType> = []
    var stack = [Node(type: root, parent: nil, depth: 0)]
    while let node = stack.popLast() {
      nodes.append(node)
      guard expanded.insert(node.type).inserted else { continue }
      stack += next(node.type).reversed().map {
        Node(type: $0, parent: node.type, depth: node.depth + 1)
      }
    }
  }
}
