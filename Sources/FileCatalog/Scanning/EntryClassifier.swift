internal import FileSystem
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
  private let folder: TypeIndex
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
    folder =
      registry.type(identifier: EntryClass.directory.fallbackIdentifier)
      .flatMap { registry.index(of: $0) } ?? .none
    package = numbering.number(ofIdentifier: BundleNames.package)
  }

  mutating func classify(_ batch: EntryBatch, _ records: Range<Int>, _ probe: DirectoryProbe) {
    for i in records {
      let record = batch.records + i
      classify(record, named: batch.name(of: record.pointee), probe)
    }
    if !providers.isEmpty { askProviders(batch, records, probe) }
  }

  @inline(__always)
  private mutating func classify(
    _ record: UnsafeMutablePointer<EntryRecord>, named name: UnsafeBufferPointer<UInt8>,
    _ probe: DirectoryProbe
  ) {
    let named = names.type(
      of: name, as: EntryClass(record.pointee.kind, record.pointee.status))
    record.pointee.typeCode = named.number
    if let stored, record.pointee.kind == .directory,
      let isPackage = stored.isPackage(name, in: path(of: probe))
    {
      if isPackage { mark(record) }
    } else if named.match.flags.contains(.isPackage) {
      classifyPackage(record, named: name, named.match, probe)
    } else if record.pointee.kind == .directory, named.match.type == folder,
      BundleNames.mayBeBundle(name), probe.hasBundleBit(name)
    {
      record.pointee.typeCode = package
      mark(record)
    }
  }

  private func classifyPackage(
    _ record: UnsafeMutablePointer<EntryRecord>, named name: UnsafeBufferPointer<UInt8>,
    _ match: TypeMatch, _ probe: DirectoryProbe
  ) {
    // A name that is not UTF-8 cannot be asked for below; such a directory stays a folder.
    let directory = String(validating: name, as: UTF8.self)
    let type = numbering.registry.resolve(match) { path in
      directory.map { probe.exists($0 + "/" + path) } ?? false
    }
    record.pointee.typeCode = numbering.number(of: type)
    if type == match.type {
      mark(record)
    } else if probe.hasBundleBit(name) {
      record.pointee.typeCode = numbering.number(of: match.type)
      mark(record)
    }
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
    for i in records {
      let record = batch.records[i]
      let path = directory + (directory.last == slash ? [] : [slash]) + batch.name(of: record)
      let entry = ScannedEntry(
        path: FilePath(bytes: path), kind: record.kind, status: record.status)
      for provider in providers {
        do {
          for (key, value) in try provider.values(of: entry) {
            batch.values.append((i, key, value))
          }
        } catch {
          let relative = below + (below.isEmpty ? [] : [slash]) + batch.name(of: record)
          batch.failures.append(
            FileError(.attributes, FilePath(bytes: relative), providing: error))
        }
      }
    }
  }
}
