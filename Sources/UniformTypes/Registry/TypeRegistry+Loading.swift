#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension TypeRegistry {
  /// Loads the user's declarations and the system's over the built-in table.
  ///
  /// Never fails: what cannot be read or breaks the rules is refused and named in `diagnostics`,
  /// the rest counts.
  ///
  /// - Parameters:
  ///   - declarationDirectories: directories with `.plist` and `.json` files in the form of
  ///     Info.plist, the strongest first.
  ///   - mimeDirectories: directories of shared-mime-info (with `globs2`), the strongest first;
  ///     `SharedMimeInfo.systemDirectories()` lists those of the system.
  public init(declarationDirectories: [URL], mimeDirectories: [URL] = []) {
    var builder = TypeTableParser.builtIn()
    let user = DeclarationReader.read(directories: declarationDirectories)
    for diagnostic in user.diagnostics { builder.report(diagnostic) }
    builder.addLayer(user.declarations)
    if !mimeDirectories.isEmpty {
      let mime = SharedMimeInfo(directories: mimeDirectories)
      builder.addLayer(SharedMimeMapping(mime, over: builder.view).declarations())
    }
    self.init(storage: builder.finish())
  }

  /// Loads declarations from the content of one file over the built-in table: for checking a file
  /// before it is installed.
  ///
  /// - Parameters:
  ///   - data: a property list or JSON.
  ///   - name: what to call the file in diagnostics.
  public init(declarations data: Data, named name: String) {
    var builder = TypeTableParser.builtIn()
    var reader = DeclarationReader(file: name)
    reader.read(data)
    for diagnostic in reader.diagnostics { builder.report(diagnostic) }
    builder.addLayer(reader.declarations)
    self.init(storage: builder.finish())
  }
}

extension RegistryBuilder {
  /// Adds the declarations of a layer that pass validation.
  mutating func addLayer(_ declarations: [TypeDeclaration]) {
    let view = self.view
    var validator = DeclarationValidator(
      isKnown: { view.isKnown($0) }, knownParents: { view.parents(of: $0) })
    let valid = validator.validate(declarations)
    for diagnostic in validator.diagnostics { report(diagnostic) }
    reportConflicts(valid)
    for declaration in valid { add(declaration) }
  }

  /// Tags that two declarations of the user claim: a matter of file order, so worth a warning.
  private mutating func reportConflicts(_ declarations: [TypeDeclaration]) {
    var owners: [TypeDeclaration.Tag: TypeDeclaration] = [:]
    for declaration in declarations where declaration.source <= .userImported {
      for tag in declaration.tags {
        guard let owner = owners[tag] else {
          owners[tag] = declaration
          continue
        }
        guard owner.identifier != declaration.identifier, owner.source == declaration.source else {
          continue
        }
        report(
          TypeDiagnostic(
            problem: .conflictingTag(
              tag: tag.text, winner: owner.identifier, loser: declaration.identifier),
            file: declaration.file, keyPath: "\(declaration.keyPath).UTTypeTagSpecification"))
      }
    }
  }

  /// What has been added so far, as identifiers.
  var view: RegistryView { RegistryView(parts: parts, edges: edges) }
}

/// A look at a half-built registry.
struct RegistryView: Sendable {
  private let parts: RegistryBuilder.Parts
  private let parentsByType: [TypeIndex: [Text]]
  private let tagsByText: [TypeDeclaration.Tag: [TagRecord]]

  init(parts: RegistryBuilder.Parts, edges: [(child: TypeIndex, parent: Text)]) {
    self.parts = parts
    var parents: [TypeIndex: [Text]] = [:]
    for edge in edges { parents[edge.child, default: []].append(edge.parent) }
    parentsByType = parents
    var records: [TypeDeclaration.Tag: [TagRecord]] = [:]
    for tag in parts.tags where tag.tagClass == .filenameExtension || tag.tagClass == .mimeType {
      let text = parts.pool.string(tag.text).lowercased()
      records[TypeDeclaration.Tag(text: text, kind: tag.tagClass), default: []].append(tag)
    }
    tagsByText = records
  }

  func isKnown(_ identifier: String) -> Bool {
    parts.identifierIndex.value(for: identifier, in: parts.pool) != nil
  }

  func parents(of identifier: String) -> [String] {
    guard let value = parts.identifierIndex.value(for: identifier, in: parts.pool) else {
      return []
    }
    return (parentsByType[TypeIndex(Int(value))] ?? []).map { parts.pool.string($0) }
  }

  /// Identifiers of the types that carry a tag, the preferred one first.
  func identifiers(tag: String, kind: TagKind) -> [String] {
    let records = tagsByText[TypeDeclaration.Tag(text: tag, kind: kind)] ?? []
    return records.sorted { $0.priority < $1.priority }
      .map { parts.pool.string(parts.types[$0.type.position].identifier) }
  }

  /// Whether a type has another one among its supertypes.
  func conforms(_ identifier: String, to ancestor: String) -> Bool {
    var seen: Set<String> = [identifier]
    var queue = [identifier]
    while let type = queue.popLast() {
      if type == ancestor { return true }
      for parent in parents(of: type) where seen.insert(parent).inserted { queue.append(parent) }
    }
    return false
  }
}
