import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage
import UniformTypes

/// The group of commands about uniform types. None needs a catalog.
struct TypesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "types", _superCommandName: FileCat.name,
    abstract: "Ask about uniform types, and declare your own.",
    discussion: """
      Types come from your own declarations (types.d in filecat's configuration directory), from the \
      built-in table and from the system's shared-mime-info, in this order. A catalog takes up \
      changed declarations with the next scan.
      """,
    subcommands: [
      TypesListCommand.self, TypesShowCommand.self, TypesOfCommand.self,
      TypesExtensionCommand.self, TypesMimeCommand.self, TypesConformsCommand.self,
      TypesTreeCommand.self, TypesImportCommand.self, TypesCheckCommand.self,
    ])
}

struct TypesListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the declared types of all layers.")

  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp("Only types that conform to this one.", valueName: "id"),
    completion: .types)
  var conformingTo: String?

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.reportedTypes()
    let ancestor = try conformingTo.map { try registry.requireType($0) }
    let types = registry.types.filter { type in ancestor.map { type.conforms(to: $0) } ?? true }
      .sorted { $0.identifier < $1.identifier }
    let format = output.format(piped: .tsv)
    let fields: [TypeField] =
      format == .table ? [.identifier, .description, .extensions, .source] : TypeField.allCases
    var rows = RowList(fields.map(\.column))
    for type in types { rows.append(fields.map { $0.cell(of: type) }) }
    return try rows.print(list, output)
  }
}

struct TypesShowCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a type: what it conforms to, its extensions, its layer.")

  @OptionGroup var output: OutputOptions

  @Argument(
    help: ArgumentHelp("The identifier, such as public.jpeg.", valueName: "id"), completion: .types)
  var identifier: String

  func execute() async throws -> Outcome {
    try TypeOutput.print(try TypeSources.standard.reportedTypes().requireType(identifier), output)
    return .done
  }
}

struct TypesOfCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "of", abstract: "Tell the types of files on the disk.",
    discussion: """
      A type follows from the name, from what the file is (a link, a program, a package) and, with \
      --sniff, from its first 4 KiB where the name does not settle it.
      """)

  @OptionGroup var output: OutputOptions

  @Flag(help: "Read the beginning of files whose names do not settle their types.")
  var sniff = false

  @Argument(help: "The files.", completion: .file())
  var paths: [PathArgument]

  private static let fields: [TypeField] = [
    .identifier, .description, .supertypes, .isPackage, .isDynamic, .source,
  ]

  func execute() async throws -> Outcome {
    let typer = FileTyper(evidence: sniff ? .content : .name)
    Message.print(leftOut: typer.diagnostics)
    let isTable = output.format(piped: .tsv) == .table
    let fields = isTable ? [.identifier, .description] : Self.fields
    var printer = output.printer(
      [.path("path"), .text("kind")] + fields.map(\.column), piped: .tsv)
    var (typed, missing, unreadable) = (0, 0, 0)
    for path in paths {
      let file: FileTyper.TypedFile
      do throws(FileError) {
        file = try typer.type(ofFileAt: path.path)
      } catch {
        // One file that is not there does not keep the others from being looked at.
        Message.print(error)
        if error.errno == .noSuchFileOrDirectory { missing += 1 } else { unreadable += 1 }
        continue
      }
      typed += 1
      try printer.print(
        [.text(bytes: file.path.bytes), .text(file.kind.name)]
          + fields.map { $0.cell(of: file.type) })
    }
    try printer.finish()
    if unreadable > 0 { return typed > 0 ? .incomplete : .failed }
    return missing > 0 ? .nothing : .done
  }
}

struct TypesExtensionCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "extension", abstract: "Show the type that a file name extension means.")

  @OptionGroup var output: OutputOptions

  @Flag(help: "Ask for the type of directories with this extension instead of files.")
  var directory = false

  @Argument(help: ArgumentHelp("The extension without the dot.", valueName: "ext"))
  var filenameExtension: String

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.reportedTypes()
    guard
      let type = registry.type(
        filenameExtension: filenameExtension, conformingTo: directory ? .directory : .data)
    else {
      throw TypeLookupError.invalidExtension(filenameExtension)
    }
    try TypeOutput.print(type, output)
    return .done
  }
}

struct TypesMimeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "mime", abstract: "Show the type that a MIME type means.")

  @OptionGroup var output: OutputOptions

  @Argument(help: ArgumentHelp("The MIME type, such as image/jpeg.", valueName: "type"))
  var mimeType: String

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.reportedTypes()
    guard mimeType.contains("/"),
      let type = registry.type(tag: mimeType, tagClass: .mimeType, conformingTo: nil)
    else {
      throw TypeLookupError.invalidMIMEType(mimeType)
    }
    try TypeOutput.print(type, output)
    return .done
  }
}

struct TypesConformsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "conforms", abstract: "Tell whether a type conforms to another one.",
    discussion: "Exit status 0: it does, or is the same type; 1: it does not.")

  @Argument(help: ArgumentHelp("The type.", valueName: "a"), completion: .types)
  var identifier: String

  @Argument(help: ArgumentHelp("What it may conform to.", valueName: "b"), completion: .types)
  var ancestor: String

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.reportedTypes()
    let type = try registry.requireType(identifier)
    let other = try registry.requireType(ancestor)
    let conforms = type.conforms(to: other)
    try StandardStream.output.print(
      "\(type.identifier) \(conforms ? "conforms" : "does not conform") to \(other.identifier)")
    return conforms ? .done : .nothing
  }
}

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

  @Argument(
    help: ArgumentHelp("The identifier, such as public.image.", valueName: "id"), completion: .types
  )
  var identifier: String

  private static let columns: [Column] = [
    .text("identifier", title: "TYPE"), .number("depth"), .text("parent"), .text("description"),
    .text("source"),
  ]

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.reportedTypes()
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

struct TypesImportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Check a file of type declarations and install it.",
    discussion: """
      The file is a property list or JSON with UTExportedTypeDeclarations, \
      UTImportedTypeDeclarations or CFBundleDocumentTypes, as in Info.plist. An entry that breaks \
      the rules is refused, the others count. Scan again to type what is in a catalog anew.
      """)

  @Flag(help: "Replace an installed file of the same name.")
  var replace = false

  @Argument(help: "The file, .plist or .json.", completion: .file(extensions: ["plist", "json"]))
  var file: PathArgument

  func execute() async throws -> Outcome {
    let installation: TypeSources.Installation
    do throws(TypeInstallationError) {
      installation = try TypeSources.standard.install(
        file.path, existing: replace ? .replaced : .kept)
    } catch {
      for diagnostic in error.diagnostics { Message.print(diagnostic) }
      throw error
    }
    for diagnostic in installation.diagnostics { Message.print(diagnostic) }
    let place = installation.destination.string
    let imported =
      "\(CountText(installation.accepted.count, "declaration", "declarations")) imported"
    var account = Account()
    try account.say {
      try StandardStream.output.print("\(imported) to \(place)")
    }
    return account.outcome(.done, of: imported)
  }
}

struct TypesCheckCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the declarations of all layers.",
    discussion: """
      Lists entries that were refused, and extensions and other tags that several types claim with \
      equal right. --all also lists those where rank, layer or the system decide. Exit status 0: nothing is \
      wrong; 4: something is.
      """)

  @OptionGroup var output: OutputOptions

  @Flag(help: "List tags whose type is decided by rank or layer, too.")
  var all = false

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    var printer = output.printer(
      [.text("problem"), Column("description", alignment: .leading, shortening: .atEnd)],
      piped: .tsv)
    for diagnostic in registry.diagnostics {
      try printer.print([
        diagnostic.isWarning ? "warning" : "refused", .text(Advice.line(for: diagnostic)),
      ])
    }
    let conflicts = registry.conflicts
    let undecided = Set(conflicts.filter { Self.wantsDecision($0, in: registry) })
    for conflict in conflicts where all || undecided.contains(conflict) {
      try printer.print([
        undecided.contains(conflict) ? "conflict" : "decided", .text(conflict.description),
      ])
    }
    try printer.finish()
    return registry.diagnostics.isEmpty && undecided.isEmpty ? .done : .failed
  }

  /// Nobody here can mend what the files of the system disagree about among themselves.
  private static func wantsDecision(_ conflict: TypeRegistry.TagConflict, in registry: TypeRegistry)
    -> Bool
  {
    conflict.decision == .order
      && conflict.identifiers.first.flatMap { registry.type(identifier: $0) }?.source
        != .sharedMimeInfo
  }
}
