package import CatalogStore
package import FileSystem
internal import StandardDirectories

// A catalog of another machine, as somebody tells of it: what `RootsImport` makes rows of.

/// What the entries of another catalog have in common.
package struct ForeignCatalog: Sendable {
  /// A root, by the number of its entry.
  package struct Root: Sendable {
    /// Where it is as somebody wrote it; `nil` where that is its path.
    package var given: [UInt8]?
    /// How it is scanned: JSON, as the table `_roots` has it.
    package var settings = "{}"
    /// When its last scan began and ended, in nanoseconds since 1970, and how.
    package var started: Int64 = 0
    package var finished: Int64 = 0
    package var state = ScanState.complete
    package var errors = 0

    package init() {}
  }

  package struct Volume: Sendable {
    package let identity: String
    package let device: Int64

    package init(identity: String, device: Int64) {
      self.identity = identity
      self.device = device
    }
  }

  /// A uniform type, for a catalog that does not know it.
  package struct UniformType: Sendable {
    package let description: String?
    package let flags: Int64
    package let source: String
    /// What it conforms to.
    package let ancestors: [String]

    package init(description: String?, flags: Int64, source: String, ancestors: [String]) {
      self.description = description
      self.flags = flags
      self.source = source
      self.ancestors = ancestors
    }
  }

  /// What tells it from others: part of what volumes are called that another catalog has, too.
  package let name: String
  package var roots: [Int64: Root] = [:]
  package var volumes: [Int64: Volume] = [:]
  package var containers: [StoredContainer] = []
  package var types: [String: UniformType] = [:]
  /// The directories that were not read as a whole, and why not.
  package var unread: [Int64: (state: DirectoryState, error: String?)] = [:]

  package init(name: String) { self.name = name }
}

/// An entry of another catalog, with its numbers. It is filled anew for each: names need no memory of their own.
package struct ForeignEntry {
  package var id: Int64 = 0
  /// `nil` for a root.
  package var parent: Int64?
  package var name: [UInt8] = []
  /// Values, kind and traits.
  package var record = EntryRecord()
  package var volume: Int64 = 0
  /// Its type, in the numbers of ``ForeignWords``.
  package var type: Int64 = 0
  /// What a symbolic link says.
  package var target: [UInt8] = []
  /// Of a package, the files that have several names; their devices are volumes.
  package var links: [LinkedFile] = []

  package init() {}
}

/// Gives the entries of another catalog, in the order of their numbers.
package protocol ForeignEntries: ~Copyable {
  /// Reads the next one.
  ///
  /// - Parameter words: takes what it is called that entries have in common.
  /// - Returns: `false` when there is none.
  mutating func next(_ entry: inout ForeignEntry, _ words: inout ForeignWords) throws -> Bool
}

/// The types and owners that entries have, each told once.
package struct ForeignWords {
  /// The types of the catalog, with those that are to be added; identifiers in lower case.
  private(set) var types: [String: Int64]
  private(set) var addedTypes: [(number: Int64, identifier: String, description: String?)] = []
  private(set) var users: [Int64: String] = [:]
  private(set) var groups: [Int64: String] = [:]
  private var nextType: Int64

  /// - Parameter types: those that the catalog has.
  init(types: [String: Int64], nextType: Int64) {
    self.types = types
    self.nextType = nextType
  }

  /// The number of a type.
  package mutating func number(ofType identifier: String, described description: String?) -> Int64 {
    let key = identifier.lowercased()
    if let known = types[key] { return known }
    let number = nextType
    nextType += 1
    types[key] = number
    addedTypes.append((number, identifier, description))
    return number
  }

  /// What a user is called.
  package mutating func note(user name: String, _ uid: Int64) { users[uid] = name }

  /// What a group is called.
  package mutating func note(group name: String, _ gid: Int64) { groups[gid] = name }
}

/// What is told of another catalog and cannot be.
package struct ForeignFault: Error, CustomStringConvertible {
  /// In one line for a person.
  package let description: String

  package init(_ description: String) { self.description = description }
}
