#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The time of day in the unit of the catalog.
enum Clock {
  /// Nanoseconds since 1970-01-01 UTC.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
