internal import FileSystem
internal import SystemPackage
internal import UniformTypes

/// Gives entries their types, says which directories are packages, and asks the providers for
/// further values. One for each walking thread.
struct EntryClassifier {
  private let matcher: TypeMatcher
  private let numbering: TypeNumbering
  private let packages: ScanOptions.Packages
  private let providers: [any ResourceValueProvider]
  private let root: [UInt8]
  private var dynamicNumbers: [DynamicKey: Int32] = [:]

  private struct DynamicKey: Hashable {
    let extensionBytes: [UInt8]
    let entryClass: EntryClass
  }

  init(
    numbering: TypeNumbering, packages: ScanOptions.Packages,
    providers: [any ResourceValueProvider], root: FilePath
  ) {
    matcher = TypeMatcher(numbering.registry)
    self.numbering = numbering
    self.packages = packages
    self.providers = providers
    self.root = root.bytes
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
    let entryClass = EntryClass(record.pointee)
    let match = matcher.match(name, as: entryClass)
    if let range = match.extensionRange {
      record.pointee.typeCode = dynamicNumber(
        UnsafeBufferPointer(rebasing: name[range]), as: entryClass)
      return
    }
    if match.flags.contains(.isPackage) {
      classifyPackage(record, named: name, match, probe)
    } else {
      record.pointee.typeCode = numbering.number(of: match.type)
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
    guard type == match.type else { return }
    record.pointee.traits.insert(.package)
    if packages == .asOneEntry { record.pointee.kind = .package }
  }

  private mutating func dynamicNumber(
    _ bytes: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> Int32 {
    let key = DynamicKey(extensionBytes: Array(bytes), entryClass: entryClass)
    if let number = dynamicNumbers[key] { return number }
    let number = numbering.number(ofDynamicExtension: bytes, as: entryClass)
    dynamicNumbers[key] = number
    return number
  }

  private func askProviders(_ batch: EntryBatch, _ records: Range<Int>, _ probe: DirectoryProbe) {
    let slash = UInt8(ascii: "/")
    let below = probe.relativePath
    let directory = below.isEmpty ? root : root + (root.last == slash ? [] : [slash]) + below
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
          let errno = (error as? FileError)?.errno ?? (error as? Errno) ?? .ioError
          let relative = below + (below.isEmpty ? [] : [slash]) + batch.name(of: record)
          batch.failures.append(FileError(.attributes, FilePath(bytes: relative), errno))
        }
      }
    }
  }
}

extension EntryClass {
  @inline(__always)
  fileprivate init(_ record: borrowing EntryRecord) {
    switch record.kind {
    case .file: self = record.status.mode & 0o111 != 0 ? .executableFile : .file
    case .directory, .package: self = record.status.isMountRoot ? .volume : .directory
    case .symlink: self = .symlink
    case .fifo: self = .fifo
    case .socket: self = .socket
    case .blockDevice: self = .blockDevice
    case .characterDevice: self = .characterDevice
    }
  }
}
