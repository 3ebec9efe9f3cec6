/// Where each id of a list stands: a hash table of plain memory, several times faster than a
/// dictionary for a million ids.
struct PlaceTable {
  private var ids: [Int64]
  /// By slot: the place and one, or 0 for a free slot.
  private var places: [UInt32]
  private let mask: Int

  init(of list: [Int64], in range: Range<Int>) {
    // At most half of the slots are taken.
    var size = 16
    while size < range.count * 2 { size *= 2 }
    mask = size - 1
    ids = Array(repeating: 0, count: size)
    places = Array(repeating: 0, count: size)
    for place in range {
      var slot = Self.hash(list[place]) & mask
      while places[slot] != 0 { slot = (slot + 1) & mask }
      ids[slot] = list[place]
      places[slot] = UInt32(truncatingIfNeeded: place + 1)
    }
  }

  /// The place of an id, or `nil`.
  @inline(__always)
  func place(of id: Int64) -> Int? {
    var slot = Self.hash(id) & mask
    while places[slot] != 0 {
      if ids[slot] == id { return Int(places[slot]) - 1 }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Neighbouring ids go to neighbouring slots, as they are mostly looked up one after the other:
  /// multiplying would scatter them over all of memory. Their higher bits are mixed in for lists that
  /// leave large gaps.
  @inline(__always)
  private static func hash(_ id: Int64) -> Int {
    Int(truncatingIfNeeded: id ^ (id >> 24) &* 0x9E37_79B9)
  }
}
