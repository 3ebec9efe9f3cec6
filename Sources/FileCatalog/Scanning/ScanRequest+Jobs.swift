#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension ScanRequest {
  /// One thread a processor, but no more than eight: beyond, they only disturb the machine.
  public static var defaultJobs: Int {
    min(8, max(1, processorCount))
  }

  /// The processors that this process may use.
  private static var processorCount: Int {
    #if os(Linux)
      var set = cpu_set_t()
      if sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 {
        return withUnsafeBytes(of: set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
      }
    #endif
    return Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}
