internal import Console
internal import FileSystem
internal import SystemPackage

/// Names and numbers as this screen shows them.
enum Words {
  /// A path in which nothing is left that a terminal would obey.
  static func path(_ path: FilePath) -> String {
    DisplayText(escaping: path.bytes, faultyBytes: .escaped).string
  }

  /// The last component of a path; the whole of one that has none.
  static func name(of path: FilePath) -> String {
    DisplayText(escaping: path.lastComponent?.bytes ?? path.bytes, faultyBytes: .escaped).string
  }

  static func bytes(_ count: Int64) -> String { ByteCountText(count).description }

  /// How long ago something was: `5s`, `12m`, `20h`, `3d`, `14mo`, `7y`. What is still to come is `0s`.
  static func age(of nanoseconds: Int64, at now: Int64) -> String {
    let seconds = max(0, now - nanoseconds / 1_000_000_000)
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
    switch seconds {
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(minutes)m"
    case ..<(48 * 3600): return "\(hours)h"
    case ..<(60 * 86_400): return "\(days)d"
    case ..<(730 * 86_400): return "\(days * 10 / 304)mo"
    default: return "\(days * 100 / 36_525)y"
    }
  }
}

/// The help, as lines.
enum HelpLines {
  static let all: [(keys: String, words: String)] = {
    var lines: [(String, String)] = []
    for group in Binding.Group.allCases {
      if !lines.isEmpty { lines.append(("", "")) }
      lines.append((group.rawValue, ""))
      for binding in Binding.all where binding.group == group {
        lines.append((binding.keys.map(\.name).joined(separator: " "), binding.words))
      }
    }
    return lines
  }()

  /// The rows of a screen that help has.
  static func height(on size: ScreenSize) -> Int { max(1, size.rows - 4) }

  static func lastTop(on size: ScreenSize) -> Int { max(0, all.count - height(on: size)) }
}
