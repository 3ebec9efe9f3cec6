package import SystemPackage

/// Decides which declarations of one layer may join the types that are there already.
///
/// A declaration with a reserved identifier, an unknown supertype or a circle among its supertypes
/// is refused, and with it the declarations that depend on it; the others stay. What is refused
/// does not depend on the order of the files.
struct DeclarationValidator {
  /// Whether an identifier is declared in the layers below.
  let isKnown: (String) -> Bool
  /// The direct supertypes that the layers below declare for an identifier.
  let knownParents: (String) -> [String]

  private(set) var diagnostics: [TypeDiagnostic] = []

  init(isKnown: @escaping (String) -> Bool, knownParents: @escaping (String) -> [String]) {
    self.isKnown = isKnown
    self.knownParents = knownParents
  }

  /// The declarations that may be added, in their order.
  mutating func validate(_ declarations: [TypeDeclaration]) -> [TypeDeclaration] {
    var accepted = declarations.compactMap { admitted($0) }
    reportDuplicates(accepted)
    var hasChanged = true
    while hasChanged {
      let count = accepted.count
      accepted = refuseUnknownParents(accepted)
      accepted = refuseCycles(accepted)
      hasChanged = accepted.count != count
    }
    return accepted.map(withDefaultParent)
  }

  private mutating func report(
    _ problem: TypeDiagnostic.Problem, _ declaration: TypeDeclaration, key: String
  ) {
    let keyPath =
      declaration.keyPath.isEmpty ? key : "\(declaration.keyPath).\(key)"
    diagnostics.append(
      TypeDiagnostic(problem: problem, file: declaration.file, keyPath: keyPath))
  }

  // MARK: - Rules

  /// `public.` names belong to Apple. An imported declaration may still add tags to such a type if
  /// the table has it; what it says about supertypes is not needed and not taken.
  private mutating func admitted(_ declaration: TypeDeclaration) -> TypeDeclaration? {
    let identifier = declaration.identifier
    // The system's types join known ones by design, and make up no names of Apple's.
    guard declaration.source <= .userImported else { return declaration }
    if declaration.isPackage, declaration.parents.isEmpty, declaration.tags.isEmpty {
      // LSTypeIsPackage for a type declared elsewhere, maybe further down in the same layer.
      return identifier.hasPrefix("public.") && !isKnown(identifier)
        ? refused(declaration) : declaration
    }
    if identifier.hasPrefix("dyn."), !declaration.isPackage { return refused(declaration) }
    guard identifier.hasPrefix("public.") else { return declaration }
    guard declaration.source == .userImported, isKnown(identifier) else {
      return refused(declaration)
    }
    var tagsOnly = declaration
    tagsOnly.parents = []
    tagsOnly.description = nil
    return tagsOnly
  }

  private mutating func refused(_ declaration: TypeDeclaration) -> TypeDeclaration? {
    report(.reservedIdentifier(declaration.identifier), declaration, key: "UTTypeIdentifier")
    return nil
  }

  private mutating func reportDuplicates(_ declarations: [TypeDeclaration]) {
    var seen: Set<String> = []
    for declaration in declarations
    where !declaration.isPackage && declaration.source <= .userImported {
      if !seen.insert(declaration.identifier).inserted {
        report(
          .duplicateIdentifier(declaration.identifier), declaration, key: "UTTypeIdentifier")
      }
    }
  }

  private mutating func refuseUnknownParents(
    _ declarations: [TypeDeclaration]
  ) -> [TypeDeclaration] {
    let declared = Set(declarations.filter { !$0.isBarePackage }.map(\.identifier))
    var kept: [TypeDeclaration] = []
    for declaration in declarations {
      if declaration.isBarePackage {
        if isKnown(declaration.identifier) || declared.contains(declaration.identifier) {
          kept.append(declaration)
        } else {
          report(
            .unknownParent(
              identifier: "LSTypeIsPackage", parent: declaration.identifier), declaration,
            key: "LSTypeIsPackage")
        }
        continue
      }
      let unknown = declaration.parents.first { !isKnown($0) && !declared.contains($0) }
      if let unknown {
        report(
          .unknownParent(identifier: declaration.identifier, parent: unknown), declaration,
          key: "UTTypeConformsTo")
      } else {
        kept.append(declaration)
      }
    }
    return kept
  }

  private mutating func refuseCycles(_ declarations: [TypeDeclaration]) -> [TypeDeclaration] {
    var parents: [String: [String]] = [:]
    for declaration in declarations {
      parents[declaration.identifier, default: []] += declaration.parents
    }
    var kept: [TypeDeclaration] = []
    for declaration in declarations {
      if !declaration.parents.isEmpty, let path = circle(from: declaration.identifier, parents) {
        report(.cycle(path), declaration, key: "UTTypeConformsTo")
      } else {
        kept.append(declaration)
      }
    }
    return kept
  }

  /// A way from a type over its supertypes back to it.
  private func circle(from start: String, _ parents: [String: [String]]) -> [String]? {
    var previous: [String: String] = [:]
    var queue = [start]
    while let type = queue.popLast() {
      for parent in (parents[type] ?? []) + knownParents(type) {
        if parent == start {
          var path = [start]
          var step = type
          while step != start {
            path.append(step)
            guard let before = previous[step] else { break }
            step = before
          }
          return [start] + path.reversed()
        }
        if previous[parent] == nil {
          previous[parent] = type
          queue.append(parent)
        }
      }
    }
    return nil
  }

  /// A type that says nothing about its supertypes is data, as on Apple's systems.
  private func withDefaultParent(_ declaration: TypeDeclaration) -> TypeDeclaration {
    guard declaration.parents.isEmpty, !isKnown(declaration.identifier),
      !declaration.isBarePackage
    else { return declaration }
    var result = declaration
    result.parents = [declaration.isPackage ? "com.apple.package" : "public.data"]
    return result
  }
}

extension TypeDeclaration {
  /// Says of a type declared elsewhere that it is a package, and nothing else.
  var isBarePackage: Bool { isPackage && parents.isEmpty && tags.isEmpty }
}

/// What a file of type declarations would come to, found out before it is installed.
package struct DeclarationCheck: Sendable {
  /// The identifiers of the entries that count.
  package let accepted: [String]
  /// What is wrong with the file, entry by entry.
  package let diagnostics: [TypeDiagnostic]

  /// Checks the content of one file over the built-in table.
  ///
  /// - Parameters:
  ///   - bytes: A property list or JSON.
  ///   - name: What to call the file in diagnostics.
  ///   - directories: Where the file will be installed; types declared there may be supertypes. A
  ///     file of the same name there does not count, since the new one takes its place.
  package init(of bytes: [UInt8], named name: String, joining directories: [FilePath] = []) {
    var reader = DeclarationReader(file: name)
    reader.read(bytes)
    let fileName = Self.lastComponent(name)
    let others = DeclarationReader.read(directories: directories).declarations
      .filter { Self.lastComponent($0.file) != fileName }
    let view = TypeTableParser.builtIn().view
    var validator = DeclarationValidator(
      isKnown: { view.isKnown($0) }, knownParents: { view.parents(of: $0) })
    accepted = validator.validate(reader.declarations + others)
      .filter { $0.file == name }.map(\.identifier)
    diagnostics = reader.diagnostics + validator.diagnostics.filter { $0.file == name }
  }

  private static func lastComponent(_ path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }
}
