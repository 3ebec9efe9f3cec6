internal import SystemPackage

/// A directory whose sub-directories have not all been opened, and what is needed to open them.
///
/// Sub-directories wait as packed bytes, not as objects: a directory may have millions.
final class DirectoryNode: @unchecked Sendable {
  // Sendable: immutable but for what only the work list touches, under its lock, and for the rules, which
  // the thread that reads the directory sets before others learn of what is in it.

  struct Pending {
    var nameOffset: UInt32
    var nameLength: UInt16
    var index: Int32
    var device: UInt64
    var inode: UInt64
    /// The batch that holds the directory's own entry.
    var sequence: Int
  }

  let index: Int32
  let depth: Int32
  let device: UInt64
  let inode: UInt64
  var identity: DirectoryIdentity { DirectoryIdentity(device: device, inode: inode) }
  /// The name with its final NUL; empty for the root.
  let name: [CChar]
  /// The length of ``relativePath`` in bytes.
  let relativePathLength: Int
  private(set) var parent: DirectoryNode?

  /// The open directory; `nil` when too many are open.
  var handle: DirectoryHandle?
  var names: [UInt8] = []
  var pending: [Pending] = []
  /// Sub-directories handed out but not opened so far.
  var opening = 0
  /// No more sub-directories will be added.
  var isComplete = false
  var isListed = false
  /// What is left out below, by files that were found; set before anything below is handed out.
  var rules: IgnoreFiles.Rules?

  init(
    index: Int32, depth: Int32, device: UInt64, inode: UInt64, name: [CChar],
    parent: DirectoryNode?
  ) {
    self.index = index
    self.depth = depth
    self.device = device
    self.inode = inode
    self.name = name
    self.parent = parent
    if let parent {
      relativePathLength =
        parent.relativePathLength + (parent.parent == nil ? 0 : 1) + name.count - 1
    } else {
      relativePathLength = 0
    }
  }

  /// A directory below the root, known by the components of its path only.
  convenience init(components: [[UInt8]]) {
    var parent: DirectoryNode?
    var name: [CChar] = [0]
    for (depth, component) in components.enumerated() {
      parent = DirectoryNode(
        index: 0, depth: Int32(depth), device: .max, inode: 0, name: name, parent: parent)
      name = component.map { CChar(bitPattern: $0) } + [0]
    }
    self.init(
      index: 0, depth: Int32(components.count), device: .max, inode: 0, name: name, parent: parent)
  }

  deinit {
    // Without this loop, letting go of a chain of ten thousand levels would recurse as deep.
    var ancestor = parent
    parent = nil
    while isKnownUniquelyReferenced(&ancestor) {
      let next = ancestor?.parent
      ancestor?.parent = nil
      ancestor = next
    }
  }

  /// The path below the root: names joined by slashes, empty for the root itself.
  var relativePath: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: relativePathLength) { buffer, count in
      if let start = buffer.baseAddress { writeRelativePath(to: start) }
      count = relativePathLength
    }
  }

  /// Writes ``relativePathLength`` bytes.
  func writeRelativePath(to start: UnsafeMutablePointer<UInt8>) {
    var end = relativePathLength
    // A node keeps those above it: they need not be counted on the way.
    var current = Unmanaged.passUnretained(self)
    while let parent = current._withUnsafeGuaranteedRef({ $0.writeName(to: start, endingAt: &end) })
    {
      current = parent
    }
  }

  /// Writes the last component of the path.
  ///
  /// - Returns: the directory around this one; `nil` at the root.
  private func writeName(
    to start: UnsafeMutablePointer<UInt8>, endingAt end: inout Int
  ) -> Unmanaged<DirectoryNode>? {
    guard let parent else { return nil }
    let length = name.count - 1
    end -= length
    name.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress {
        UnsafeMutableRawPointer(start + end).copyMemory(from: source, byteCount: length)
      }
    }
    if end > 0 {
      end -= 1
      start[end] = UInt8(ascii: "/")
    }
    return Unmanaged.passUnretained(parent)
  }

  /// Whether the walk is already inside the directory with this identity.
  func isInside(device: UInt64, inode: UInt64) -> Bool {
    var node: DirectoryNode? = self
    while let current = node {
      if current.inode == inode && current.device == device { return true }
      node = current.parent
    }
    return false
  }
}
