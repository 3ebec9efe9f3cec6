internal import FileSystem
internal import SystemPackage

/// Putting a prepared directory in the place of an old one.
///
/// Where the file system can swap two names in one step, there is no moment without the item.
/// Elsewhere the old one is put aside under a name that is known from the item's own, and a crash
/// before the new one has taken its place is repaired by ``restore(_:in:)``.
struct NameSwap {
  /// How names are swapped.
  enum Way: Sendable {
    /// In one step, where the file system can.
    case exchange
    /// As where it cannot.
    case aside
  }

  var directory: OpenFile
  var name: FilePath.Component
  var concern: WriteConcern
  var way = Way.exchange

  /// Gives the item's name to another directory, and removes what had it.
  ///
  /// - Returns: why the new name may not be on the disk. What had it is kept then, under its scratch
  ///   name, until the next writer comes.
  /// - Throws: only while the item is as it was.
  func run(
    with prepared: FilePath.Component, in source: OpenFile
  ) throws(Errno) -> Errno? {
    if way == .exchange, try source.exchange(prepared, with: name, in: directory) {
      return finish(discarding: prepared, of: prepared, in: source)
    }
    let old = ScratchName.first(.old, for: name)
    try ScratchName.clear(old, in: directory)
    try directory.rename(name, toFreeName: old, in: directory)
    do throws(Errno) {
      try source.rename(prepared, toFreeName: name, in: directory)
    } catch {
      try? directory.rename(old, toFreeName: name, in: directory)
      throw error
    }
    return finish(discarding: old, of: name, in: directory)
  }

  /// Gives the item's name, which nobody has, to another directory. Returns `false` if somebody has it. To
  /// flush the name is left to the caller.
  func runAtFreeName(with prepared: FilePath.Component) throws(Errno) -> Bool {
    do throws(Errno) {
      try directory.rename(prepared, toFreeName: name, in: directory)
    } catch {
      if error == .fileExists { return false }
      throw error
    }
    return true
  }

  /// The new one stands. What cannot be removed of the old one now is cleared away by the next
  /// writer: its name says that it is no longer anything to be restored.
  private func finish(
    discarding old: FilePath.Component, of item: FilePath.Component, in place: OpenFile
  ) -> Errno? {
    do throws(Errno) {
      return try ScratchName.discard(old, of: item, in: place, flushing: [directory], concern)
    } catch {
      return concern.flushNames(in: [directory])
    }
  }

  /// What has become of an item that is not at its name.
  enum Absence {
    /// There is none.
    case real
    /// It was put aside by a process that was killed, and has been brought back.
    case repaired
    /// It was put aside by somebody who is about to put the new one in its place.
    case passing
  }

  /// Finds out why nothing is at a name, and brings back what belongs there.
  static func restore(_ name: FilePath.Component, in directory: OpenFile) throws(Errno) -> Absence {
    let old = ScratchName.first(.old, for: name)
    do throws(Errno) {
      // Whoever put it aside and lives holds it still.
      guard try directory.open(old, for: .listing).tryLock(.exclusive) else { return .passing }
      try directory.rename(old, toFreeName: name, in: directory)
      return .repaired
    } catch {
      switch error {
      // Between two looks the new one may have got its name.
      case .noSuchFileOrDirectory: return try directory.status(of: name) == nil ? .real : .repaired
      case .fileExists: return .repaired
      default: throw error
      }
    }
  }
}
