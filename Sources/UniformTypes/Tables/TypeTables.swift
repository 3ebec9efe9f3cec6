/// Where a declaration comes from; the strongest first.
public enum TypeSource: UInt8, Sendable, CaseIterable, Comparable {
  /// The user's declarations, exported: they define the type.
  case userExported
  /// The user's declarations, imported: they describe somebody else's type.
  case userImported
  /// The table compiled into the library.
  case builtIn
  /// The shared-mime-info database of the system.
  case sharedMimeInfo
  /// No declaration: the identifier describes itself.
  case dynamic

  /// Orders by authority, the strongest first.
  public static func < (left: TypeSource, right: TypeSource) -> Bool {
    left.rawValue < right.rawValue
  }

  /// A short word for tables and JSON.
  public var name: String {
    switch self {
    case .userExported, .userImported: "user"
    case .builtIn: "built-in"
    case .sharedMimeInfo: "system"
    case .dynamic: "dynamic"
    }
  }
}

/// Facts about a type that are answered from one byte.
struct TypeTraits: OptionSet, Sendable {
  let rawValue: UInt8

  /// Shown as one item: conforms to com.apple.package or was declared so.
  static let package = TypeTraits(rawValue: 1)
  /// Has the layout of a bundle: conforms to com.apple.bundle.
  static let bundle = TypeTraits(rawValue: 2)
  /// A category that no file has as its own type.
  static let abstract = TypeTraits(rawValue: 4)
  /// Directories may have the type.
  static let directory = TypeTraits(rawValue: 8)
  /// Regular files may have the type.
  static let file = TypeTraits(rawValue: 16)
  /// Conforms to public.executable.
  static let executable = TypeTraits(rawValue: 32)
}

/// A run of elements in one of the pools of a registry.
struct Run: Sendable {
  var start: UInt32 = 0
  var count: UInt32 = 0

  var range: Range<Int> { Int(start)..<Int(start + count) }
}

/// One declared type. A trivial value: its strings and lists live in the registry's pools.
struct TypeRecord: Sendable {
  var identifier: Text
  var description = Text.empty
  var reference = Text.empty
  var evidence = Text.empty
  var version: Int32 = -1
  var stableID: Int32 = 0
  var source: TypeSource
  var traits: TypeTraits = []
  var parents = Run()
  var ancestors = Run()
  var tags = Run()
}

/// One tag of one type.
struct TagRecord: Sendable {
  var text: Text
  var type: TypeIndex
  var tagClass: TagKind
  /// Authority of the declaration that carries the tag; see `priority`.
  var source: TypeSource
  /// Preference among types of one source that share the tag; 1 is first.
  var rank: UInt8
  /// The next tag record with the same class and text, or -1.
  var next: Int32 = -1
  /// The place of the type among those that share the tag: 0 is the type that the tag means.
  var place: UInt16 = 0
  /// Whether a chain of equal tags begins here: the type is the one that the tag means.
  var isFirst = false

  /// Smaller wins.
  var priority: Int { Int(source.rawValue) << 8 | Int(rank) }
}

/// The tag classes a registry knows, in the order of their columns.
enum TagKind: UInt8, Sendable, CaseIterable {
  case filenameExtension
  case mimeType
  case name
  case pattern
  case osType
}

/// The position of a type in one registry.
///
/// Dense, from zero, and meaningful only for the registry (or a copy of it) that produced it: it
/// must never be stored. Store the identifier, or the `TypeID` of a catalog.
public struct TypeIndex: RawRepresentable, Hashable, Sendable, Comparable {
  /// The position, or `UInt16.max` for `none`.
  public let rawValue: UInt16

  /// Wraps a position.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  init(_ position: Int) {
    rawValue = UInt16(position)
  }

  /// No declared type: the type is dynamic.
  public static let none = TypeIndex(rawValue: .max)

  /// The position as an array index.
  public var position: Int { Int(rawValue) }

  /// Orders by position.
  public static func < (left: TypeIndex, right: TypeIndex) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The tables of a registry: its types, and the pools that their runs lie in.
struct TypeTables: Sendable {
  var pool: TextPool
  var types: [TypeRecord] = []
  /// Direct supertypes of all types, in the order of their declarations.
  var parentPool: [TypeIndex] = []
  /// All supertypes of all types without the type itself, sorted.
  var ancestorPool: [TypeIndex] = []
  /// Tags; once a registry is built grouped by type, in order of preference.
  var tags: [TagRecord] = []
  var identifierIndex = TextIndex(minimumCapacity: 2048)
  /// For each tag class, the first tag record of each text.
  var tagIndexes: [TextIndex] = []
}
