internal import FileSystem
internal import SystemPackage

/// Putting a new file in the place of an old one, or at a free name, in one step.
struct FileReplacement {
  /// The directory of the file.
  var directory: OpenFile
  /// The name that the file has, or gets.
  var name: FilePath.Component
  /// The file that has the name, `nil` if it is free.
  var original: OpenFile?
  /// Who may use the file if the name is free, less what the process's mask takes away.
  var permissions: FilePermissions
  var concern: WriteConcern

  /// Writes the new file and gives it its name. The file is on the disk then, if `concern` says so; to
  /// flush the name is left to the caller.
  ///
  /// - Parameter fill: writes the content.
  /// - Returns: the new file, locked exclusively since before it had the name; `nil` if the name was
  ///   thought to be free and is not.
  func commit(_ fill: (OpenFile) throws(Errno) -> Void) throws(Errno) -> OpenFile? {
    // Nobody but the owner gets at the new content before the permissions are those of the old.
    let mode = original == nil ? permissions.rawValue : 0o600
    if let file = directory.openNameless(mode: mode) {
      try complete(file, fill)
      return try name(file) ? file : nil
    }
    let scratch = try ScratchName.make(for: name, in: directory) { name throws(Errno) in
      try directory.open(name, for: .creating, mode: mode)
    }
    do throws(Errno) {
      try complete(scratch.file, fill)
      return try rename(scratch.name) ? scratch.file : nil
    } catch {
      try? directory.remove(scratch.name)
      throw error
    }
  }

  private func complete(
    _ file: OpenFile, _ fill: (OpenFile) throws(Errno) -> Void
  ) throws(Errno) {
    // Held by nobody else: it has no name yet, or one that others leave alone.
    _ = try file.tryLock(.exclusive)
    try fill(file)
    if let original { try file.takeAttributes(of: original) }
    if concern == .durable { try file.flush() }
  }

  /// Gives the name to a file that has none.
  private func name(_ file: OpenFile) throws(Errno) -> Bool {
    guard original != nil else {
      do throws(Errno) {
        try directory.adopt(file, as: name)
      } catch {
        if error == .fileExists { return false }
        throw error
      }
      return true
    }
    // A file without a name cannot replace another: it needs one for a moment.
    let scratch = try ScratchName.find(for: name, in: directory) { name throws(Errno) in
      try directory.adopt(file, as: name)
    }
    do throws(Errno) {
      return try rename(scratch)
    } catch {
      try? directory.remove(scratch)
      throw error
    }
  }

  private func rename(_ scratch: FilePath.Component) throws(Errno) -> Bool {
    if original != nil {
      try directory.rename(scratch, to: name, in: directory)
    } else {
      do throws(Errno) {
        try directory.rename(scratch, toFreeName: name, in: directory)
      } catch {
        guard error == .fileExists else { throw error }
        try directory.remove(scratch)
        return false
      }
    }
    return true
  }
}
