internal import SystemPackage

/// Adds up what a package holds, so that it can be one entry.
///
/// It runs on the thread that met the package, one directory open at a time and without recursion.
struct PackageSummer {
  /// What a package holds, beyond its own row.
  struct Sums {
    var files: Int64 = 0
    var size: Int64 = 0
    /// With the blocks of the directories inside.
    var allocated: Int64 = 0
    /// The files that have several names, each once: other names may be outside.
    var links: [LinkedFile] = []
    /// Of everything inside.
    var fingerprint = DirectoryFingerprint()
  }

  private let source: any DirectorySource
  private let boundary: WalkOptions.Boundary
  private let skipped: FileSystemTypes
  private let batch = EntryBatch()

  init(source: any DirectorySource, options: WalkOptions) {
    self.source = source
    boundary = options.boundary
    skipped = options.skippedFileSystems
  }

  /// Adds up a package. A file with several names inside occupies the disk once. Packages inside
  /// count as part of it.
  ///
  /// - Parameters:
  ///   - name: the package's name in the open directory `parent`.
  ///   - package: which directory it is.
  ///   - exclusion: which entries of a directory, given by its path from `parent`, are left out.
  func sum(
    _ name: [UInt8],
    in parent: DirectoryHandle,
    package: DirectoryIdentity,
    leavingOut exclusion: ([UInt8]) -> EntryExclusion?,
    onFailure: (FileError.Operation, [UInt8], Errno) -> Void
  ) -> Sums {
    var sums = Sums()
    var seen: Set<LinkedFile> = []
    var pending = [(path: name, identity: package)]
    while let (path, identity) = pending.popLast() {
      let handle: DirectoryHandle
      do throws(Errno) {
        handle = try source.open(below: parent, path: path, expecting: identity)
      } catch {
        // What vanished after its name was read has nothing in it any more.
        if !error.saysReplaced { onFailure(.open, path, error) }
        continue
      }
      defer { source.close(handle) }
      do throws(Errno) {
        try source.startReading(handle)
        let isExcluded = exclusion(path)
        var progress = ReadProgress.more
        while progress == .more {
          batch.reset()
          progress = try source.readEntries(
            into: batch, leavingOut: isExcluded
          ) { operation, name, errno in
            onFailure(operation, path + [UInt8(ascii: "/")] + name, errno)
          }
          for i in 0..<batch.count {
            let item = batch.records[i]
            if item.status.device != identity.device,
              isBeyondBoundary(item, named: batch.name(of: item), in: handle)
            {
              continue
            }
            let itemPath = path + [UInt8(ascii: "/")] + batch.name(of: item)
            // By the path inside the package: its own name is no part of its content.
            itemPath.withUnsafeBufferPointer {
              sums.fingerprint.add(
                item, name: UnsafeBufferPointer(rebasing: $0[name.count...]),
                target: batch.target(of: item))
            }
            if item.kind == .directory {
              pending.append((itemPath, DirectoryIdentity(item.status)))
              sums.allocated.add(clamped: item.status.allocated)
            } else {
              add(item, to: &sums, seen: &seen)
            }
          }
        }
      } catch {
        onFailure(.read, path, error)
      }
    }
    return sums
  }

  /// Whether what is mounted in a package is no part of it.
  private func isBeyondBoundary(
    _ item: EntryRecord, named name: UnsafeBufferPointer<UInt8>, in directory: DirectoryHandle
  ) -> Bool {
    if boundary == .oneFileSystem { return true }
    guard !skipped.isEmpty else { return false }
    let name = name.map { CChar(bitPattern: $0) } + [0]
    let type = source.fileSystem(of: name, in: directory, device: item.status.device)
    return type.map(skipped.contains) ?? false
  }

  private func add(_ item: EntryRecord, to sums: inout Sums, seen: inout Set<LinkedFile>) {
    sums.files += 1
    sums.size.add(clamped: item.status.size)
    guard item.status.links > 1 else {
      sums.allocated.add(clamped: item.status.allocated)
      return
    }
    let file = LinkedFile(item.status)
    guard seen.insert(file).inserted else { return }
    sums.allocated.add(clamped: file.allocated)
    sums.links.append(file)
  }
}
