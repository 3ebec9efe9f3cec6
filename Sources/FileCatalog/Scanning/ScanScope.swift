internal import FileSystem
internal import SystemPackage

/// Which part of a known root a scan reads again.
enum ScanScope: Sendable {
  case whole
  case parts([Part])

  var isWhole: Bool {
    if case .whole = self { true } else { false }
  }

  /// A directory below a root.
  struct Part: Sendable, Hashable {
    /// The names on the path from the root; none for the root itself.
    let components: [[UInt8]]
    let extent: Extent
  }

  enum Extent: Sendable, Hashable {
    /// Only what is directly in the directory.
    case children
    /// Everything below.
    case tree
  }
}

extension ScanScope.Part {
  /// The directory at `path`, which is inside `root`.
  init(_ path: FilePath, below root: FilePath, extent: ScanScope.Extent) {
    components = path.bytes.dropFirst(root.bytes.count).split(separator: UInt8(ascii: "/"))
      .map { Array($0) }
    self.extent = extent
  }

  func covers(_ other: ScanScope.Part) -> Bool {
    extent == .tree && other.components.starts(with: components) || self == other
  }
}
