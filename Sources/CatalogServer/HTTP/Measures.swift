internal import FileSystem

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// How long requests took, and how many there were.
final class Measures: Sendable {
  private static let bounds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  private struct Series {
    var buckets = [Int](repeating: 0, count: Measures.bounds.count + 1)
    var seconds = 0.0
  }

  private struct Key: Hashable {
    let method: String
    let route: String
    let status: Int
  }

  private let series = Monitor<[Key: Series]>([:])

  /// Seconds since 1970.
  static var now: Int64 { Int64(time(nil)) }

  /// - Parameter route: the address with the names of what varies: few of them, whatever is asked for.
  func note(_ method: String, _ route: String, _ status: Int, _ duration: Duration) {
    let seconds = duration / .seconds(1)
    let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
    let key = Key(method: method, route: route, status: status)
    series.withLock { series in
      series[key, default: Series()].buckets[bucket] += 1
      series[key, default: Series()].seconds += seconds
    }
  }

  func add(to text: inout MetricsText) {
    let known = series.withLock { $0 }.sorted {
      ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
    }
    let name = "filecat_http_request_duration_seconds"
    text.family(name, .histogram, "How long answers took, but for streams of events.")
    for (key, series) in known {
      let labels = [("method", key.method), ("route", key.route), ("status", "\(key.status)")]
      var count = 0
      for (index, bucket) in series.buckets.enumerated() {
        count += bucket
        let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
        text.sample(
          "\(name)_bucket",
          ["method": labels[0].1, "route": labels[1].1, "status": labels[2].1, "le": bound],
          Double(count))
      }
      let all: KeyValuePairs = [
        "method": labels[0].1, "route": labels[1].1, "status": labels[2].1,
      ]
      text.sample("\(name)_count", all, Double(count))
      text.sample("\(name)_sum", all, series.seconds)
    }
  }
}
