/// A set of type declarations and the questions it answers.
///
/// A registry is a value that never changes; copies share their storage. The built-in one is always
/// there; one with the user's and the system's declarations is loaded from directories:
///
///     let registry = TypeRegistry(declarationDirectories: [configuration])
///     registry.type(filenameExtension: "jpg")?.conforms(to: .image)  // true
///
/// Layers by authority: the user's declarations, the built-in table, shared-mime-info, dynamic
/// types. Within a layer an explicit rank in the table decides, then the order of declaration.
public struct TypeRegistry: Sendable {
  let storage: RegistryStorage

  init(storage: RegistryStorage) {
    self.storage = storage
  }

  /// The table compiled into the library, and nothing else. Read on first use, in about a
  /// millisecond.
  public static let builtIn = TypeRegistry(storage: TypeTableParser.builtIn().finish())

  /// The number of declared types.
  public var count: Int { storage.types.count }

  /// All declared types, the built-in ones first, in a stable order.
  public var types: [UniformType] {
    indices.map { type(at: $0) }
  }

  /// The positions of all declared types.
  public var indices: [TypeIndex] {
    storage.types.indices.map { TypeIndex($0) }
  }

  /// What was wrong with the declarations that were loaded; empty for the built-in registry.
  public var diagnostics: [TypeDiagnostic] { storage.diagnostics }

  /// A stable 64-bit hash (FNV-1a) of everything that can change an answer: identifiers,
  /// supertypes, tags with their ranks, package rules. Equal on every machine for equal tables.
  ///
  /// - Complexity: computed anew each time, over the whole table: a fraction of a millisecond.
  public var fingerprint: UInt64 { Fingerprint.of(storage) }

  // MARK: - Types

  /// The type at a position of this registry. `TypeIndex.none` gives `public.data`.
  public func type(at index: TypeIndex) -> UniformType {
    guard index.position < storage.types.count else {
      return UniformType(storage: storage, declared: storage.wellKnown[.file])
    }
    return UniformType(storage: storage, declared: index)
  }

  /// The type with an identifier, upper and lower case alike. A well-formed dynamic identifier
  /// gives a dynamic type; an identifier nobody declares gives `nil`.
  public func type(identifier: String) -> UniformType? {
    if let index = storage.index(ofIdentifier: identifier) { return type(at: index) }
    guard let dynamic = try? DynamicIdentifier(parsing: identifier) else { return nil }
    return UniformType(storage: storage, dynamic: dynamic)
  }

  /// The position of a type in this registry, or `nil` if it is not declared here.
  public func index(of type: UniformType) -> TypeIndex? {
    if type.storage === storage, case .declared(let index) = type.form { return index }
    return storage.index(ofIdentifier: type.identifier)
  }

  // MARK: - Tables for catalogs

  /// The direct supertypes of a type, in the order of its declaration.
  public func parents(of index: TypeIndex) -> [TypeIndex] {
    Array(storage.parents(of: index))
  }

  /// All supertypes of a type, direct and indirect, without itself, sorted by position.
  public func ancestors(of index: TypeIndex) -> [TypeIndex] {
    Array(storage.ancestors(of: index))
  }

  /// The tags of a type in order of preference, with the class they belong to and their rank among
  /// the types that share them: 0 is the type that the tag means.
  public func rankedTags(of index: TypeIndex) -> [RankedTag] {
    var seen: Set<RankedTag> = []
    return storage.tags(of: index).compactMap { record in
      let text = storage.pool.string(record.text)
      let sharers = storage.types(tag: text, kind: record.tagClass)
      let tag = RankedTag(
        tagClass: UniformType.TagClass(record.tagClass), tag: text,
        rank: sharers.firstIndex(of: index) ?? 0)
      return seen.insert(tag).inserted ? tag : nil
    }
  }
}

/// A tag of a type and its place among the types that share the tag.
public struct RankedTag: Hashable, Sendable {
  /// The class of the tag.
  public let tagClass: UniformType.TagClass
  /// The tag as declared.
  public let tag: String
  /// 0 for the type that the tag means, 1 for the next one.
  public let rank: Int
}
