extension PageWriter {
  /// Writes what does not fit into a cell as a chain of overflow pages: the number of the next
  /// page, then content up to the end of the page (file format, 1.7).
  ///
  /// - Returns: The number of the first page.
  func appendChain(_ content: UnsafeRawBufferPointer) throws(PageLoaderError) -> UInt32 {
    let first = nextPage
    let room = format.pageSize - 4
    let pagesAtOnce = min((content.count + room - 1) / room, max(1, (256 << 10) / format.pageSize))
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: pagesAtOnce * format.pageSize, alignment: 16)
    defer { buffer.deallocate() }

    var rest = content
    while !rest.isEmpty {
      var number = nextPage
      var used = 0
      while used < buffer.count, !rest.isEmpty {
        let count = min(room, rest.count)
        let page = buffer.baseAddress! + used
        number = format.page(after: number)
        page.storeBigEndian(rest.count > count ? number : 0)
        (page + 4).copyMemory(from: rest.baseAddress!, byteCount: count)
        (page + 4 + count).initializeMemory(as: UInt8.self, repeating: 0, count: room - count)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        used += format.pageSize
      }
      try append(UnsafeRawBufferPointer(rebasing: buffer.prefix(used)))
    }
    return first
  }
}
