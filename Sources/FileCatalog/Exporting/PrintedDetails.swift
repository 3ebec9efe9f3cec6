package import CatalogStore
package import Console
internal import FileSystem
package import StandardDirectories

extension EntryDetails {
  /// What is known of the entry, a line a value, for people.
  package var printedLines: [(name: String, cell: Cell)] {
    var lines: [(String, Cell)] = []
    let description = value(of: .typeDescription)?.string
    for (column, value) in columns where value != .null {
      switch column {
      case .mode: lines.append((column.rawValue, ModeText.cell(value)))
      case .type:
        let identifier = value.string ?? ""
        let text = description.map { "\($0) (\(identifier))" } ?? identifier
        lines.append((column.rawValue, .text(text)))
      case .typeDescription: continue
      default: lines.append((column.rawValue, Cell(value, column.form)))
      }
    }
    for (name, value) in totals { lines.append((name, Cell(value))) }
    if let backupMark {
      lines.append(("backup_mark", .text(BackupMarkText.word(for: backupMark))))
    }
    for (key, value) in values { lines.append((key, Cell(value))) }
    return lines
  }
}

/// Modes as `ls -l` shows them.
package enum ModeText {
  package static func cell(_ value: ColumnValue) -> Cell {
    value.integer.map { .text(text(UInt32(truncatingIfNeeded: $0))) } ?? .null
  }

  package static func text(_ mode: UInt32) -> String {
    let types: [UInt32: Character] = [
      0o040000: "d", 0o120000: "l", 0o010000: "p", 0o140000: "s", 0o060000: "b", 0o020000: "c",
    ]
    var text = String(types[mode & 0o170000] ?? "-")
    for (shift, special, letter) in [
      (UInt32(6), UInt32(0o4000), Character("s")), (3, 0o2000, "s"), (0, 0o1000, "t"),
    ] {
      let bits = mode >> shift
      text.append(bits & 4 != 0 ? "r" : "-")
      text.append(bits & 2 != 0 ? "w" : "-")
      let isExecutable = bits & 1 != 0
      if mode & special != 0 {
        text.append(isExecutable ? String(letter) : letter.uppercased())
      } else {
        text.append(isExecutable ? "x" : "-")
      }
    }
    return text
  }
}

/// The words for what marks on disk say of backups.
package enum BackupMarkText {
  package static func word(for mark: BackupMark) -> String {
    switch mark {
    case .excluded: "excluded"
    case .unmarked: "unmarked"
    }
  }
}
