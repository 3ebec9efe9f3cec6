internal import SystemPackage

/// The pages of the file: hands out numbers at the end of the file and writes whole runs of pages.
///
/// The trees of one file share it. Until ``finish()`` the header and the root pages are untouched,
/// so to SQLite the file is still what it was before. In a file that others have open that stays so: no
/// page that is there is written to (``graft()``).
final class PageWriter {
  let format: PageFormat
  /// Whether others have the file open.
  let isLive: Bool
  private let file: any PageFile
  /// How many pages the database has without those that were appended here.
  let oldPageCount: UInt32
  private var pageCount: UInt32
  /// Where the trees begin now that have moved.
  private var movedRoots: [(old: UInt32, new: UInt32)] = []
  /// Pages that belong to no tree any more.
  private var released: [UInt32] = []
  /// The trees that were begun and have not been finished.
  var openTrees = 0

  /// The most pages that a database may have (limits of SQLite, 14).
  private static let maximumPageCount: UInt32 = 4_294_967_294

  init(file: any PageFile, isLive: Bool, format: PageFormat, pageCount: UInt32) {
    self.file = file
    self.isLive = isLive
    self.format = format
    oldPageCount = pageCount
    self.pageCount = pageCount
  }

  var path: FilePath { file.path }

  /// The number that the next page gets.
  var nextPage: UInt32 { format.page(after: pageCount) }

  /// Writes whole pages at the end of the file; the numbers are consecutive but for the lock page.
  ///
  /// - Returns: The number of the last page.
  @discardableResult
  func append(_ pages: UnsafeRawBufferPointer) throws(PageLoaderError) -> UInt32 {
    var rest = pages
    while !rest.isEmpty {
      let first = nextPage
      var count = rest.count / format.pageSize
      if first < format.lockPage { count = min(count, Int(format.lockPage - first)) }
      guard Int(first) + count <= Int(Self.maximumPageCount) else {
        throw error(.tooManyPages)
      }
      let size = count * format.pageSize
      try file.write(UnsafeRawBufferPointer(rebasing: rest.prefix(size)), at: offset(of: first))
      pageCount = first + UInt32(count) - 1
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
    }
    return pageCount
  }

  /// Writes a page over an existing one.
  func replace(_ number: UInt32, with page: UnsafeRawBufferPointer) throws(PageLoaderError) {
    try file.write(page, at: offset(of: number))
  }

  func read(_ number: UInt32) throws(PageLoaderError) -> [UInt8] {
    let page = try file.read(format.pageSize, at: offset(of: number))
    guard page.count == format.pageSize else { throw error(.unsupportedFile(.truncated)) }
    return page
  }

  /// Fills a buffer of the size of a page with one that is in the file.
  func read(
    _ number: UInt32, into page: UnsafeMutableRawBufferPointer
  ) throws(PageLoaderError) {
    guard try file.read(into: page, at: offset(of: number)) == page.count else {
      throw error(.unsupportedFile(.truncated))
    }
  }

  /// Ends a tree whose root is on a page now.
  func finishTree(_ old: UInt32, at new: UInt32) {
    openTrees -= 1
    if old != new { movedRoots.append((old, new)) }
  }

  /// Notes that pages belong to no tree any more.
  func release(_ pages: [UInt32]) { released += pages }

  /// Tells SQLite of the new pages.
  func finish() throws(PageLoaderError) {
    guard openTrees == 0 else { throw error(.unfinishedTrees(openTrees)) }
    guard var header = DatabaseHeader(Array(try read(1).prefix(DatabaseHeader.size))) else {
      throw error(.unsupportedFile(.notADatabase))
    }
    try file.truncate(to: Int(pageCount) * format.pageSize)
    header.noteChange(pageCount: pageCount)
    try header.withUnsafeBytes { bytes throws(PageLoaderError) in
      try file.write(bytes, at: 0)
    }
  }

  /// Writes the list of free pages, and says what makes the new pages part of the database.
  func graft() throws(PageLoaderError) -> Graft {
    guard openTrees == 0 else { throw error(.unfinishedTrees(openTrees)) }
    var first = try read(1)
    guard var header = DatabaseHeader(Array(first.prefix(DatabaseHeader.size))) else {
      throw error(.unsupportedFile(.notADatabase))
    }
    // What is free twice, or outside of the file, is so in a file that is damaged.
    var free = released.sorted()
    for (page, next) in zip(free, free.dropFirst()) where page == next {
      throw error(.malformedTree(page: page))
    }
    guard let head = free.popLast(), head <= oldPageCount, free.first ?? 2 >= 2 else {
      throw error(.malformedTree(page: free.first ?? 0))
    }
    // SQLite leaves the last places of a trunk empty, too.
    let room = format.pageSize / 4 - 8
    var rest = free[...]
    let (oldTrunk, oldCount) = header.freePages
    let firstTrunk = rest.isEmpty ? oldTrunk : nextPage
    var trunks = 0
    while !rest.isEmpty {
      let here = rest.prefix(room)
      rest = rest.dropFirst(room)
      let trunk = trunk(rest.isEmpty ? oldTrunk : format.page(after: nextPage), here)
      try append(trunk)
      trunks += 1
    }
    // The first trunk names nothing else, so that SQLite takes this page when it takes one.
    let last = try append([UInt8](repeating: 0, count: format.pageSize))
    header.setPageCount(pageCount)
    header.freePages = (head, oldCount + UInt32(free.count + trunks) + 2)
    header.replaceBeginning(of: &first)
    return Graft(
      pageCount: pageCount, freePageCount: header.freePages.count, first: first, trunkPage: head,
      trunk: trunk(firstTrunk, [last]), roots: movedRoots, pageSize: format.pageSize)
  }

  /// A page of the list of free pages: the number of the next such page, how many free pages it names,
  /// and their numbers (file format, 1.5).
  private func trunk(_ next: UInt32, _ pages: some Collection<UInt32>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(format.pageSize)
    for number in [next, UInt32(pages.count)] + pages {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes += [UInt8](repeating: 0, count: format.pageSize - bytes.count)
    return bytes
  }

  @discardableResult
  private func append(_ page: [UInt8]) throws(PageLoaderError) -> UInt32 {
    try page.withUnsafeBufferPointer { page throws(PageLoaderError) in
      try append(UnsafeRawBufferPointer(page))
    }
  }

  func synchronize() throws(PageLoaderError) {
    try file.synchronize()
  }

  func error(_ reason: PageLoaderError.Reason) -> PageLoaderError {
    PageLoaderError(reason, path: path)
  }

  private func offset(of page: UInt32) -> Int {
    (Int(page) - 1) * format.pageSize
  }
}
