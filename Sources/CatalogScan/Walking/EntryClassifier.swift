package import CatalogStore
internal import FileSystem
package import SQLite
internal import SystemPackage
internal import UniformTypes

/// Gives entries their types, says which directories are packages, and asks the providers for
/// further values. One for each walking thread.
struct EntryClassifier {
  private var names: NameTyping
  private let numbering: TypeNumbering
  private let packages: ScanOptions.Packages
  private let providers: [any ResourceValueProvider]
  private let root: [UInt8]
  private let stored: StoredPackages?
  private let plainDirectory: TypeIndex
  /// The number of the type of a package whose name says nothing.
  private let package: Int32

  /// - Parameter stored: decides what is a package where it knows the directory.
  init(
    numbering: TypeNumbering, packages: ScanOptions.Packages,
    providers: [any ResourceValueProvider], root: FilePath, stored: StoredPackages?
  ) {
    names = NameTyping(numbering)
    self.numbering = numbering
    self.packages = packages
    self.providers = providers
    self.root = root.bytes
    self.stored = stored
    let registry = numbering.registry
    plainDirectory =
      registry.type(identifier: EntryClass.directory.fallbackIdentifier)
      .flatMap { registry.index(of: $0) } ?? .none
    package = numbering.number(ofIdentifier: BundleNames.package)
  }

  mutating func classify(_ batch: EntryBatch, _ records: Range<Int>, _ probe: DirectoryProbe) {
    for i in records {
      classify(batch.records + i, of: batch, probe)
    }
    if !providers.isEmpty { askProviders(batch, records, probe) }
  }

  @inline(__always)
  private mutating func classify(
    _ record: UnsafeMutablePointer<EntryRecord>, of batch: EntryBatch, _ probe: DirectoryProbe
  ) {
    let name = batch.name(of: record.pointee)
    let named = names.type(
      of: name, as: EntryClass(record.pointee.kind, record.pointee.status))
    record.pointee.typeCode = named.number
    if let stored, record.pointee.kind == .directory,
      let isPackage = stored.isPackage(name, in: path(of: probe))
    {
      if isPackage { mark(record) }
    } else if named.match.flags.contains(.isPackage) {
      classifyPackage(record, of: batch, named.match, probe)
    } else if record.pointee.kind == .directory, named.match.type == plainDirectory,
      BundleNames.mayBeBundle(name), hasBundleBit(record, of: batch, probe)
    {
      record.pointee.typeCode = package
      mark(record)
    }
  }

  private func classifyPackage(
    _ record: UnsafeMutablePointer<EntryRecord>, of batch: EntryBatch, _ match: TypeMatch,
    _ probe: DirectoryProbe
  ) {
    let name = batch.name(of: record.pointee)
    // A name that is not UTF-8 cannot be asked for below; such a directory stays a plain one.
    let directory = String(validating: name, as: UTF8.self)
    var failure: Errno?
    let type = numbering.registry.resolve(match) { path in
      do throws(Errno) {
        return try directory.map { name throws(Errno) in try probe.exists(name + "/" + path) }
          ?? false
      } catch {
        failure = error
        return false
      }
    }
    record.pointee.typeCode = numbering.number(of: type)
    if type == match.type {
      mark(record)
    } else if let failure {
      leaveOpen(record, of: batch, FileError(.status, FilePath(bytes: Array(name)), failure), probe)
    } else if hasBundleBit(record, of: batch, probe) {
      record.pointee.typeCode = numbering.number(of: match.type)
      mark(record)
    }
  }

  private func hasBundleBit(
    _ record: UnsafeMutablePointer<EntryRecord>, of batch: EntryBatch, _ probe: DirectoryProbe
  ) -> Bool {
    do throws(FileError) {
      return try probe.hasBundleBit(
        batch.name(of: record.pointee), listedAs: record.pointee.status)
    } catch {
      leaveOpen(record, of: batch, error, probe)
      return false
    }
  }

  /// Notes that it could not be found out whether a directory is a package: where the catalog has it as
  /// one, it stays one.
  private func leaveOpen(
    _ record: UnsafeMutablePointer<EntryRecord>, of batch: EntryBatch, _ failure: FileError,
    _ probe: DirectoryProbe
  ) {
    record.pointee.traits.insert(.undetermined)
    // Who may not look into the directory is told that when it is walked.
    let isDirectory = failure.path.bytes.elementsEqual(batch.name(of: record.pointee))
    if isDirectory, failure.errno == .permissionDenied { return }
    let place = FilePath(bytes: probe.relativePath)
    batch.failures.append(
      FileError(failure.operation, place.pushing(failure.path), failure.errno))
  }

  private func mark(_ record: UnsafeMutablePointer<EntryRecord>) {
    record.pointee.traits.insert(.package)
    if packages == .asOneEntry { record.pointee.kind = .package }
  }

  /// The absolute path of the directory whose entries are classified.
  private func path(of probe: DirectoryProbe) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let below = probe.relativePath
    return below.isEmpty ? root : root + (root.last == slash ? [] : [slash]) + below
  }

  private func askProviders(_ batch: EntryBatch, _ records: Range<Int>, _ probe: DirectoryProbe) {
    let slash = UInt8(ascii: "/")
    let below = probe.relativePath
    let directory = path(of: probe)
    let opened = probe.systemPath?.bytes ?? directory
    for i in records {
      let record = batch.records[i]
      let name = batch.name(of: record)
      let entry = ScannedEntry(
        path: FilePath(bytes: directory + (directory.last == slash ? [] : [slash]) + name),
        place: FilePath(bytes: opened + (opened.last == slash ? [] : [slash]) + name),
        kind: record.kind, status: record.status)
      for provider in providers {
        do {
          for (key, value) in try provider.storableValues(of: entry) {
            batch.values.append((i, key, value))
          }
        } catch {
          batch.records[i].traits.insert(.partialValues)
          let relative = below + (below.isEmpty ? [] : [slash]) + name
          batch.failures.append(
            FileError(.attributes, FilePath(bytes: relative), providing: error))
        }
      }
    }
  }
}

/// Which directories of a root the catalog holds as packages, and which as directories.
///
/// Whether a directory is one item is decided by a scan, from the declarations of its time, and is no
/// fact of the disk. A comparison goes by what was decided: it then compares like with like, and
/// declarations that came or went since are no difference. What would make a package of a directory,
/// such as an Info.plist that appeared in it, is reported as what it is: a new file.
package struct StoredPackages: Sendable {
  private let isPackage: [[UInt8]: Bool]

  /// Reads the directories that a declaration can make packages of: those with a dot in their names.
  package init(of root: RootRecord, in db: Connection) throws {
    let directories = SQL(
      """
      SELECT f.exact_path, e.name, e.kind
      FROM _directory_paths f JOIN _entries e ON e.parent_id = f.id
      WHERE f.root_id = ?
        AND e.kind IN (\(EntryKind.directory.rawValue), \(EntryKind.package.rawValue))
      """, [.integer(root.id)])
    var isPackage: [[UInt8]: Bool] = [:]
    try db.forEach(directories) { row in
      let name = row.bytes(1)
      let kind = EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(2)))
      guard kind == .package || name.contains(UInt8(ascii: ".")) else { return }
      isPackage[Self.join(Array(row.bytes(0)), name)] = kind == .package
    }
    self.isPackage = isPackage
  }

  /// Whether the directory `name` in the directory with an absolute path is held as a package; `nil`
  /// if the catalog does not have it, or nothing could make a package of it.
  func isPackage(_ name: UnsafeBufferPointer<UInt8>, in directory: [UInt8]) -> Bool? {
    isPackage[Self.join(directory, name)]
  }

  private static func join(_ directory: [UInt8], _ name: some Collection<UInt8>) -> [UInt8] {
    directory + (directory.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
  }
}
