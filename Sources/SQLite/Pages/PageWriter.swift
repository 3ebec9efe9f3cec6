internal import SystemPackage

/// The pages of the file: hands out numbers at the end of the file and writes whole runs of pages.
///
/// The trees of one file share it. Until ``finish()`` the header and the root pages are untouched,
/// so to SQLite the file is still what it was before.
final class PageWriter {
  let format: PageFormat
  private let file: DatabaseFile
  private var pageCount: UInt32
  /// The trees that were begun and have not been finished.
  var openTrees = 0

  /// The most pages that a database may have (limits of SQLite, 14).
  private static let maximumPageCount: UInt32 = 4_294_967_294

  init(file: consuming DatabaseFile, format: PageFormat, pageCount: UInt32) {
    self.file = file
    self.format = format
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
