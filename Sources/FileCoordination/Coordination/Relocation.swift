internal import FileSystem
internal import SystemPackage

/// Giving a held item another path.
struct Relocation {
  private let locks: ItemLocks
  private let source: HeldItem
  private let destination: HeldItem
  private let conflict: FileCoordinator.MoveConflict
  private let concern: WriteConcern

  /// - Parameter locks: hold the item first, then its new name.
  init(_ locks: ItemLocks, _ conflict: FileCoordinator.MoveConflict, _ concern: WriteConcern) {
    self.locks = locks
    self.source = locks.items[0]
    self.destination = locks.items[1]
    self.conflict = conflict
    self.concern = concern
  }

  /// - Returns: what has changed; `nil` if the new name was thought to be free and is not.
  func run() throws(CoordinationError) -> [CoordinatedChange]? {
    let from = source.place
    let to = destination.place
    if from.realPath == to.realPath { return [] }
    if destination.status != nil && conflict == .refuse {
      throw CoordinationError(.alreadyExists, .move, destination.request.path)
    }
    do throws(Errno) {
      do throws(Errno) {
        if areNamesOfOneFile {
          // The system leaves both alone when one is renamed to the other.
          try from.directory.remove(from.name)
        } else {
          try rename(from.name, in: from.directory)
        }
      } catch {
        guard error == .improperLink else { throw error }
        if let unflushed = try copyOver() {
          let kind: CoordinatedChange.Kind = destination.status == nil ? .created : .written
          var copied = CoordinatedChange(kind, to.realPath)
          copied.unflushed = unflushed
          return [copied]
        }
      }
      var moved = CoordinatedChange(.moved, to.realPath, previousPath: from.realPath)
      moved.unflushed = concern.flushNames(in: [to.directory, from.directory])
      return [moved]
    } catch {
      if error == .fileExists && destination.status == nil { return nil }
      throw CoordinationError(.move, source.request.path, error)
    }
  }

  /// Whether the item has the new name already, besides its own. A file with one name that is found
  /// under two is on a volume that ignores case.
  private var areNamesOfOneFile: Bool {
    guard let from = source.status, let to = destination.status else { return false }
    return source.kind != .directory && from.links > 1 && from.isSameEntry(as: to)
  }

  /// The step in which the item gets its new name.
  private func rename(_ name: FilePath.Component, in directory: OpenFile) throws(Errno) {
    let to = destination.place
    guard destination.status != nil else {
      return try directory.rename(name, toFreeName: to.name, in: to.directory)
    }
    guard destination.kind == .directory, source.kind == .directory else {
      return try directory.rename(name, to: to.name, in: to.directory)
    }
    // A directory that is not empty can only be swapped away.
    // Whether the disk has it, the caller finds out once more, for both directories.
    _ = try NameSwap(directory: to.directory, name: to.name, concern: concern)
      .run(with: name, in: directory)
  }

  /// The way between volumes: a copy beside the new name, then the new name, then the original goes.
  ///
  /// - Returns: why the new name may not be on the disk; then the original stays.
  private func copyOver() throws(Errno) -> Errno? {
    let to = destination.place
    let copy = TreeCopy(into: to.directory, concern: concern)
    let scratch = try ScratchName.find(for: to.name, in: to.directory) { scratch throws(Errno) in
      if try to.directory.status(of: scratch) != nil { throw .fileExists }
      do throws(Errno) {
        try copy.copy(source.place.name, from: source.place.directory, as: scratch)
      } catch {
        try? TreeRemoval.remove(scratch, in: to.directory)
        throw error
      }
    }
    if let root = copy.root { locks.keep(root) }
    do throws(Errno) {
      try rename(scratch, in: to.directory)
    } catch {
      try? TreeRemoval.remove(scratch, in: to.directory)
      throw error
    }
    if let failure = concern.flushNames(in: [to.directory]) { return failure }
    try ScratchName.discard(
      source.place.name, of: source.place.name, in: source.place.directory)
    return nil
  }
}
