public import FileSystem
public import SystemPackage

extension DirectoryTable {
  /// An entry of a directory, as the disk has it.
  public struct Item: Sendable, Hashable, Identifiable {
    /// The path: that of the directory with the name, whatever the name may link to.
    public let path: FilePath
    /// What it is. Packages are directories to a table of one directory.
    public let kind: EntryKind
    /// The values that the file system keeps of it.
    public let status: FileStatus

    /// The path.
    public var id: FilePath { path }

    /// The last component of the path, with U+FFFD for what is not UTF-8.
    public var name: String { path.lastComponent?.string ?? path.string }

    /// When it was made, in nanoseconds since 1970; `nil` where the file system does not record it.
    public var created: Int64? { status.created == FileStatus.unknownTime ? nil : status.created }

    /// When its content was last changed, in nanoseconds since 1970.
    public var modified: Int64? {
      status.modified == FileStatus.unknownTime ? nil : status.modified
    }
  }
}

extension DirectoryTable {
  /// The orders of a table of one directory. Ties end with the name and then its bytes, and unknown
  /// dates come last, so that every order is one and the same on every day.
  public enum Order: Int, Sendable, Hashable, CaseIterable {
    /// Names from A to Z, in `NaturalOrder`.
    case nameAFirst
    /// Names from Z to A.
    case nameZFirst
    /// What was made last comes first.
    case creationNewestFirst
    /// What was made last comes last.
    case creationOldestFirst
    /// What was changed last comes first.
    case modificationNewestFirst
    /// What was changed last comes last.
    case modificationOldestFirst

    /// Sorts items.
    func sort(_ items: [DirectoryTable.Item]) -> [DirectoryTable.Item] {
      let keyed = items.map { item in
        let name = item.path.lastComponent?.bytes ?? []
        return (item: item, key: name.withUnsafeBytes { NaturalOrder.key(of: $0) }, name: name)
      }
      return keyed.sorted { a, b in
        switch compareDates(a.item, b.item) {
        case .before: true
        case .after: false
        case .same:
          a.key == b.key
            ? a.name.lexicographicallyPrecedes(b.name)
            : a.key.lexicographicallyPrecedes(b.key) != (self == .nameZFirst)
        }
      }.map(\.item)
    }

    private enum Comparison {
      case before, same, after
    }

    private func compareDates(_ a: DirectoryTable.Item, _ b: DirectoryTable.Item) -> Comparison {
      let (first, second, newestFirst): (Int64?, Int64?, Bool)
      switch self {
      case .nameAFirst, .nameZFirst: return .same
      case .creationNewestFirst: (first, second, newestFirst) = (a.created, b.created, true)
      case .creationOldestFirst: (first, second, newestFirst) = (a.created, b.created, false)
      case .modificationNewestFirst: (first, second, newestFirst) = (a.modified, b.modified, true)
      case .modificationOldestFirst: (first, second, newestFirst) = (a.modified, b.modified, false)
      }
      switch (first, second) {
      case (nil, nil): return .same
      case (nil, _): return .after
      case (_, nil): return .before
      case (let first?, let second?):
        if first == second { return .same }
        return (first > second) == newestFirst ? .before : .after
      }
    }
  }
}
