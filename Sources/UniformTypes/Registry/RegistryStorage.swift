/// Everything a registry knows, built once and never changed.
final class RegistryStorage: Sendable {
  let pool: TextPool
  let types: [TypeRecord]
  /// Direct supertypes of all types, in declaration order.
  let parentPool: [TypeIndex]
  /// All supertypes of all types without the type itself, sorted.
  let ancestorPool: [TypeIndex]
  /// Tags grouped by type, in order of preference.
  let tags: [TagRecord]
  let identifierIndex: TextIndex
  /// For each tag class, the first tag record of each text.
  let tagIndexes: [TextIndex]
  let nameTable: NameTable
  let wellKnown: WellKnownIndexes
  let diagnostics: [TypeDiagnostic]

  init(
    parts: RegistryBuilder.Parts, nameTable: NameTable, wellKnown: WellKnownIndexes,
    diagnostics: [TypeDiagnostic]
  ) {
    pool = parts.pool
    types = parts.types
    parentPool = parts.parentPool
    ancestorPool = parts.ancestorPool
    tags = parts.tags
    identifierIndex = parts.identifierIndex
    tagIndexes = parts.tagIndexes
    self.nameTable = nameTable
    self.wellKnown = wellKnown
    self.diagnostics = diagnostics
  }

  // MARK: - Types

  func index(ofIdentifier identifier: String) -> TypeIndex? {
    identifierIndex.value(for: identifier, in: pool).map { TypeIndex(Int($0)) }
  }

  func identifier(of index: TypeIndex) -> String {
    pool.string(types[index.position].identifier)
  }

  func parents(of index: TypeIndex) -> ArraySlice<TypeIndex> {
    parentPool[types[index.position].parents.range]
  }

  func ancestors(of index: TypeIndex) -> ArraySlice<TypeIndex> {
    ancestorPool[types[index.position].ancestors.range]
  }

  /// Whether a type is another one or has it among its supertypes. O(log n) in the number of
  /// supertypes, which is about four.
  func conforms(_ index: TypeIndex, to other: TypeIndex) -> Bool {
    if index == other { return true }
    var low = types[index.position].ancestors.range.lowerBound
    var high = types[index.position].ancestors.range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if ancestorPool[middle] == other { return true }
      if ancestorPool[middle] < other { low = middle + 1 } else { high = middle }
    }
    return false
  }

  // MARK: - Tags

  func tags(of index: TypeIndex) -> ArraySlice<TagRecord> {
    tags[types[index.position].tags.range]
  }

  /// The types carrying a tag, the preferred one first.
  func types(tag: String, kind: TagKind) -> [TypeIndex] {
    guard let first = tagIndexes[Int(kind.rawValue)].value(for: tag, in: pool) else { return [] }
    return chain(from: Int32(first)).map(\.type)
  }

  /// The tag records that share class and text with the first one, the preferred one first.
  func chain(from first: Int32) -> [TagRecord] {
    var records: [TagRecord] = []
    var next = first
    while next >= 0 {
      records.append(tags[Int(next)])
      next = tags[Int(next)].next
    }
    return records
  }
}

/// The types that lookups answer with when a name says nothing.
struct WellKnownIndexes: Sendable {
  private let byClass: [TypeIndex]

  init(_ index: (String) -> TypeIndex?) {
    byClass = EntryClass.allCases.map { index($0.fallbackIdentifier) ?? .none }
  }

  subscript(_ entryClass: EntryClass) -> TypeIndex { byClass[Int(entryClass.rawValue)] }

  var all: [TypeIndex] { byClass }
}
