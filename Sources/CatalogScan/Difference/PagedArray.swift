internal import SQLite
internal import SystemPackage

/// Plain values by number, however many there are: those that were asked for last are in memory, the others
/// in a file without a name beside the catalog.
///
/// Directories that stand side by side are asked for one after the other, so little is read back. Where
/// there is no room for the file, all values stay in memory. What cannot be read back is nothing but zeros from then on, which nobody
/// may act on: ``requireSound()`` tells.
struct PagedArray<Element: BitwiseCopyable> {
  private var storage: PageStorage<Element>

  /// An empty array.
  ///
  /// - Parameters:
  ///   - path: the catalog; `nil` keeps all values in memory.
  ///   - memory: how many bytes of values stay in memory.
  init(beside path: FilePath?, memory: Int = 6 << 20) {
    storage = PageStorage(beside: path, memory: memory)
  }

  var count: Int { storage.count }
  var indices: Range<Int> { 0..<storage.count }
  var first: Element? { count == 0 ? nil : self[0] }
  var last: Element? { count == 0 ? nil : self[count - 1] }

  /// A value is copied, since asking for another one may take its place.
  subscript(index: Int) -> Element {
    @inline(__always) get { storage.place(index, .read).pointee }
    @inline(__always) _modify {
      makeUnique()
      yield &storage.place(index, .changed).pointee
    }
  }

  mutating func append(_ element: Element) {
    makeUnique()
    storage.append(element)
  }

  /// Throws why values could not be read back, where that is so.
  func requireSound() throws(PageLoaderError) {
    if let failure = storage.failure { throw failure }
  }

  @inline(__always)
  private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
  }
}

/// Pages of values, and which of them are in memory.
private final class PageStorage<Element: BitwiseCopyable> {
  private struct Page {
    /// `nil` while the page is in the file only.
    var memory: UnsafeMutablePointer<Element>?
    /// Whether it was asked for since it was last looked at.
    var isRecent = true
    /// Whether the file does not have it as it is.
    var isChanged = true
  }

  enum Access {
    case read
    case changed
  }

  /// How many values a page has, as a power of two.
  private static var bits: Int { 8 }
  private static var valuesInPage: Int { 1 << bits }
  private static var pageSize: Int { valuesInPage * MemoryLayout<Element>.stride }

  private let path: FilePath?
  private let memory: Int
  // Nothing here calls back, so no two accesses overlap: to have that checked at each costs more than the
  // access.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var pages: [Page] = []
  @exclusivity(unchecked) private var pagesInMemory = 0
  /// How many pages may be in memory.
  @exclusivity(unchecked) private var limit: Int
  /// The page that is looked at next for one that can go.
  @exclusivity(unchecked) private var hand = 0
  @exclusivity(unchecked) private var file: DatabaseFile?
  @exclusivity(unchecked) private(set) var failure: PageLoaderError?

  init(beside path: FilePath?, memory: Int) {
    self.path = path
    self.memory = memory
    limit = path == nil ? Int.max : max(2, memory / Self.pageSize)
  }

  deinit {
    for page in pages { page.memory?.deallocate() }
  }

  func copy() -> PageStorage {
    let copy = PageStorage(beside: path, memory: memory)
    for index in 0..<count { copy.append(place(index, .read).pointee) }
    copy.failure = failure
    return copy
  }

  func append(_ element: Element) {
    if count & (Self.valuesInPage - 1) == 0 {
      let memory = takeMemory()
      memory.initialize(repeating: element, count: Self.valuesInPage)
      pages.append(Page(memory: memory))
    }
    count += 1
    place(count - 1, .changed).pointee = element
  }

  /// Where a value is, until the next one is asked for.
  @inline(__always)
  func place(_ index: Int, _ access: Access) -> UnsafeMutablePointer<Element> {
    precondition(index >= 0 && index < count, "no such value")
    let page = index >> Self.bits
    let memory = pages[page].memory ?? readBack(page)
    pages[page].isRecent = true
    if access == .changed { pages[page].isChanged = true }
    return memory + (index & (Self.valuesInPage - 1))
  }

  @inline(never)
  private func readBack(_ page: Int) -> UnsafeMutablePointer<Element> {
    let memory = takeMemory()
    let buffer = UnsafeMutableRawBufferPointer(start: memory, count: Self.pageSize)
    do throws(PageLoaderError) {
      guard let file else { preconditionFailure("a page that is nowhere") }
      try file.fill(buffer, at: page * Self.pageSize)
    } catch {
      failure = failure ?? error
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }
    pages[page] = Page(memory: memory, isChanged: false)
    return memory
  }

  /// Memory for one more page: that of another one, where there are enough.
  private func takeMemory() -> UnsafeMutablePointer<Element> {
    if pagesInMemory >= limit, let memory = releaseOne() { return memory }
    pagesInMemory += 1
    return .allocate(capacity: Self.valuesInPage)
  }

  /// Lets go of a page that was not asked for in a while.
  ///
  /// - Returns: its memory; `nil` where nothing can be written.
  private func releaseOne() -> UnsafeMutablePointer<Element>? {
    while true {
      hand = hand + 1 < pages.count ? hand + 1 : 0
      guard let memory = pages[hand].memory else { continue }
      if pages[hand].isRecent {
        pages[hand].isRecent = false
        continue
      }
      guard !pages[hand].isChanged || write(memory, as: hand) else {
        limit = .max
        return nil
      }
      pages[hand].memory = nil
      return memory
    }
  }

  private func write(_ memory: UnsafeMutablePointer<Element>, as page: Int) -> Bool {
    guard let path else { return false }
    do {
      let file = try file ?? DatabaseFile(unnamedBeside: path)
      self.file = file
      try file.write(
        UnsafeRawBufferPointer(start: memory, count: Self.pageSize), at: page * Self.pageSize)
      return true
    } catch {
      return false
    }
  }
}
