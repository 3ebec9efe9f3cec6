package import CatalogStore
package import Console
internal import FileSystem
package import StandardDirectories
internal import SystemPackage

extension EntryDetails {
  /// A value, for people.
  package struct PrintedLine: Sendable {
    package let name: String
    package let cell: Cell
    /// Who has read the value in the content of the file.
    package var provider: String?
  }

  /// What is known of the entry, a line a value.
  package var printedLines: [PrintedLine] {
    var lines: [PrintedLine] = []
    func add(_ name: String, _ cell: Cell, provider: String? = nil) {
      lines.append(PrintedLine(name: name, cell: cell, provider: provider))
    }
    let description = value(of: .typeDescription)?.string
    for (column, value) in columns where value != .null {
      switch column {
      case .mode: add(column.rawValue, ModeText.cell(value))
      case .type:
        let identifier = value.string ?? ""
        add(column.rawValue, .text(description.map { "\($0) (\(identifier))" } ?? identifier))
      case .typeDescription: continue
      default: add(column.rawValue, Cell(value, column.form))
      }
    }
    for (name, value) in totals { add(name, Cell(value)) }
    if let backupMark { add("backup_mark", .text(BackupMarkText.word(for: backupMark))) }
    for (name, value) in printedParameters { add(name, value) }
    for (key, value, provider) in values { add(key.text, Cell(value), provider: provider) }
    return lines
  }

  /// What the parameters in the directory of its role are, by name.
  package var printedParameters: [(name: String, value: Cell)] {
    roleParameters.sorted { $0.key < $1.key }.map {
      ("parameter:\($0.key)", .text(bytes: FilePath(root: nil, [$0.value]).bytes))
    }
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
