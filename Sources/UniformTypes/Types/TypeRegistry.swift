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
  /// - Complexity: Computed anew each time, over the whole table: a fraction of a millisecond.
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
      let tag = RankedTag(
        tagClass: UniformType.TagClass(record.tagClass), tag: storage.pool.string(record.text),
        rank: Int(record.place))
      return seen.insert(tag).inserted ? tag : nil
    }
  }
}

extension TypeRegistry {
  /// A tag of a type and its place among the types that share the tag.
  public struct RankedTag: Hashable, Sendable {
    /// The class of the tag.
    public let tagClass: UniformType.TagClass
    /// The tag as declared.
    public let tag: String
    /// 0 for the type that the tag means, 1 for the next one.
    public let rank: Int
  }

  /// A tag that several types claim, and who has it.
  public struct TagConflict: Hashable, Sendable, CustomStringConvertible {
    /// How the winner was found.
    public enum Decision: Hashable, Sendable {
      /// The winner's layer has more authority.
      case layer
      /// The table ranks the types.
      case rank
      /// Nothing but the order of declaration: worth a look.
      case order
    }

    /// The class of the tag.
    public let tagClass: UniformType.TagClass
    /// The tag.
    public let tag: String
    /// The identifiers of the types, the one that has the tag first.
    public let identifiers: [String]
    /// How the first one was chosen over the second.
    public let decision: Decision

    /// One line for a terminal.
    public var description: String {
      let how =
        switch decision {
        case .layer: "by authority"
        case .rank: "by rank"
        case .order: "by order of declaration only"
        }
      let others = identifiers.dropFirst().joined(separator: ", ")
      return "\(tag) means \(identifiers.first ?? "nothing") (\(how)), not \(others)"
    }
  }

  /// The tags that several types of the same kind claim. Files and directories do not compete: a
  /// flat `.pages` file and a `.pages` package live side by side.
  public var conflicts: [TagConflict] {
    var result: [TagConflict] = []
    for (position, tag) in storage.tags.enumerated() where tag.isFirst {
      let chain = storage.chain(from: Int32(position))
      guard chain.count > 1 else { continue }
      for trait in [TypeTraits.file, .directory] {
        let rivals = chain.filter { storage.types[$0.type.position].traits.contains(trait) }
        guard rivals.count > 1 else { continue }
        let conflict = TagConflict(
          tagClass: UniformType.TagClass(tag.tagClass), tag: storage.pool.string(tag.text),
          identifiers: rivals.map { storage.identifier(of: $0.type) },
          decision: Self.decision(rivals[0], rivals[1]))
        if result.last != conflict { result.append(conflict) }
      }
    }
    return result
  }

  private static func decision(_ first: TagRecord, _ second: TagRecord) -> TagConflict.Decision {
    if first.source != second.source { return .layer }
    return first.rank == second.rank ? .order : .rank
  }

  /// Declared identifiers that resemble a text, the nearest first: what to offer when somebody asks
  /// for a type that is not there.
  ///
  /// An identifier that contains the text, or whose last component is near to it, comes before one
  /// that only takes a few edits as a whole. When none is near, the three nearest are given all the
  /// same; only empty text resembles nothing.
  ///
  /// - Complexity: Edit distance against all identifiers; for messages, not for loops.
  public func identifiers(resembling text: String, limit: Int = 5) -> [String] {
    let wanted = Array(text.lowercased().utf8.prefix(128))
    guard !wanted.isEmpty else { return [] }
    var scored: [(score: Int, identifier: String)] = []
    for position in storage.types.indices {
      let identifier = storage.pool.string(storage.types[position].identifier)
      let whole = Array(identifier.utf8.prefix(256))
      let last = Array(whole[((whole.lastIndex(of: UInt8(ascii: ".")) ?? -1) + 1)...])
      var score = min(
        Self.editDistance(wanted, whole), Self.editDistance(wanted, last) + 1)
      if identifier.contains(text.lowercased()) { score = min(score, 1) }
      scored.append((score, identifier))
    }
    scored.sort {
      ($0.score, $0.identifier.utf8.count, $0.identifier)
        < ($1.score, $1.identifier.utf8.count, $1.identifier)
    }
    let near = scored.prefix { $0.score <= max(2, wanted.count / 3) }
    return (near.isEmpty ? scored.prefix(3) : near).prefix(limit).map(\.identifier)
  }

  /// The number of insertions, deletions and replacements between two byte strings (Levenshtein).
  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (leftIndex, leftByte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = leftIndex + 1
      for (rightIndex, rightByte) in right.enumerated() {
        let replaced = diagonal + (leftByte == rightByte ? 0 : 1)
        diagonal = row[rightIndex + 1]
        row[rightIndex + 1] = min(replaced, diagonal + 1, row[rightIndex] + 1)
      }
    }
    return row[right.count]
  }
}
