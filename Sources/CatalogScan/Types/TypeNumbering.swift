internal import CatalogStore
package import FileSystem
package import UniformTypes

/// The numbers that a catalog gives to types: built-in ones have theirs from the library, all others
/// get one on first sight and keep it.
///
/// Shared by the walking threads, which ask about names that nobody declares; everything else never
/// changes.
package final class TypeNumbering: Sendable {
  private let layers: TypeLayers
  private let numbers: [Int32]
  private let assigned: Monitor<Assigned>

  /// What the catalog knows beyond the declared types.
  package struct Assigned {
    /// The numbers of all identifiers that ever had one.
    package var numbers: [String: Int32] = [:]
    /// Dynamic types that the catalog has, or that were added.
    package var dynamic: Set<String> = []
    /// What the system's layer said so far about rules for names.
    package var rules: [SharedMimeNames.Rule: Int32] = [:]
    package var next: Int32
    /// What the catalog does not have yet.
    package var added = AddedTypes()
  }

  /// Types and rules that were met for the first time.
  package struct AddedTypes {
    package var types: [(type: UniformType, number: Int32)] = []
    package var rules: [(rule: SharedMimeNames.Rule, number: Int32)] = []
  }

  /// - Parameter numbers: by position in the registry `layers.declared`.
  package init(layers: TypeLayers, numbers: [Int32], assigned: Assigned) {
    self.layers = layers
    self.numbers = numbers
    self.assigned = Monitor(assigned)
  }

  /// For walks that only tell packages from directories: no type has a number.
  package static func kindsOnly(_ sources: TypeSources) -> TypeNumbering {
    // Files may have any type then, so there is no need to ask the system about theirs.
    let layers = TypeLayers(TypeSources(declarationDirectories: sources.declarationDirectories))
    return TypeNumbering(
      layers: layers, numbers: Array(repeating: 0, count: layers.declared.count),
      assigned: Assigned(next: 0))
  }

  /// For walks that go to no catalog: types have the numbers that a new catalog would give them.
  package static func unstored(_ sources: TypeSources) -> TypeNumbering {
    let layers = TypeLayers(sources)
    var assigned = Assigned(next: UniformType.builtInIDs.upperBound + 1)
    let numbers = layers.declared.types.map { assigned.numberDeclared($0) }
    return TypeNumbering(layers: layers, numbers: numbers, assigned: assigned)
  }

  /// The types that decide by name.
  package var registry: TypeRegistry { layers.declared }

  @inline(__always)
  package func number(of index: TypeIndex) -> Int32 { numbers[index.position] }

  /// The number of a type that names may not lead to; 0 if nobody declares it.
  package func number(ofIdentifier identifier: String) -> Int32 {
    registry.type(identifier: identifier).flatMap { registry.index(of: $0) }
      .map { number(of: $0) } ?? 0
  }

  /// The positions of the declared types by their numbers: the way back. Made anew each time.
  package var positions: [Int32: TypeIndex] {
    Dictionary(zip(numbers, registry.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The number of the type of a root, which is entered even if it is a package.
  package func number(ofRoot status: FileStatus) -> Int32 {
    let entryClass: EntryClass = status.isMountRoot ? .volume : .directory
    return number(ofIdentifier: entryClass.fallbackIdentifier)
  }

  // MARK: - Undeclared names

  /// The names that the system knows; `nil` where it has no layer of types.
  package var systemNames: SharedMimeNames? { layers.systemNames }

  /// The number of the type that the system gives to all names of a rule; `nil` if it has none.
  package func number(ofSystemRule rule: SharedMimeNames.Rule) -> Int32? {
    assigned.withLock { state in
      if let number = state.rules[rule] { return number }
      guard let type = layers.systemType(of: rule) else { return nil }
      let number = state.number(of: type)
      state.rules[rule] = number
      state.added.rules.append((rule, number))
      return number
    }
  }

  /// The number of the type of an extension that no layer declares.
  package func number(
    ofDynamicExtension bytes: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> Int32 {
    let type = registry.dynamicType(forExtension: bytes, as: entryClass)
    return assigned.withLock { state in
      if state.dynamic.contains(type.identifier), let number = state.numbers[type.identifier] {
        return number
      }
      state.dynamic.insert(type.identifier)
      return state.number(of: type)
    }
  }

  /// Reads the system's layer, beside whatever else is going on.
  package func prefetchSystem() { layers.prefetch() }

  /// What was met for the first time since the last call.
  package func takeAdded() -> AddedTypes {
    assigned.withLock { state in
      defer { state.added = AddedTypes() }
      return state.added
    }
  }

  /// The number of a type that has one already.
  package func knownNumber(of type: UniformType) -> Int32? {
    type.builtInID ?? assigned.withLock { $0.numbers[type.identifier] }
  }
}

extension TypeNumbering.Assigned {
  /// The number of a type of the user or of the built-in table.
  mutating func numberDeclared(_ type: UniformType) -> Int32 {
    if let known = type.builtInID ?? numbers[type.identifier] { return known }
    defer { next += 1 }
    numbers[type.identifier] = next
    return next
  }

  /// The number of a type of the system or a dynamic one. It is added with what it conforms to, so
  /// that no row of the catalog refers to a type that is not there.
  fileprivate mutating func number(of type: UniformType) -> Int32 {
    if let number = type.builtInID { return number }
    if type.source < .builtIn, let number = numbers[type.identifier] { return number }
    let number: Int32
    if let known = numbers[type.identifier] {
      number = known
    } else {
      number = next
      next += 1
      numbers[type.identifier] = number
    }
    if !added.types.contains(where: { $0.number == number }) {
      added.types.append((type, number))
      for supertype in type.supertypes { _ = self.number(of: supertype) }
    }
    return number
  }
}
