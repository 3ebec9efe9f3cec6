import FileSystem
import SystemPackage

/// A tree of any size that is on no disk: what a scan finds follows from numbers.
///
/// Directory `k` holds ten files and the directories `8k + 1` to `8k + 8`, as far as they exist;
/// directory 1 holds ten thousand files more.
final class SimulatedTree: DirectorySource {
  private static let files = 10
  private static let branches = 8
  private static let extraFiles = 10_000
  private static let names = [
    "index", "README", "IMG_", "report ", "main", "libfoo", "Überblick", "test_case", "a", "Photo-",
  ]
  private static let endings = [
    ".html", ".md", ".jpg", ".pdf", ".swift", ".so", ".txt", ".png", "", ".tar.gz",
  ]

  private let directories: Int
  private var current = 0
  private var next = 0

  /// A tree of about so many entries.
  init(entries: Int) {
    directories = max(2, (entries - Self.extraFiles) / (Self.files + 1))
  }

  func open(root: FilePath) throws(Errno) -> DirectoryHandle { DirectoryHandle(rawValue: 0) }

  func open(
    _ path: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) throws(Errno) -> DirectoryHandle {
    // A directory's name ends in its number, and a path in a name.
    let text = String(cString: path)
    guard let number = text.split(separator: "-").last.flatMap({ Int32($0) }) else {
      throw .noSuchFileOrDirectory
    }
    return DirectoryHandle(rawValue: number)
  }

  func close(_ handle: DirectoryHandle) {}

  func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus {
    status(ofDirectory: Int(handle.rawValue))
  }

  func volume(of handle: DirectoryHandle, device: UInt64) -> VolumeIdentity {
    VolumeIdentity(device: device)
  }

  func exists(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) -> Bool { false }

  func startReading(_ handle: DirectoryHandle) throws(Errno) {
    current = Int(handle.rawValue)
    next = 0
  }

  func readEntries(
    into batch: EntryBatch,
    leavingOut isExcluded: EntryExclusion?,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) throws(Errno) -> ReadProgress {
    let files = Self.files + (current == 1 ? Self.extraFiles : 0)
    while !batch.isFull {
      if next < files {
        append(file: next, to: batch)
      } else {
        let branch = next - files
        let directory = Self.branches * current + branch + 1
        guard branch < Self.branches, directory < directories else { return .finished }
        let name = "branch-\(directory)"
        name.withCString { start in
          _ = batch.append(
            name: start, length: name.utf8.count, kind: .directory,
            status: status(ofDirectory: directory))
        }
      }
      next += 1
    }
    return .more
  }

  private func append(file: Int, to batch: EntryBatch) {
    var random = Mixer(seed: UInt64(current) << 20 | UInt64(file))
    let stem = Self.names[random.below(Self.names.count)]
    let name =
      "\(stem)\(file > 9 ? "\(file)" : "\(random.below(1000))x\(file)")"
      + Self.endings[random.below(Self.endings.count)]
    var status = values(&random)
    status.mode = 0o100644
    status.size = (Int64(1) << Int64(random.below(24))) + Int64(random.below(1000))
    status.allocated = (status.size + 4095) / 4096 * 4096
    status.inode = UInt64(directories + current * 20_000 + file + 1)
    name.withCString { start in
      _ = batch.append(name: start, length: name.utf8.count, kind: .file, status: status)
    }
  }

  private func status(ofDirectory number: Int) -> FileStatus {
    var random = Mixer(seed: UInt64(number) | 1 << 63)
    var status = values(&random)
    status.mode = 0o40755
    status.size = 4096
    status.allocated = 4096
    status.inode = UInt64(number + 1)
    return status
  }

  private func values(_ random: inout Mixer) -> FileStatus {
    var status = FileStatus()
    let fiveYears = 5 * 365 * 86_400
    status.modified = Int64(1_600_000_000 + random.below(fiveYears)) * 1_000_000_000
    status.created = status.modified - Int64(random.below(1000)) * 1_000_000_000
    status.changed = status.modified
    status.accessed = status.modified
    status.uid = UInt32(1000 + random.below(3))
    status.gid = status.uid
    status.links = 1
    status.device = 99
    return status
  }
}

/// Random numbers that follow from a seed (SplitMix64, Steele, Lea and Flood 2014).
private struct Mixer {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(limit))
  }
}
