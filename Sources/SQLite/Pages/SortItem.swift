/// What is sorted in place of a key: a number with its order, and where to find the rest.
struct SortItem {
  var key: UInt64
  var value: UInt64
}

extension UInt64 {
  /// Maps signed integers to unsigned ones of the same order.
  @inline(__always)
  init(ordering value: Int64) {
    self = UInt64(bitPattern: value) ^ (1 << 63)
  }
}

extension Int64 {
  @inline(__always)
  init(ordering value: UInt64) {
    self = Int64(bitPattern: value ^ (1 << 63))
  }
}
