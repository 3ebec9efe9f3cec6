package import CatalogStore
internal import FileSystem
package import SystemPackage

/// A root that is to be scanned, or parts of one.
package struct ScanTarget {
  package let location: RootLocation
  package private(set) var scope: ScanScope

  package init(_ location: RootLocation, _ scope: ScanScope) {
    self.location = location
    self.scope = scope
  }

  /// Finds out what a path means to a catalog with these roots: a root, or a directory in one.
  package init(_ path: FilePath, among known: [RootRecord], _ request: ScanRequest)
    throws(CatalogError)
  {
    // What is meant by the path of a root, or by one below it, is settled.
    let absolute = path.absolute
    try known.first { $0.location.path.contains(absolute) }?.location.requireSamePlace()
    do {
      let location = try RootLocation(finding: path)
      self = ScanTarget(location, .whole).settled(among: known, request)
    } catch {
      if let root = known.root(at: path) {
        // Only the link is gone that the root was given by.
        if let present = try? RootLocation(finding: root.location.path),
          present.path == root.location.path
        {
          self.init(root.location, .whole)
          return
        }
        throw CatalogError(
          .rootNotFound, path: path, root: path,
          "\(path.string) is not there: it is marked as offline and its entries are kept")
      }
      // A directory that is gone from a root that is there.
      guard [.rootNotFound, .unreadableRoot].contains(error.code),
        let (root, part) = Self.missingPart(path, in: known)
      else {
        throw error
      }
      self.init(root.location, .parts([part]))
    }
  }

  /// The same in a catalog that has these roots: a root that has come to lie in another is part of it.
  func settled(among known: [RootRecord], _ request: ScanRequest) -> ScanTarget {
    // Of roots inside each other, which come in this order, the outermost has all.
    guard let root = known.first(where: { $0.location.path.contains(location.path) }) else {
      return ScanTarget(location, .whole)
    }
    if root.location.path == location.path { return ScanTarget(root.location, scope) }
    // Settings are those of the whole root.
    guard request.settings(over: root.settings) == root.settings else {
      return ScanTarget(root.location, .whole)
    }
    let place = ScanScope.Part(location.path, below: root.location.path, extent: .tree)
    return ScanTarget(root.location, .parts(scope.parts.map { $0.moved(below: place) }))
  }

  private static func missingPart(
    _ path: FilePath, in known: [RootRecord]
  ) -> (RootRecord, ScanScope.Part)? {
    let absolute = path.absolute
    for root in known where root.location.path.resolved == root.location.path {
      for base in [root.location.path, root.location.given]
      where base.contains(absolute) && base.resolved == root.location.path {
        return (root, ScanScope.Part(absolute, below: base, extent: .tree))
      }
      let resolved = absolute.resolvedWhereItExists
      if root.location.path.contains(resolved) {
        return (root, ScanScope.Part(resolved, below: root.location.path, extent: .tree))
      }
    }
    return nil
  }

  /// Adds a target to others, so that nothing is scanned twice.
  package func add(to others: inout [ScanTarget]) {
    switch scope {
    case .whole:
      if others.contains(where: { $0.scope.isWhole && $0.location.path.contains(location.path) }) {
        return
      }
      others.removeAll { location.path.contains($0.location.path) }
      others.append(self)
    case .parts(let parts):
      guard let same = others.firstIndex(where: { $0.location.path == location.path }) else {
        others.append(self)
        return
      }
      if case .parts(let known) = others[same].scope { others[same].scope = .parts(known + parts) }
    }
  }
}

extension [RootRecord] {
  /// The root that is called by this path: by its own, else by that which it was given by.
  package func root(at path: FilePath) -> RootRecord? {
    let absolute = path.absolute
    return first { $0.location.path == absolute } ?? first { $0.location.given == absolute }
  }
}

/// Which part of a known root a scan reads again.
package enum ScanScope: Sendable {
  case whole
  case parts([Part])

  package var isWhole: Bool {
    if case .whole = self { true } else { false }
  }

  /// The same as directories to read.
  var parts: [Part] {
    switch self {
    case .whole: [Part(components: [], extent: .tree)]
    case .parts(let parts): parts
    }
  }

  /// A directory below a root.
  package struct Part: Sendable, Hashable {
    /// The names on the path from the root; none for the root itself.
    package let components: [[UInt8]]
    package let extent: Extent
  }

  package enum Extent: Sendable, Hashable {
    /// Only what is directly in the directory.
    case children
    /// Everything below.
    case tree
  }
}

extension ScanScope.Part {
  /// The directory at `path`, which is inside `root`.
  package init(_ path: FilePath, below root: FilePath, extent: ScanScope.Extent) {
    components = path.bytes.dropFirst(root.bytes.count).split(separator: UInt8(ascii: "/"))
      .map { Array($0) }
    self.extent = extent
  }

  /// The same directory as part of a root in which the one that it was part of is `place`.
  func moved(below place: ScanScope.Part) -> ScanScope.Part {
    ScanScope.Part(components: place.components + components, extent: extent)
  }

  package func covers(_ other: ScanScope.Part) -> Bool {
    extent == .tree && other.components.starts(with: components) || self == other
  }
}
