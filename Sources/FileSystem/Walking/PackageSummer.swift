internal import SystemPackage

/// Adds up what a package holds, so that it can be one entry.
///
/// It runs on the thread that met the package, with directory handles and without recursion.
struct PackageSummer {
  private struct Level {
    let handle: DirectoryHandle
    let path: [UInt8]
    var subdirectories: [[CChar]]
  }

  private let source: any DirectorySource
  private let boundary: WalkOptions.Boundary
  private let batch = EntryBatch()

  init(source: any DirectorySource, boundary: WalkOptions.Boundary) {
    self.source = source
    self.boundary = boundary
  }

  /// Replaces size and allocated of `record`, a package in the open directory `parent`, by the sums
  /// over the package and everything in it, and sets the number of its files. A file with several
  /// links inside the package occupies the disk once. Packages inside count as part of it.
  func sum(
    _ record: UnsafeMutablePointer<EntryRecord>,
    named name: UnsafeBufferPointer<UInt8>,
    in parent: DirectoryHandle,
    onFailure: (FileError.Operation, [UInt8], Errno) -> Void
  ) {
    var size: Int64 = 0
    var allocated = record.pointee.status.allocated
    var files: Int64 = 0
    var linked: Set<UInt64> = []
    let device = record.pointee.status.device
    var levels: [Level] = []

    func enter(_ name: [CChar], path: [UInt8], in directory: DirectoryHandle) {
      do throws(Errno) {
        let handle = try source.open(name, in: directory)
        var level = Level(handle: handle, path: path, subdirectories: [])
        do throws(Errno) {
          try source.startReading(handle)
          try read(into: &level)
        } catch {
          onFailure(.read, path, error)
        }
        levels.append(level)
      } catch {
        if error != .noSuchFileOrDirectory { onFailure(.open, path, error) }
      }
    }

    func read(into level: inout Level) throws(Errno) {
      var progress = ReadProgress.more
      while progress == .more {
        batch.reset()
        progress = try source.readEntries(into: batch, leavingOut: nil) { operation, name, errno in
          onFailure(operation, level.path + [UInt8(ascii: "/")] + name, errno)
        }
        for i in 0..<batch.count {
          let item = batch.records[i]
          let status = item.status
          if boundary == .oneFileSystem && status.device != device { continue }
          if item.kind == .directory {
            level.subdirectories.append(batch.name(of: item).map { CChar(bitPattern: $0) } + [0])
            allocated += status.allocated
            continue
          }
          files += 1
          size += status.size
          if status.links < 2 || linked.insert(status.inode).inserted {
            allocated += status.allocated
          }
        }
      }
    }

    enter(name.map { CChar(bitPattern: $0) } + [0], path: Array(name), in: parent)
    while let last = levels.indices.last {
      guard let next = levels[last].subdirectories.popLast() else {
        source.close(levels[last].handle)
        levels.removeLast()
        continue
      }
      let path =
        levels[last].path + [UInt8(ascii: "/")] + next.dropLast().map { UInt8(bitPattern: $0) }
      enter(next, path: path, in: levels[last].handle)
    }
    record.pointee.status.size = size
    record.pointee.status.allocated = allocated
    record.pointee.packagedFiles = files
  }
}
