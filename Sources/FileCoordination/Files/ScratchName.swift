internal import FileSystem
package import SystemPackage

/// The hidden name under which something is prepared before it gets its own.
///
/// It follows from the name that is to come, so that what a killed process has left behind is found
/// and cleared away by the next one that writes the same item, without searching the directory.
/// Whoever prepares something holds a lock on it: what is not locked belongs to nobody.
enum ScratchName {
  /// What is prepared, or put aside.
  enum Role: String {
    case new
    /// The old package, on file systems that cannot swap two names in one step.
    case old
  }

  /// The first name to try. Its length does not depend on that of the item's name.
  static func first(_ role: Role, for name: FilePath.Component) -> FilePath.Component {
    component(".filecat-\(hexadecimal(hash(of: name))).\(role.rawValue)")
  }

  /// Whether a name is of those that are given here.
  static func isOne(_ name: FilePath.Component, _ role: Role) -> Bool {
    let bytes = name.bytes
    return bytes.count == 29 && bytes.starts(with: ".filecat-".utf8)
      && bytes.suffix(4).elementsEqual(".\(role.rawValue)".utf8)
  }

  /// Makes something under the first scratch name that is free, after clearing away what nobody
  /// holds, and locks it.
  static func make(
    for name: FilePath.Component, in directory: OpenFile,
    _ create: (FilePath.Component) throws(Errno) -> OpenFile
  ) throws(Errno) -> (name: FilePath.Component, file: OpenFile) {
    var made: OpenFile?
    let scratch = try find(for: name, in: directory) { name throws(Errno) in
      let file = try create(name)
      // Between making and locking it, somebody may have taken it for a thing left behind.
      guard try file.tryLock(.exclusive), let status = try directory.status(of: name),
        try file.status().isSameEntry(as: status)
      else { throw .fileExists }
      made = file
    }
    guard let made else { throw .ioError }
    return (scratch, made)
  }

  /// Calls `body` with scratch names until it does not throw `EEXIST`.
  static func find(
    for name: FilePath.Component, in directory: OpenFile,
    _ body: (FilePath.Component) throws(Errno) -> Void
  ) throws(Errno) -> FilePath.Component {
    var scratch = first(.new, for: name)
    var remaining = 16
    while true {
      do throws(Errno) {
        try body(scratch)
        return scratch
      } catch {
        remaining -= 1
        guard error == .fileExists, remaining > 0 else { throw error }
        if try !clear(scratch, in: directory) {
          let number = hexadecimal(UInt64.random(in: 0 ... .max))
          scratch = component(".filecat-\(number).\(Role.new.rawValue)")
        }
      }
    }
  }

  /// Removes an item in two steps: first it gets a scratch name, so that it is gone at once and as a
  /// whole, then it is taken apart.
  ///
  /// - Parameter item: the name from which the scratch name follows.
  /// - Returns: why the directories of `others` could not be flushed. Then nothing is taken apart: the
  ///   disk may still know it as the item.
  /// - Throws: when it could not get that name; then it is as it was. What cannot be taken apart is
  ///   left for the next writer.
  @discardableResult
  static func discard(
    _ name: FilePath.Component, of item: FilePath.Component, in directory: OpenFile,
    flushing others: [OpenFile] = [], _ concern: WriteConcern = .fast
  ) throws(Errno) -> Errno? {
    var scratch = name
    if !isOne(name, .new) {
      scratch = try find(for: item, in: directory) { scratch throws(Errno) in
        try directory.rename(name, toFreeName: scratch, in: directory)
      }
    }
    if let failure = concern.flushNames(in: others) { return failure }
    try? TreeRemoval.remove(scratch, in: directory)
    return nil
  }

  /// Removes a directory as ``discard(_:of:in:flushing:)`` does, and reports what it cannot take apart.
  /// Then what is left of it has its name again.
  static func removeWhole(
    _ name: FilePath.Component, in directory: OpenFile
  ) throws(Errno) {
    let scratch = try find(for: name, in: directory) { scratch throws(Errno) in
      try directory.rename(name, toFreeName: scratch, in: directory)
    }
    do throws(Errno) {
      try TreeRemoval.remove(scratch, in: directory, .respected)
    } catch {
      try? directory.rename(scratch, toFreeName: name, in: directory)
      throw error
    }
  }

  /// Removes what has a scratch name, unless somebody is at work on it. Returns whether the name is
  /// free.
  @discardableResult
  static func clear(_ scratch: FilePath.Component, in directory: OpenFile) throws(Errno) -> Bool {
    guard let status = try directory.status(of: scratch) else { return true }
    let kind = EntryKind(mode: status.mode)
    guard kind == .file || kind == .directory else { return false }
    do throws(Errno) {
      let file = try directory.open(scratch, for: .reading)
      guard try file.tryLock(.exclusive) else { return false }
      // Nobody else clears it away now. It must be the same still: its maker may have finished.
      guard let now = try directory.status(of: scratch), try file.status().isSameEntry(as: now)
      else { return false }
      try TreeRemoval.remove(scratch, in: directory)
      return true
    } catch {
      if error == .noSuchFileOrDirectory { return true }
      if error == .permissionDenied || error == .notPermitted { return false }
      throw error
    }
  }

  /// FNV-1a, 64 bits: the same in every process, which `Hasher` is not.
  private static func hash(of name: FilePath.Component) -> UInt64 {
    name.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A name made of letters, digits and dots, which is always one component.
  private static func component(_ text: String) -> FilePath.Component {
    FilePath.Component(text) ?? "."
  }
}

extension FilePath {
  /// The hidden names under which a coordinator may prepare this item, or put the old one aside.
  package var scratchPaths: [FilePath] {
    guard let name = lastComponent, name.kind == .regular else { return [] }
    return [ScratchName.Role.new, .old].map {
      removingLastComponent().appending(ScratchName.first($0, for: name))
    }
  }
}
