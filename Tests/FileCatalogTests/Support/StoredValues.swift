import FileCatalog
import FileSystem
import SystemPackage
import TestSupport

/// A provider that says of files what a test has written down, by their names.
final class StoredValues: ResourceValueProvider {
  let key: String
  private let byName: Monitor<[String: [String: ResourceValue]]>

  init(_ byName: [String: [String: ResourceValue]] = [:], key: String = "stored") {
    self.key = key
    self.byName = Monitor(byName)
  }

  func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
    self[entry.path.lastComponent?.string ?? ""]
  }

  subscript(name: String) -> [String: ResourceValue] {
    get { byName.withLock { $0[name] ?? [:] } }
    set { byName.withLock { $0[name] = newValue } }
  }

  /// What has scans ask for them.
  static var options: ScanOptions {
    var options = ScanOptions()
    options.resourceValues = ["stored"]
    return options
  }
}

extension ResourceValue {
  /// A value of any kind, among few, so that some are the same and some nearly.
  static func random(using random: inout SeededRandom) -> ResourceValue {
    switch random.below(4) {
    case 0:
      return .integer(
        [0, 1, 2, -3, 4000, .max, .min, 9_007_199_254_740_993][random.below(8)])
    case 1:
      return .real(
        [0, 1, -0.5, 2.5, 4000, 9_007_199_254_740_992, 1e300, -.infinity, -0.0][random.below(9)])
    case 2: return .text(["", "1", "10", "9", "a", "B", "ä", "a\u{308}", "zz"][random.below(9)])
    default: return .bytes([[], [0], [0x41], [0xFF], [0x61, 0]][random.below(5)])
    }
  }

  /// Whether it comes before another in the order of tables; neither does of two that are the same there.
  func precedes(_ other: ResourceValue) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.integer(let a), .real(let b)): Self.compare(a, b) < 0
    case (.real(let a), .integer(let b)): Self.compare(b, a) > 0
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
    default: rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .integer, .real: 0
    case .text: 1
    case .bytes: 2
    }
  }

  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = Int64(real.rounded(.towardZero))
    if integer != whole { return integer < whole ? -1 : 1 }
    let rest = real - real.rounded(.towardZero)
    return rest == 0 ? 0 : rest > 0 ? -1 : 1
  }
}
