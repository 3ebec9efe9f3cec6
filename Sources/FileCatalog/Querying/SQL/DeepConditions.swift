internal import SQLite

/// Takes conditions that are nested too deeply for SQLite's parser out of the expression.
///
/// The parser keeps a hundred symbols at most on its stack (sqlite.org/limits.html), and a condition
/// in parentheses takes up to four. What lies deeper gets a name in a `WITH` clause, where it stands
/// beside the rest and not inside it. Queries that people write never come to this.
final class DeepConditions {
  private static let deepest = 12

  private var conditions: [SQL] = []

  /// The condition, or one that means the same and is not nested.
  func shallow(_ condition: SQL) -> SQL {
    guard condition.nesting > Self.deepest else { return condition }
    conditions.append(condition)
    return SQL("id IN \(name(conditions.count))")
  }

  /// A condition on its own, with those that were taken out of it.
  func completing(_ condition: SQL) -> SQL {
    guard !conditions.isEmpty else { return condition }
    var result = SQL("id IN (WITH ")
    for (number, part) in zip(1..., conditions) {
      result += SQL("\(number > 1 ? ", " : "")\(name(number)) AS (")
      result += SQL("SELECT id FROM entry_rows WHERE ") + part + SQL(")")
    }
    return result + SQL(" SELECT id FROM entry_rows WHERE ") + condition + SQL(")")
  }

  private func name(_ number: Int) -> String { "condition_\(number)" }
}

extension SQL {
  /// How deep parentheses are nested.
  fileprivate var nesting: Int {
    var depth = 0
    var deepest = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") {
        depth += 1
        deepest = max(deepest, depth)
      } else if byte == UInt8(ascii: ")") {
        depth -= 1
      }
    }
    return deepest
  }
}
