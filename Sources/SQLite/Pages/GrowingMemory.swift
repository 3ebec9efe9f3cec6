#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Bytes that grow up to a limit. Behind them lies always the slack of a ``StoredKey``.
struct GrowingMemory: ~Copyable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var used = 0
  private var capacity: Int

  init() {
    capacity = 4096
    guard let memory = malloc(capacity) else { preconditionFailure("no memory for one page") }
    base = memory
  }

  deinit {
    free(base)
  }

  mutating func removeAll() {
    used = 0
  }

  /// Room for `count` more bytes, which then count as used; nil when that exceeds `limit`, or what
  /// the system has.
  @inline(__always)
  mutating func append(_ count: Int, limit: Int) -> UnsafeMutableRawPointer? {
    if capacity - used < count + StoredKey.slack {
      guard grow(by: count, limit: limit) else { return nil }
    }
    defer { used += count }
    return base + used
  }

  /// `realloc` moves large blocks without copying them where the system can.
  @inline(never)
  private mutating func grow(by count: Int, limit: Int) -> Bool {
    let needed = used + count + StoredKey.slack
    let larger = min(max(2 * capacity, needed), limit)
    guard needed <= limit, let memory = realloc(base, larger) else { return false }
    base = memory
    capacity = larger
    return true
  }
}
