package import SystemPackage

/// Decides which declarations of one layer may join the types that are there already.
///
/// A declaration with a reserved identifier, an unknown supertype or a circle among its supertypes
/// is refused, and with it the declarations that depend on it; the others stay. What is refused
/// does not depend on the order of the files, unless there is more than there is room for.
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
  ///
  /// - Complexity: linear in what the declarations and the supertypes they lead to are made of; the
  ///   supertypes of all of them together are bounded.
  mutating func validate(_ declarations: [TypeDeclaration]) -> [TypeDeclaration] {
    var accepted = refuseTooManyPatterns(declarations.compactMap { admitted($0) })
    reportDuplicates(accepted)
    accepted = refuseUnknownParents(accepted)
    // One pass of each does: without a circle none can appear, and the same holds for the count of
    // supertypes. Only what depends on the refused is left without its parents.
    accepted = refuseUnknownParents(refuseCycles(accepted))
    accepted = refuseUnknownParents(refuseTooManySupertypes(accepted))
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

  /// Refuses what conforms to a type that nobody declares, and then what conforms to the refused.
  private mutating func refuseUnknownParents(
    _ declarations: [TypeDeclaration]
  ) -> [TypeDeclaration] {
    // How many declarations each identifier has in this layer, and who needs it to be declared.
    var counts: [String: Int] = [:]
    for declaration in declarations where !declaration.isBarePackage {
      counts[declaration.identifier, default: 0] += 1
    }
    var dependents: [String: [Int]] = [:]
    var isKept = [Bool](repeating: true, count: declarations.count)
    var refused: [Int] = []
    for (position, declaration) in declarations.enumerated() {
      var missing: String?
      for name in declaration.needed where !isKnown(name) {
        if counts[name] == nil { missing = missing ?? name }
        dependents[name, default: []].append(position)
      }
      guard let missing else { continue }
      isKept[position] = false
      refused.append(position)
      reportUnknown(missing, neededBy: declaration)
    }
    var next = 0
    while next < refused.count {
      let declaration = declarations[refused[next]]
      next += 1
      guard !declaration.isBarePackage else { continue }
      let name = declaration.identifier
      counts[name, default: 0] -= 1
      guard counts[name] == 0 else { continue }
      for dependent in dependents[name] ?? [] where isKept[dependent] {
        isKept[dependent] = false
        refused.append(dependent)
        reportUnknown(name, neededBy: declarations[dependent])
      }
    }
    return zip(declarations, isKept).filter(\.1).map(\.0)
  }

  private mutating func reportUnknown(_ name: String, neededBy declaration: TypeDeclaration) {
    if declaration.isBarePackage {
      report(
        .unknownParent(identifier: "LSTypeIsPackage", parent: name), declaration,
        key: "LSTypeIsPackage")
    } else {
      report(
        .unknownParent(identifier: declaration.identifier, parent: name), declaration,
        key: "UTTypeConformsTo")
    }
  }

  private mutating func refuseCycles(_ declarations: [TypeDeclaration]) -> [TypeDeclaration] {
    let circles = ConformanceGraph(of: declarations, over: knownParents).circles()
    guard !circles.isEmpty else { return declarations }
    return declarations.filter { declaration in
      guard !declaration.parents.isEmpty, let path = circles[declaration.identifier] else {
        return true
      }
      report(.cycle(path), declaration, key: "UTTypeConformsTo")
      return false
    }
  }

  private mutating func refuseTooManySupertypes(
    _ declarations: [TypeDeclaration]
  ) -> [TypeDeclaration] {
    let excess = ConformanceGraph(of: declarations, over: knownParents).excess()
    guard !excess.isEmpty else { return declarations }
    return declarations.filter { declaration in
      switch excess[declaration.identifier] {
      case nil: return true
      case .tooManySupertypes:
        report(
          .tooManySupertypes(
            identifier: declaration.identifier, limit: ConformanceGraph.mostSupertypes),
          declaration, key: "UTTypeConformsTo")
      case .noRoom: report(.tooManyTypes, declaration, key: "UTTypeConformsTo")
      }
      return false
    }
  }

  private mutating func refuseTooManyPatterns(
    _ declarations: [TypeDeclaration]
  ) -> [TypeDeclaration] {
    var count = 0
    return declarations.filter { declaration in
      let own = declaration.tags.count { $0.kind == .pattern }
      guard own > 0, count + own > TagGrammar.mostPatterns else {
        count += own
        return true
      }
      report(
        .tooManyPatterns(identifier: declaration.identifier, limit: TagGrammar.mostPatterns),
        declaration, key: "UTTypeTagSpecification.pattern")
      return false
    }
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

  /// The identifiers that must be declared for this to make sense.
  fileprivate var needed: [String] { isBarePackage ? [identifier] : parents }
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
