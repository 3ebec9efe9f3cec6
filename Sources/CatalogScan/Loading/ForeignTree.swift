internal import CatalogStore
internal import FileSystem
package import SystemPackage

/// The directories of another catalog: which is in which, and their paths.
///
/// What is told of them may be anything. Here it is a forest: each directory is in one whose path its own
/// begins with, and roots are in none.
package struct ForeignTree: Sendable {
  struct Directory: BitwiseCopyable {
    let id: Int64
    /// The position of the one that it is in; -1 for a root.
    let parent: Int32
    /// The position of its root among the roots, and its own among the directories of that, where those that
    /// hold others come before them.
    let root: Int32
    let index: Int32
    let depth: Int32
    /// Where its path is.
    let start: Int
    let end: Int
  }

  /// Those that hold others before them.
  private(set) var directories: [Directory] = []
  private var positions: [Int64: Int32] = [:]
  private var paths: [UInt8] = []
  /// The positions of the roots.
  private(set) var roots: [Int32] = []
  /// How many directories each root has.
  private(set) var counts: [Int32] = []

  /// A directory as it is told of.
  package struct Row {
    package let id: Int64
    package let parent: Int64?
    package let depth: Int64
    package let path: [UInt8]

    package init(id: Int64, parent: Int64?, depth: Int64, path: [UInt8]) {
      self.id = id
      self.parent = parent
      self.depth = depth
      self.path = path
    }
  }

  /// - Parameters:
  ///   - rows: the directories, in any order.
  ///   - place: what all paths are put below; empty for the paths as they are.
  package init(_ rows: consuming [Row], below place: FilePath) throws(ForeignFault) {
    let prefix = place.isEmpty || place == "/" ? [] : place.bytes
    rows.sort { ($0.depth, $0.id) < ($1.depth, $1.id) }
    guard rows.count < Int(Int32.max) else { throw ForeignFault("there are too many directories") }
    for row in rows {
      let position = Int32(directories.count)
      guard positions.updateValue(position, forKey: row.id) == nil else {
        throw ForeignFault("directory \(row.id) is there twice")
      }
      let start = paths.count
      if let parent = row.parent {
        guard let above = positions[parent], above != position,
          isSound(row, in: above, prefix.count)
        else {
          throw ForeignFault("directory \(row.id) is in none whose path its own begins with")
        }
        paths += prefix + row.path
        let root = directories[Int(above)].root
        append(row, parent: above, root: root, start: start)
      } else {
        guard row.depth == 0, Self.isAbsolute(row.path) else {
          throw ForeignFault("directory \(row.id) is in none, and is no root")
        }
        // That of the root of a machine would end with a slash.
        paths += row.path == [Self.slash] && !prefix.isEmpty ? prefix : prefix + row.path
        roots.append(position)
        counts.append(0)
        append(row, parent: -1, root: Int32(roots.count - 1), start: start)
      }
    }
  }

  private mutating func append(_ row: Row, parent: Int32, root: Int32, start: Int) {
    directories.append(
      Directory(
        id: row.id, parent: parent, root: root, index: counts[Int(root)], depth: Int32(row.depth),
        start: start, end: paths.count))
    counts[Int(root)] += 1
  }

  private static let slash = UInt8(ascii: "/")

  private static func isAbsolute(_ path: [UInt8]) -> Bool {
    guard path.first == slash, !path.contains(0) else { return false }
    let components = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
    return path == [slash] || components.allSatisfy { isName($0) }
  }

  /// Whether something can be called so.
  static func isName(_ name: some Collection<UInt8>) -> Bool {
    let dot = UInt8(ascii: ".")
    return !name.isEmpty && !name.contains(slash) && !name.contains(0)
      && !name.elementsEqual([dot]) && !name.elementsEqual([dot, dot])
  }

  /// Whether the path of a directory is that of the one it is in, with a name.
  ///
  /// - Parameter prefixCount: how long is what all paths are put below.
  private func isSound(_ row: Row, in above: Int32, _ prefixCount: Int) -> Bool {
    let parent = directories[Int(above)]
    guard row.depth == Int64(parent.depth) + 1, let cut = row.path.lastIndex(of: Self.slash),
      Self.isName(row.path[(cut + 1)...])
    else { return false }
    let beginning = row.path[..<cut]
    let path = paths[parent.start..<parent.end]
    if beginning.isEmpty, prefixCount == 0 { return path.elementsEqual([Self.slash]) }
    return path.dropFirst(prefixCount).elementsEqual(beginning)
  }

  // MARK: - Asking

  var count: Int { directories.count }

  @inline(__always)
  func position(of id: Int64) -> Int32? { positions[id] }

  func path(_ position: Int32) -> ArraySlice<UInt8> {
    let directory = directories[Int(position)]
    return paths[directory.start..<directory.end]
  }

  /// The last name of the path; `/` for the root of a machine.
  func name(_ position: Int32) -> ArraySlice<UInt8> {
    let path = path(position)
    guard path.count > 1, let cut = path.lastIndex(of: Self.slash) else { return path }
    return path[(cut + 1)...]
  }

  /// The numbers of the roots.
  package var rootIDs: [Int64] { roots.map { directories[Int($0)].id } }

  /// The paths of the roots.
  package var rootPaths: [FilePath] { roots.map { FilePath(bytes: path($0)) } }
}
