/// A b-tree page that fills up: cell pointers grow from its start, cells from its end towards them
/// (file format, 1.6).
///
/// It does not own the memory; the ``PageRun`` that it comes from does.
struct PageBuilder {
  let kind: PageKind
  private let page: UnsafeMutableRawPointer
  private let pageSize: Int
  private(set) var cellCount = 0
  private var pointersEnd: Int
  private var contentStart: Int

  init(_ page: UnsafeMutableRawPointer, kind: PageKind, pageSize: Int) {
    self.page = page
    self.kind = kind
    self.pageSize = pageSize
    pointersEnd = kind.headerSize
    contentStart = pageSize
  }

  /// A page without room: none has been begun.
  static func none(_ memory: UnsafeMutableRawPointer, kind: PageKind) -> PageBuilder {
    PageBuilder(memory, kind: kind, pageSize: 0)
  }

  /// Whether there is a page.
  var isPage: Bool { pageSize > 0 }

  /// Makes room for a cell behind those before; nil when the page is full.
  ///
  /// A cell takes four bytes at least, so that its place can become a free block later.
  @inline(__always)
  mutating func place(_ cellSize: Int) -> UnsafeMutableRawPointer? {
    let start = contentStart - max(cellSize, 4)
    guard start >= pointersEnd + 2 else { return nil }
    page.storeBigEndian(UInt16(truncatingIfNeeded: start), at: pointersEnd)
    if cellSize < 4 { page.storeBigEndian(UInt32(0), at: start) }
    pointersEnd += 2
    contentStart = start
    cellCount += 1
    return page + start
  }

  /// The bytes of the last cell. The page must have one.
  var lastCell: UnsafeRawBufferPointer {
    var end = pageSize
    if cellCount > 1 {
      end = Int(UnsafeRawPointer(page).loadBigEndian(at: pointersEnd - 4, as: UInt16.self))
    }
    return UnsafeRawBufferPointer(start: page + contentStart, count: end - contentStart)
  }

  /// Takes the last cell off; its bytes stay until the next cell is placed.
  mutating func removeLastCell() {
    contentStart += lastCell.count
    pointersEnd -= 2
    cellCount -= 1
  }

  /// Writes the page header, after which the page is ready for the file.
  ///
  /// - Parameter rightChild: The child behind the last cell of an interior page.
  func close(rightChild: UInt32 = 0) {
    page.storeBytes(of: kind.rawValue, as: UInt8.self)
    page.storeBigEndian(UInt16(0), at: 1)  // no free blocks
    page.storeBigEndian(UInt16(cellCount), at: 3)
    page.storeBigEndian(UInt16(truncatingIfNeeded: contentStart), at: 5)  // 65536 is stored as 0
    page.storeBytes(of: 0, toByteOffset: 7, as: UInt8.self)  // no fragments
    if kind.isInterior { page.storeBigEndian(rightChild, at: 8) }
    // Whatever the memory held before has no business in the file.
    (page + pointersEnd).initializeMemory(
      as: UInt8.self, repeating: 0, count: contentStart - pointersEnd)
  }
}
