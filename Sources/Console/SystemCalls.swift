#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The few calls of the C library that this module needs, so that no other file imports it.
enum SystemCalls {
  /// What one `write` did.
  enum WriteResult {
    case wrote(Int)
    case interrupted
    case wouldBlock
    case readerGone
    case failed(errno: Int32)
  }

  /// The corresponding C function is `write`.
  static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> WriteResult {
    #if canImport(Darwin)
      let count = Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      let count = Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
    if count >= 0 { return .wrote(count) }
    switch errno {
    case EINTR: return .interrupted
    case EAGAIN: return .wouldBlock
    case EPIPE: return .readerGone
    case let code: return .failed(errno: code)
    }
  }

  /// Waits until a descriptor that would have blocked takes bytes again.
  static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }

  /// Lets a write to a closed pipe fail with `EPIPE` where it would have ended the process.
  static func ignoreBrokenPipeSignal() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// The message of the C library for an error number.
  static func message(errno code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "error \(code)"
      }
      return String(cString: base)
    }
  }

  /// Whether a descriptor is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// The columns of the terminal on a descriptor, when it knows them.
  static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The value of an environment variable.
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// What this machine is called in its network; empty where nobody knows.
  static func hostName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, gethostname(base, buffer.count - 1) == 0 else {
        return ""
      }
      buffer[buffer.count - 1] = 0
      return String(cString: base)
    }
  }

  /// How far local time is ahead of UTC at a moment, in seconds.
  static func localOffset(at seconds: Int64) -> Int64 {
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return 0 }
    return Int64(parts.tm_gmtoff)
  }
}

/// The machine that this process runs on.
package enum Machine {
  /// What it is called in its network; empty where nobody knows.
  package static var name: String { SystemCalls.hostName() }
}
