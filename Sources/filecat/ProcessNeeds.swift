import CPlatform
import FileCatalog

/// What the system must allow this process, without which it could not even say what is missing: where a
/// program gets no memory, it ends where it stands.
enum ProcessNeeds {
  /// The files that a scan has open, with one thread that reads one directory after the other.
  private static let openFiles: Int32 = 12

  /// What the system allows too little of.
  enum Shortage: Error, CustomStringConvertible {
    /// More files can be opened, but no more than so many.
    case openFiles(Int32)
    /// There is no room for so many bytes.
    case memory(Int)

    var description: String {
      switch self {
      case .openFiles(let allowed):
        "this process may open \(allowed) files more and needs \(ProcessNeeds.openFiles)"
      case .memory(let needed):
        "this process cannot get the \(needed >> 20) MB of memory that it needs"
      }
    }
  }

  /// Throws where the work could not be done. To be called before this process has opened anything.
  static func check() throws(Shortage) {
    let free = cplatform_free_descriptors(openFiles)
    if free < openFiles { throw .openFiles(free) }
    let memory = memory(forThreads: fewestThreads)
    if cplatform_has_room_for(memory) == 0 { throw .memory(memory) }
  }

  /// How many threads can read directories where `wanted` are wanted, or as many as the disk wants: where
  /// there is little memory, fewer do the same work.
  static func jobs(_ wanted: Int?) -> ScanRequest.Jobs {
    if let wanted { return .fixed(threads(atMost: wanted)) }
    guard case .asNeeded(let most) = ScanRequest.Jobs.usual else { return .usual }
    return .asNeeded(atMost: threads(atMost: most))
  }

  private static func threads(atMost wanted: Int) -> Int {
    var threads = wanted
    while threads > fewestThreads, cplatform_has_room_for(memory(forThreads: threads)) == 0 {
      threads = max(fewestThreads, threads * 3 / 4)
    }
    return threads
  }

  private static let fewestThreads = 2

  /// The batches that each thread fills, and its stack, beside what everything else takes.
  private static func memory(forThreads threads: Int) -> Int { (88 + 4 * threads) << 20 }
}
