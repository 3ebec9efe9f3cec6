/// Merges the runs of a ``RunFile``: a binary heap of their present keys.
struct RunMerge: ~Copyable {
  // Not a buffer pointer: in a noncopyable type the compiler fails on one with the thread sanitizer
  // (https://github.com/swiftlang/swift/issues/86265).
  private let readers: UnsafeMutablePointer<RunReader>
  private let runCount: Int
  /// Positions of ``readers``: the one with the lowest key is the first; none has a lower key than
  /// that at half its place.
  private var heap: [Int] = []
  private var duplicateFinder: DuplicateFinder?

  /// Of a unique index.
  var duplicates: [DuplicateKey] { duplicateFinder?.found ?? [] }

  /// - Parameter memory: How many bytes to read at once, of all runs together.
  init(_ file: RunFile, memory: Int, for slot: IndexSlot) throws(PageLoaderError) {
    duplicateFinder = slot.isUnique ? DuplicateFinder(slot.columns) : nil
    runCount = file.runs.count
    readers = .allocate(capacity: runCount)
    for run in file.runs.indices {
      (readers + run).initialize(to: RunReader(file, run: run, memory: memory / runCount))
    }
    for run in file.runs.indices where try readers[run].next() { heap.append(run) }
    for place in heap.indices.reversed() { sink(place) }
  }

  deinit {
    readers.deinitialize(count: runCount)
    readers.deallocate()
  }

  /// Hands over all keys in order.
  mutating func write(to index: inout IndexBuilder) throws(PageLoaderError) {
    while let first = heap.first {
      duplicateFinder?.look(at: readers[first])
      try index.append(readers[first].integer, readers[first].key)
      if try !readers[first].next() {
        let last = heap.removeLast()
        if heap.isEmpty { return }
        heap[0] = last
      }
      sink(0)
    }
  }

  /// Lets the run at a place of the heap sink to where it belongs.
  private mutating func sink(_ place: Int) {
    let run = heap[place]
    var hole = place
    while true {
      var child = 2 * hole + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, readers[heap[child + 1]] < readers[heap[child]] { child += 1 }
      guard readers[heap[child]] < readers[run] else { break }
      heap[hole] = heap[child]
      hole = child
    }
    heap[hole] = run
  }
}

/// Compares each key of an index with the one before it.
private struct DuplicateFinder {
  private let columns: IndexSlot.Columns
  private(set) var found: [DuplicateKey] = []
  private var integer: Int64?
  private var bytes: [UInt8] = []
  /// The row of the key before; `nil` when a column of that is NULL: to SQL it equals none.
  private var rowid: Int64?

  init(_ columns: IndexSlot.Columns) {
    self.columns = columns
  }

  mutating func look(at run: borrowing RunReader) {
    let key = run.key
    let isComparable =
      (!columns.contains(.integer) || run.integer != nil)
      && (!columns.contains(.bytes) || key.value.storage != .null)
    if isComparable, let rowid, integer == run.integer, bytes.elementsEqual(key.bytes) {
      found.append(.init(rowid: key.rowid, earlierRowid: rowid))
    }
    rowid = isComparable ? key.rowid : nil
    integer = run.integer
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: key.bytes)
  }
}
