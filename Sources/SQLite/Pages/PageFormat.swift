/// The sizes that follow from the page size. Reserved bytes are not supported: all of a page is
/// usable.
struct PageFormat {
  let pageSize: Int
  /// The page with the bytes that SQLite locks; it belongs to nothing (file format, 1.4).
  let lockPage: UInt32

  // How much of a payload stays in its cell, the U, X and M of the file format, 1.6.
  let tableLocalMaximum: Int
  let indexLocalMaximum: Int
  let localMinimum: Int

  /// - Parameter lockByte: Where SQLite's locks lie; only tests move it.
  init(pageSize: Int, lockByte: Int = 1 << 30) {
    self.pageSize = pageSize
    lockPage = UInt32(lockByte / pageSize + 1)
    tableLocalMaximum = pageSize - 35
    indexLocalMaximum = (pageSize - 12) * 64 / 255 - 23
    localMinimum = (pageSize - 12) * 32 / 255 - 23
  }

  /// What of a payload above the local maximum stays in the cell (the K of the file format, 1.6).
  func localSize(ofPayload size: Int, maximum: Int) -> Int {
    if size <= maximum { return size }
    let local = localMinimum + (size - localMinimum) % (pageSize - 4)
    return local <= maximum ? local : localMinimum
  }

  /// The page after `page` that may hold data.
  @inline(__always)
  func page(after page: UInt32) -> UInt32 {
    page + 1 == lockPage ? page + 2 : page + 1
  }
}

/// The flag byte of a b-tree page (file format, 1.6).
enum PageKind: UInt8 {
  case interiorIndex = 2
  case interiorTable = 5
  case leafIndex = 10
  case leafTable = 13

  var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
  var headerSize: Int { isInterior ? 12 : 8 }

  /// The kind of the pages above.
  var parent: PageKind {
    self == .leafTable || self == .interiorTable ? .interiorTable : .interiorIndex
  }
}
