internal import SystemPackage

/// What files in a tree leave out of it, as its watching goes by it, and which of them change. Used by one
/// thread.
///
/// What goes for a directory is read where it is asked for, on the way to it from the root. That way is
/// kept: the next question is mostly about a directory nearby.
final class WatchedRules {
  private let files: IgnoreFiles?
  private let root: FilePath
  /// The root, and the directories on the way to the one that was asked about last.
  private var way: [(name: [UInt8], rules: IgnoreFiles.Rules?)] = []
  private var affected: Set<TreePath> = []

  init(_ files: IgnoreFiles?, root: FilePath) {
    self.files = files
    self.root = root
  }

  /// Whether nothing is left out by files.
  var isEmpty: Bool { files == nil }

  /// Whether a directory is left out, by files in those that it is in.
  func excludes(_ directory: TreePath) -> Bool {
    guard let files, let parent = directory.parent, let rules = rules(for: parent, files),
      let isExcluded = rules.exclusion(in: parent.absolute(in: root).bytes)
    else { return false }
    return directory.name.withUnsafeBufferPointer { isExcluded($0, .directory) }
  }

  private func rules(for directory: TreePath, _ files: IgnoreFiles) -> IgnoreFiles.Rules? {
    let names = directory.names
    if way.isEmpty { way.append(([], read(root, under: files.above, files))) }
    let known = zip(way.dropFirst(), names).prefix { $0.name.elementsEqual($1) }.count
    way.removeSubrange((known + 1)...)
    var path = names.prefix(known).reduce(TreePath.root) { $0.appending($1) }
    for name in names.dropFirst(known) {
      path = path.appending(name)
      way.append(
        (Array(name), read(path.absolute(in: root), under: way[way.count - 1].rules, files)))
    }
    return way[way.count - 1].rules
  }

  /// What goes in a directory. What cannot be read leaves nothing out: it is rather watched in vain.
  private func read(
    _ path: FilePath, under above: IgnoreFiles.Rules?, _ files: IgnoreFiles
  ) -> IgnoreFiles.Rules? {
    guard let directory = IgnoreDirectory(path, lookingFor: files.names) else { return above }
    do throws(FileError) {
      return try files.read(above, directory)
    } catch {
      return nil
    }
  }

  // MARK: - Changes

  /// Takes note of something that has come, gone or changed in a directory.
  func note(_ name: UnsafeBufferPointer<UInt8>, in directory: TreePath) {
    guard let files, !name.isEmpty else { return }
    for file in files.paths where file.last.map(name.elementsEqual) ?? false {
      let inside = file.dropLast()
      let names = directory.names
      guard names.suffix(inside.count).elementsEqual(inside, by: { $0.elementsEqual($1) }) else {
        continue
      }
      way = []
      affected.insert(names.dropLast(inside.count).reduce(.root) { $0.appending($1) })
    }
  }

  /// The directories below which something else may be left out than before, each told once.
  func takeAffected() -> Set<TreePath> {
    defer { affected = [] }
    return affected
  }

  /// Forgets what was read: it may have changed unseen.
  func reset() {
    way = []
    affected = []
  }
}
