/// Everything a registry knows, built once and never changed.
final class RegistryStorage: Sendable {
  private let tables: TypeTables
  let nameTable: NameTable
  let wellKnown: WellKnownIndexes
  let diagnostics: [TypeDiagnostic]

  init(
    tables: TypeTables, nameTable: NameTable, wellKnown: WellKnownIndexes,
    diagnostics: [TypeDiagnostic]
  ) {
    self.tables = tables
    self.nameTable = nameTable
    self.wellKnown = wellKnown
    self.diagnostics = diagnostics
  }

  var pool: TextPool { tables.pool }
  var types: [TypeRecord] { tables.types }
  /// Direct supertypes of all types, in the order of their declarations.
  var parentPool: [TypeIndex] { tables.parentPool }
  /// Tags grouped by type, in order of preference.
  var tags: [TagRecord] { tables.tags }

  // MARK: - Types

  func index(ofIdentifier identifier: String) -> TypeIndex? {
    tables.identifierIndex.value(for: identifier, in: pool).map { TypeIndex(Int($0)) }
  }

  func identifier(of index: TypeIndex) -> String {
    pool.string(types[index.position].identifier)
  }

  func parents(of index: TypeIndex) -> ArraySlice<TypeIndex> {
    parentPool[types[index.position].parents.range]
  }

  func ancestors(of index: TypeIndex) -> ArraySlice<TypeIndex> {
    tables.ancestorPool[types[index.position].ancestors.range]
  }

  /// Whether a type is another one or has it among its supertypes. O(log n) in the number of
  /// supertypes, which is about four.
  func conforms(_ index: TypeIndex, to other: TypeIndex) -> Bool {
    if index == other { return true }
    var low = types[index.position].ancestors.range.lowerBound
    var high = types[index.position].ancestors.range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if tables.ancestorPool[middle] == other { return true }
      if tables.ancestorPool[middle] < other { low = middle + 1 } else { high = middle }
    }
    return false
  }

  // MARK: - Tags

  func tags(of index: TypeIndex) -> ArraySlice<TagRecord> {
    tags[types[index.position].tags.range]
  }

  /// The types carrying a tag, the preferred one first.
  func types(tag: String, kind: TagKind) -> [TypeIndex] {
    guard let first = tables.tagIndexes[Int(kind.rawValue)].value(for: tag, in: pool) else {
      return []
    }
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

/// A number that changes when the answers of a registry may change.
enum Fingerprint {
  /// Hashes identifiers, supertypes, tags in order of preference, evidence and packages, but not
  /// descriptions, which no stored row depends on.
  static func of(_ storage: RegistryStorage) -> UInt64 {
    var hasher = FingerprintHasher()
    for record in storage.types {
      hasher.combine(storage.pool.slice(record.identifier))
      hasher.combine(storage.pool.slice(record.evidence))
      hasher.combine(record.traits.rawValue)
      for parent in storage.parentPool[record.parents.range] {
        hasher.combine(parent.rawValue)
      }
      for tag in storage.tags[record.tags.range] {
        hasher.combine(tag.tagClass.rawValue)
        hasher.combine(tag.priority)
        hasher.combine(storage.pool.slice(tag.text))
      }
    }
    return hasher.value
  }
}

/// The stable 64-bit hash behind registry fingerprints: FNV-1a fed piece by piece.
struct FingerprintHasher {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    // A separator that no UTF-8 text contains, so that "ab","c" differs from "a","bc".
    value = (value ^ 0xff) &* 0x0000_0100_0000_01b3
  }

  mutating func combine(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian) { combine($0) }
  }
}
