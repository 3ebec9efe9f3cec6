public import FileSystem
public import SystemPackage
public import UniformTypes

/// A directory with all below it as a value, as the disk had it when it was read. It needs no catalog.
///
/// ```swift
/// let before = try DirectoryTree(of: "/home/me/Documents")
/// print(before.sums.files, before["Letters/2024"]?.children.count ?? 0)
/// let after = try DirectoryTree(of: "/home/me/Documents")
/// for move in after.difference(from: before).moved { print(move.from, move.to) }
/// ```
///
/// Entries are typed as scans type them, packages are one node unless asked for, and a symbolic link is a node
/// of its own that is not followed. What could not be read is told by the node it concerns.
///
/// Nothing here calls itself: trees may be as deep as a file system allows.
public struct DirectoryTree: Sendable, Hashable {
  /// The path of the directory, without symbolic links.
  public let path: FilePath
  /// Depth first: what is below a row follows it.
  let rows: [Row]
  /// The file systems that the entries are on, by device.
  let volumes: [UInt64: VolumeIdentity]

  /// What is known of one entry.
  struct Row: Sendable, Hashable {
    var name: [UInt8]
    var kind: EntryKind
    var isPackage = false
    var status: FileStatus?
    var type: UniformType?
    var target: FilePath?
    var content: Node.Content?
    /// Of a package that is one node: the files in it that have several names.
    var links: [LinkedFile] = []
    var failures: [FileError] = []
    /// How many rows are below it, which follow it.
    var descendants = 0
  }

  init(path: FilePath, rows: [Row], volumes: [UInt64: VolumeIdentity]) {
    self.path = path
    self.rows = rows
    self.volumes = volumes
  }

  /// The directory itself.
  public var root: DirectoryTree.Node { Node(rows: rows, index: 0) }

  /// What is in it, depth first, a directory before what it holds.
  public var entries: DirectoryTree.Entries { root.entries }

  /// How many entries are in it, at any depth.
  public var count: Int { root.entryCount }

  /// The entry at a path relative to the directory; the directory itself for the empty one.
  public subscript(path: FilePath) -> DirectoryTree.Node? { root[path] }

  /// What all its entries come to.
  public var sums: DirectoryTree.Sums { root.sums }

  /// What could not be read, anywhere in it. Empty for a tree that is whole.
  public var failures: [FileError] { rows.flatMap(\.failures) }
}

extension DirectoryTree {
  /// An entry of a tree with all below it. Two are equal when all of that is.
  public struct Node: Sendable, Hashable {
    /// What a tree has of the content of a directory.
    public enum Content: Sendable, Hashable {
      /// All of it.
      case read
      /// Nothing: the tree was to end here, or it is on another file system, or a package.
      case notEntered
      /// Nothing or not all of it; ``DirectoryTree/Node/failures`` says why.
      case unreadable
    }

    fileprivate let rows: [Row]
    fileprivate let index: Int

    /// The name, with U+FFFD for what is not UTF-8.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
    /// The name as the file system has it. That of `/` is a slash.
    public var nameBytes: [UInt8] { rows[index].name }
    /// What it is.
    public var kind: EntryKind { rows[index].kind }
    /// Whether it is a directory that people see as one item, also where its content was asked for.
    public var isPackage: Bool { rows[index].isPackage }
    /// Its values; `nil` where they could not be read. Of a package that is one node, size and bytes on
    /// disk are those of all that it holds.
    public var status: FileStatus? { rows[index].status }
    /// Its uniform type.
    public var type: UniformType? { rows[index].type }
    /// What a symbolic link says; `nil` for everything else.
    public var target: FilePath? { rows[index].target }
    /// What there is of its content; `nil` for what has none, such as files.
    public var content: DirectoryTree.Node.Content? { rows[index].content }
    /// What of it could not be read. Paths are absolute.
    public var failures: [FileError] { rows[index].failures }

    /// What is in the directory, by the bytes of the names unless it was sorted otherwise. Empty for what is none.
    public var children: [DirectoryTree.Node] {
      rows.children(of: index).map { Node(rows: rows, index: $0) }
    }

    /// What is below it, depth first, a directory before what it holds.
    public var entries: DirectoryTree.Entries { Entries(rows: rows, index: index) }

    /// How many entries are below it, at any depth.
    public var entryCount: Int { rows[index].descendants }

    /// The entry at a path relative to this one, which is that of the empty path.
    ///
    /// - Complexity: linear in the children of the directories on the way.
    public subscript(path: FilePath) -> DirectoryTree.Node? {
      guard path.isRelative else { return nil }
      let (found, rest) = rows.descend(from: index, along: path.components.map(\.bytes))
      return rest.isEmpty ? Node(rows: rows, index: found) : nil
    }

    private var subtree: ArraySlice<Row> { rows[index...index + rows[index].descendants] }

    /// Whether both are the same entry with the same below it, wherever they are.
    public static func == (left: Node, right: Node) -> Bool { left.subtree == right.subtree }

    /// Hashes the entry with all below it.
    public func hash(into hasher: inout Hasher) { hasher.combine(subtree) }
  }
}

extension DirectoryTree {
  /// The entries below a node, depth first, each with its path relative to the node.
  public struct Entries: Sequence, Sendable {
    fileprivate let rows: [Row]
    fileprivate let index: Int

    /// Begins with the first child.
    public func makeIterator() -> Iterator { Iterator(rows: rows, below: index) }

    /// How many there are.
    public var underestimatedCount: Int { rows[index].descendants }

    /// Goes through the entries below a node.
    public struct Iterator: IteratorProtocol {
      private let rows: [Row]
      private var position: Int
      private let end: Int
      /// The directories around the next entry: where each ends, and how long the path to it is.
      private var around: [(end: Int, length: Int)] = []
      private var path: [UInt8] = []

      fileprivate init(rows: [Row], below index: Int) {
        self.rows = rows
        position = index + 1
        end = index + rows[index].descendants + 1
      }

      /// The next entry with its path.
      public mutating func next() -> (path: FilePath, node: DirectoryTree.Node)? {
        guard position < end else { return nil }
        while let last = around.last, last.end <= position { around.removeLast() }
        path.removeSubrange((around.last?.length ?? 0)...)
        if !path.isEmpty { path.append(UInt8(ascii: "/")) }
        path += rows[position].name
        defer { position += 1 }
        if rows[position].descendants > 0 {
          around.append((position + 1 + rows[position].descendants, path.count))
        }
        return (FilePath(bytes: path), Node(rows: rows, index: position))
      }
    }
  }
}

// MARK: - Other trees from it

extension DirectoryTree {
  /// The tree as one of values of the program's own.
  ///
  /// - Parameter transform: makes a value of an entry and of what has become of its children, in order.
  ///   Whatever is in a directory comes before it.
  /// - Returns: what has become of the directory itself.
  public func map<Value>(
    _ transform: (_ node: DirectoryTree.Node, _ children: [Value]) throws -> Value
  ) rethrows -> Value {
    // The children of a row that have become values already, the last of them first.
    var made: [Value] = []
    for index in rows.indices.dropFirst().reversed() {
      let children = made.takeLast(rows.children(of: index).count)
      made.append(try transform(Node(rows: rows, index: index), children))
    }
    return try transform(root, made.takeLast(made.count))
  }

  /// The tree with those entries only that pass a test, and the directories on the way to them.
  public func filter(
    _ isIncluded: (DirectoryTree.Node) throws -> Bool
  ) rethrows -> DirectoryTree {
    let passes = try rows.indices.map { index in
      try index == 0 || isIncluded(Node(rows: rows, index: index))
    }
    let parents = rows.parents
    // How many of the rows below each are kept.
    var below = [Int](repeating: 0, count: rows.count)
    for index in rows.indices.dropFirst().reversed() where passes[index] || below[index] > 0 {
      below[parents[index]] += below[index] + 1
    }
    var left: [Row] = []
    for index in rows.indices where passes[index] || below[index] > 0 {
      var row = rows[index]
      row.descendants = below[index]
      left.append(row)
    }
    return DirectoryTree(path: path, rows: left, volumes: volumes)
  }

  /// The tree with the entries of each directory in another order. Those that neither come before the
  /// other stay as they are.
  public func sorted(
    by areInIncreasingOrder: (DirectoryTree.Node, DirectoryTree.Node) throws -> Bool
  ) rethrows -> DirectoryTree {
    var sorted: [Row] = []
    sorted.reserveCapacity(rows.count)
    var pending = [0]
    while let index = pending.popLast() {
      sorted.append(rows[index])
      let children = try rows.children(of: index).sorted {
        try areInIncreasingOrder(Node(rows: rows, index: $0), Node(rows: rows, index: $1))
      }
      pending += children.reversed()
    }
    return DirectoryTree(path: path, rows: sorted, volumes: volumes)
  }
}

// MARK: - Sums

extension DirectoryTree {
  /// What entries come to.
  public struct Sums: Sendable, Hashable {
    /// How many are not directories. A package that is one node is one.
    public var files = 0
    /// How many directories there are, this one not among them.
    public var directories = 0
    /// The bytes of all that are not directories.
    public var size: Int64 = 0
    /// The bytes on disk of everything, this directory among it, a file with several names once.
    public var allocated: Int64 = 0
  }
}

extension DirectoryTree.Node {
  /// What it comes to with all below it.
  public var sums: DirectoryTree.Sums {
    var sums = DirectoryTree.Sums()
    var seen: Set<LinkedFile> = []
    for (offset, row) in subtree.enumerated() {
      if row.kind == .directory {
        if offset > 0 { sums.directories += 1 }
      } else {
        sums.files += 1
        sums.size.add(clamped: row.status?.size ?? 0)
      }
      guard let status = row.status else { continue }
      let isLinked = status.links > 1 && row.kind != .directory && row.kind != .package
      if isLinked, !seen.insert(LinkedFile(status)).inserted { continue }
      sums.allocated.add(clamped: status.allocated)
      // The sums of packages have each of these once.
      for link in row.links where !seen.insert(link).inserted {
        sums.allocated.add(clamped: -link.allocated)
      }
    }
    return sums
  }
}

// MARK: - Rows

extension [DirectoryTree.Row] {
  /// The rows of the children of a row.
  func children(of index: Int) -> [Int] {
    var children: [Int] = []
    var next = index + 1
    let end = next + self[index].descendants
    while next < end {
      children.append(next)
      next += self[next].descendants + 1
    }
    return children
  }

  /// For each row that of its directory; -1 for the first.
  var parents: [Int] {
    var parents: [Int] = []
    parents.reserveCapacity(count)
    var around: [(index: Int, end: Int)] = []
    for index in indices {
      while let last = around.last, last.end <= index { around.removeLast() }
      parents.append(around.last?.index ?? -1)
      around.append((index, index + self[index].descendants + 1))
    }
    return parents
  }

  /// Goes down by names as far as it can.
  ///
  /// - Returns: the last row on the way, and the names that are left.
  func descend(from index: Int, along names: [[UInt8]]) -> (index: Int, rest: ArraySlice<[UInt8]>) {
    var index = index
    var rest = names[...]
    while let name = rest.first, let child = child(named: name, of: index) {
      index = child
      rest.removeFirst()
    }
    return (index, rest)
  }

  private func child(named name: [UInt8], of index: Int) -> Int? {
    var next = index + 1
    let end = next + self[index].descendants
    while next < end {
      if self[next].name == name { return next }
      next += self[next].descendants + 1
    }
    return nil
  }
}

extension Array {
  /// Takes out the last elements, and returns them with the last one first.
  fileprivate mutating func takeLast(_ count: Int) -> [Element] {
    defer { removeLast(count) }
    return suffix(count).reversed()
  }
}
