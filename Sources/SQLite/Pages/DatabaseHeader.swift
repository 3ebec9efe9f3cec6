/// The first hundred bytes of a database (file format, 1.3).
struct DatabaseHeader {
  static let size = 100
  private static let magic: [UInt8] = Array("SQLite format 3\0".utf8)

  private var bytes: [UInt8]

  /// Nil when these are not the first bytes of a database.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: Self.magic) else { return nil }
    self.bytes = bytes
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else { return nil }
  }

  var pageSize: Int {
    let stored = Int(bytes[16]) << 8 | Int(bytes[17])
    return stored == 1 ? 65536 : stored
  }

  /// What keeps the loader from working with this file, as far as the header tells.
  ///
  /// - Parameter isLive: Whether others have it open, which takes a write-ahead log.
  func problem(isLive: Bool) -> PageLoaderError.FileProblem? {
    let log: UInt8 = isLive ? 2 : 1
    if bytes[18] != log || bytes[19] != log { return isLive ? .noWriteAheadLog : .writeAheadLog }
    if bytes[20] != 0 { return .reservedBytes }
    if bytes[21] != 64 || bytes[22] != 32 || bytes[23] != 32 { return .notADatabase }
    if number(at: 52) != 0 { return .autoVacuum }
    if number(at: 44) != 4 { return .schemaFormat }
    if number(at: 56) != 1 { return .encoding }
    return nil
  }

  /// The number of pages. A writer older than the field leaves it wrong, which the change counter
  /// tells; then the length of the file counts.
  func pageCount(fileSize: Int) -> UInt32 {
    if number(at: 24) == number(at: 92), number(at: 28) != 0 { return number(at: 28) }
    return UInt32(clamping: fileSize / pageSize)
  }

  /// Notes that the file changed and has so many pages now.
  mutating func noteChange(pageCount: UInt32) {
    let counter = number(at: 24) &+ 1
    store(counter, at: 24)
    store(pageCount, at: 28)
    store(counter, at: 92)
  }

  /// Whether the number of pages is the header's own affair, and not to be taken from the file.
  var hasPageCount: Bool { number(at: 24) == number(at: 92) && number(at: 28) != 0 }

  /// The first trunk of the list of free pages, 0 for none, and how many pages the list has (file
  /// format, 1.5).
  var freePages: (trunk: UInt32, count: UInt32) {
    get { (number(at: 32), number(at: 36)) }
    set {
      store(newValue.trunk, at: 32)
      store(newValue.count, at: 36)
    }
  }

  /// Says that the file has so many pages, and nothing else.
  mutating func setPageCount(_ count: UInt32) { store(count, at: 28) }

  /// Puts the header into the first page.
  func replaceBeginning(of page: inout [UInt8]) {
    page.replaceSubrange(0..<Self.size, with: bytes)
  }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws(PageLoaderError) -> R)
    throws(PageLoaderError) -> R
  {
    try bytes.withUnsafeBufferPointer { buffer throws(PageLoaderError) in
      try body(UnsafeRawBufferPointer(buffer))
    }
  }

  private func number(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func store(_ value: UInt32, at offset: Int) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
    }
  }
}
