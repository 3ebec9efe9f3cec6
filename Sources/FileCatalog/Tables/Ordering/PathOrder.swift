internal import SQLite

/// The order of the bytes of whole paths, found without putting a path together.
///
/// Within a directory, entries are in the order of their names. What is below a sub-directory `a`
/// comes where a name `a/` would: after `a`, but also after `a.txt`, because the dot comes before the
/// slash.
struct PathOrder {
  private let names: EntryNames
  /// Positions in the roster, first path first.
  private(set) var positions: [UInt32] = []

  /// - Throws: ``SQLiteError/Code/corrupt`` where an entry is under no root, or under several.
  init(of names: EntryNames) throws {
    self.names = names
    positions.reserveCapacity(names.count)
    guard walk(), positions.count == names.count else {
      throw SQLiteError.corrupt("the entries are not all under one root each")
    }
  }

  /// A directory that is being gone through.
  private struct Level {
    var rows: Range<Int>
    /// Rows of directories whose content is still to come: each name begins with the one before it.
    var waiting: [Int] = []
  }

  /// Goes through the tree on a stack of its own, however deep it is.
  ///
  /// - Returns: `false` where it has come by more entries than there are.
  private mutating func walk() -> Bool {
    var levels = [Level(rows: names.roots)]
    while var level = levels.popLast() {
      let next = level.rows.first
      if let directory = level.waiting.last, next.map({ precedes(directory, $0) }) ?? true {
        level.waiting.removeLast()
        levels.append(level)
        if let rows = names.children[names.positions[directory]] {
          levels.append(Level(rows: rows))
        }
      } else if let next {
        level.rows = (next + 1)..<level.rows.upperBound
        guard positions.count < names.count else { return false }
        positions.append(names.positions[next])
        if names.children[names.positions[next]] != nil { level.waiting.append(next) }
        levels.append(level)
      }
    }
    return true
  }

  /// Whether what is below the directory of one row comes before the entry of a later row.
  private func precedes(_ directory: Int, _ row: Int) -> Bool {
    names.withName(directory) { prefix in
      names.withName(row) { name in
        guard name.count > prefix.count, name.starts(with: prefix) else { return true }
        // The root of everything ends with its slash already.
        guard prefix.last != UInt8(ascii: "/") else { return true }
        return name[prefix.count] >= UInt8(ascii: "/")
      }
    }
  }
}
