/// Pages of one level of a b-tree, built side by side in memory and written many at a time.
///
/// A page gets its number only when its run is written, so the pages of a level lie together in
/// the file although several trees grow at once.
struct PageRun: ~Copyable {
  private let writer: PageWriter
  private let kind: PageKind
  private let buffer: UnsafeMutableRawBufferPointer
  private var used = 0
  private var numbers: [UInt32] = []

  /// Stays well inside a processor's second-level cache: the file system reads it once more.
  private static let bufferSize = 256 << 10

  init(_ kind: PageKind, writer: PageWriter) {
    self.kind = kind
    self.writer = writer
    let pages = max(2, Self.bufferSize / writer.format.pageSize)
    buffer = .allocate(byteCount: pages * writer.format.pageSize, alignment: 4096)
  }

  deinit {
    buffer.deallocate()
  }

  /// The next page. The one before must be closed.
  mutating func nextPage() throws(PageLoaderError) -> PageBuilder {
    if used == buffer.count { try flush() }
    let page = PageBuilder(
      buffer.baseAddress! + used, kind: kind, pageSize: writer.format.pageSize)
    used += writer.format.pageSize
    return page
  }

  /// Memory for no page.
  var memory: UnsafeMutableRawPointer { buffer.baseAddress! }

  /// Takes in a page that is in the file already. The one before must be closed.
  mutating func adopt(_ page: UInt32) throws(PageLoaderError) {
    if used > 0 { try flush() }
    numbers.append(page)
  }

  /// Writes what is left. A single page is the root of its tree and takes the root's number, where
  /// the trees keep theirs.
  ///
  /// - Returns: The numbers of all pages of the level.
  consuming func finish(root: UInt32) throws(PageLoaderError) -> [UInt32] {
    if !writer.isLive, numbers.isEmpty, used == writer.format.pageSize {
      try writer.replace(root, with: UnsafeRawBufferPointer(rebasing: buffer.prefix(used)))
      return [root]
    }
    try flush()
    return numbers
  }

  private mutating func flush() throws(PageLoaderError) {
    var number = writer.nextPage
    for _ in 0..<used / writer.format.pageSize {
      numbers.append(number)
      number = writer.format.page(after: number)
    }
    try writer.append(UnsafeRawBufferPointer(rebasing: buffer.prefix(used)))
    used = 0
  }
}
