internal import FileSystem
public import SystemPackage

extension FileCoordinator {
  /// Reads a package. Links at the end of the path are followed.
  ///
  /// - Parameter largest: files of more bytes are not read yet; see ``DocumentPackage/Content``.
  /// - Throws: ``CoordinationError``, `notADirectory` if it is a file, `unsupported` if something
  ///   in it is neither file nor directory nor link.
  public func readPackage(
    at path: FilePath, readingFilesUpTo largest: Int = 64 * 1024
  ) async throws(CoordinationError) -> DocumentPackage {
    let request = AccessRequest(.reading, path, form: .package)
    let (package, access) = try await begin(.read, [request]) {
      (locks) throws(CoordinationError) in
      try locks.items[0].readPackage(largest: largest, for: .read)
    }
    access.end()
    return package
  }

  /// Writes a package, in the place of one that is there or at a free name. Its directory must exist.
  ///
  /// The package is built beside its place and gets there in one step, so that readers, and whoever
  /// looks after a crash, see the old one or the new one and never a mixture. On file systems that
  /// cannot swap two names in one step there is a moment without the package; what a crash leaves
  /// then is put right when a coordinator next asks for the package.
  ///
  /// Files that are unchanged are not written again: the new package takes them over from the old.
  /// Changed files keep their attributes as in ``write(_:to:)``, and so do directories.
  ///
  /// - Throws: ``CoordinationError``; then the package is as it was before.
  public func write(
    _ package: DocumentPackage, to path: FilePath
  ) async throws(CoordinationError) {
    let request = AccessRequest(.writing, path, form: .package)
    let concern = writeConcern
    let way = packageSwap
    let (change, access) = try await begin(.write, [request]) {
      (locks) throws(CoordinationError) in
      try locks.replace(locks.items[0], with: package, concern, way, for: .write)
    }
    try await commit([change], access, for: .write)
  }

  /// Reads a package, changes it and replaces it, while nobody else gets at it.
  ///
  /// - Parameters:
  ///   - largest: files of more bytes are not read; see ``DocumentPackage/Content``.
  ///   - transform: changes the value. What it leaves alone is taken over and not written again.
  /// - Throws: ``CoordinationError``, `notFound` if there is no package, and whatever `transform`
  ///   throws. Then the package is as it was before.
  public func updatePackage(
    at path: FilePath, readingFilesUpTo largest: Int = 64 * 1024,
    _ transform: @Sendable (inout DocumentPackage) async throws -> Void
  ) async throws {
    let request = AccessRequest(.updating, path, form: .package)
    let concern = writeConcern
    let way = packageSwap
    let (old, access) = try await begin(.update, [request]) {
      (locks) throws(CoordinationError) in
      try locks.items[0].readPackage(largest: largest, for: .update)
    }
    do {
      let new = try await access.holding {
        var package = old
        try await transform(&package)
        return package
      }
      let locks = access.locks
      let change = try await Blocking.run { () throws(CoordinationError) in
        try locks.replace(locks.items[0], with: new, concern, way, for: .update)
      }
      try await commit(change.map { [$0] } ?? [], access, for: .update)
    } catch {
      access.end()
      throw error
    }
  }
}

extension HeldItem {
  /// Reads a directory that must be there.
  fileprivate func readPackage(
    largest: Int, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> DocumentPackage {
    guard kind == .directory, let file else {
      throw CoordinationError(.notADirectory, operation, request.path)
    }
    let reader = PackageReader(largest: largest, operation: operation)
    var package = DocumentPackage()
    package.root = try reader.read(file, at: place.realPath)
    return package
  }
}

extension ItemLocks {
  /// Replaces a held package, or makes it.
  ///
  /// - Returns: what has changed; `nil` if somebody took the name that was free.
  fileprivate func replace(
    _ item: HeldItem, with package: DocumentPackage, _ concern: WriteConcern,
    _ way: NameSwap.Way, for operation: CoordinationError.Operation
  ) throws(CoordinationError) -> CoordinatedChange? {
    let place = item.place
    let path = item.request.path
    if item.status != nil && item.kind != .directory {
      throw CoordinationError(.notADirectory, operation, path)
    }
    let (scratch, new) = try reporting(operation, path) { () throws(Errno) in
      try ScratchName.make(for: place.name, in: place.directory) { name throws(Errno) in
        try place.directory.makeDirectory(name)
        return try place.directory.open(name, for: .listing)
      }
    }
    keep(new)
    var change = CoordinatedChange(item.status == nil ? .created : .written, place.realPath)
    do throws(CoordinationError) {
      let staging = PackageStaging(
        oldPath: place.realPath, concern: concern, operation: operation)
      try staging.fill(new, with: package.root, replacing: item.file, at: path)
      let swap = NameSwap(
        directory: place.directory, name: place.name, concern: concern, way: way)
      let stands = try reporting(operation, path) { () throws(Errno) in
        if item.status == nil { return try swap.runAtFreeName(with: scratch) }
        change.unflushed = try swap.run(with: scratch, in: place.directory)
        return true
      }
      guard stands else {
        try? TreeRemoval.remove(scratch, in: place.directory)
        return nil
      }
      if item.status == nil { change.unflushed = concern.flushNames(in: [place.directory]) }
    } catch {
      try? TreeRemoval.remove(scratch, in: place.directory)
      throw error
    }
    return change
  }
}
