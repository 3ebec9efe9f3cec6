#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Seconds since 1970 as the protocol of object stores writes them.
enum HTTPDate {
  /// `20150830T123600Z`, as signatures have it.
  static func basic(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func digits(_ number: Int32, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
      + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The time that the header of an answer tells, as in `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` where it is
  /// none.
  static func seconds(of header: String) -> Int64? {
    let words = header.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])),
      let day = Int32(words[1]), 1...31 ~= day, let year = Int32(words[3]), 1970...9999 ~= year
    else { return nil }
    let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
      .compactMap { Int32($0) }
    guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else {
      return nil
    }
    var parts = tm()
    parts.tm_year = year - 1900
    parts.tm_mon = Int32(month)
    parts.tm_mday = day
    parts.tm_hour = clock[0]
    parts.tm_min = clock[1]
    parts.tm_sec = clock[2]
    return Int64(timegm(&parts))
  }
}
