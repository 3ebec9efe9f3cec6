internal import FileSystem

/// Listings that wait for the end of the walk, since it is undecided whose they are.
///
/// They are kept as the walk gave them, so taking them in later is the same. Memory is bounded: what
/// does not fit is read again.
struct KeptListings {
  typealias Slot = RescanTree.Slot

  /// How many batches there may be: about as many as the walk itself has.
  static let limit = 32

  private(set) var batches: [EntryBatch] = []
  /// The directories whose listings are kept as a whole.
  private(set) var directories: Set<Slot> = []

  var isEmpty: Bool { batches.isEmpty }

  /// Keeps the whole listing of a directory, if there is room.
  mutating func keep(
    _ section: DirectorySection, of batch: EntryBatch, as slot: Slot, _ reading: WalkReading
  ) {
    guard batches.count < Self.limit else { return }
    directories.insert(slot)
    append(section, of: batch, as: slot, section.records, reading)
  }

  /// Keeps the directories in a listing of which it is undecided which they are.
  mutating func keepUndecided(
    of section: DirectorySection, of batch: EntryBatch, as slot: Slot, _ reading: WalkReading
  ) {
    let positions = batch.directories[section.directories].lazy.map { Int($0) }.filter {
      reading.isUndecided(batch.records[$0])
    }
    if positions.isEmpty { return }
    append(section, of: batch, as: slot, Array(positions), reading)
  }

  private mutating func append(
    _ section: DirectorySection, of batch: EntryBatch, as slot: Slot,
    _ positions: some Collection<Int>, _ reading: WalkReading
  ) {
    let count = batches.last?.count ?? EntryBatch.capacity
    if batches.isEmpty || count + positions.count > EntryBatch.capacity {
      batches.append(EntryBatch())
    }
    batches.last?.append(section, of: batch, as: slot, keeping: positions) {
      reading.slot(of: $0.directoryIndex) ?? RescanTree.none
    }
  }
}
