extension UnsafeMutableBufferPointer<SortItem> {
  /// Sorts by key; items with equal keys keep their order.
  ///
  /// Few items are sorted by comparison, many by distribution, so that no input takes long.
  ///
  /// - Parameter scratch: Room for as many items.
  func sortByKey(scratch: UnsafeMutableBufferPointer<SortItem>) {
    if count <= 64 {
      sortByInsertion()
    } else if !isSorted {
      sortByDistribution(scratch: scratch)
    }
  }

  private var isSorted: Bool {
    var index = 1
    while index < count {
      if self[index].key < self[index - 1].key { return false }
      index += 1
    }
    return true
  }

  @inline(__always)
  private func sortByInsertion() {
    guard let items = baseAddress else { return }
    var index = 1
    while index < count {
      let item = items[index]
      var hole = index
      while hole > 0, items[hole - 1].key > item.key {
        items[hole] = items[hole - 1]
        hole -= 1
      }
      items[hole] = item
      index += 1
    }
  }

  /// One pass for each byte of the key in which the items differ, the lowest first.
  @inline(never)
  private func sortByDistribution(scratch: UnsafeMutableBufferPointer<SortItem>) {
    var source = baseAddress.unsafelyUnwrapped
    var target = scratch.baseAddress.unsafelyUnwrapped
    let first = source[0].key
    var differing: UInt64 = 0
    for index in 1..<count { differing |= source[index].key ^ first }

    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
      for shift in stride(from: UInt64(0), to: 64, by: 8) where (differing >> shift) & 0xff != 0 {
        places.initialize(repeating: 0)
        for index in 0..<count { places[Int((source[index].key >> shift) & 0xff)] += 1 }
        var next = 0
        for digit in 0..<256 { (places[digit], next) = (next, next + places[digit]) }
        for index in 0..<count {
          let item = source[index]
          let digit = Int((item.key >> shift) & 0xff)
          target[places[digit]] = item
          places[digit] += 1
        }
        swap(&source, &target)
      }
    }
    if source != baseAddress { target.update(from: source, count: count) }
  }
}

extension [SortItem] {
  /// Sorts by key; items with equal keys keep their order.
  mutating func sortByKey() {
    let scratch = UnsafeMutableBufferPointer<SortItem>.allocate(capacity: count)
    defer { scratch.deallocate() }
    withUnsafeMutableBufferPointer { $0.sortByKey(scratch: scratch) }
  }
}
