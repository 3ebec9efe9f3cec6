internal import FileSystem
internal import SQLite
internal import SystemPackage

// How the values of a catalog become those of SQLite, and the other way round.

extension FilePath {
  /// TEXT when the path is UTF-8, else a BLOB with its bytes.
  var binding: Binding { .name(bytes) }
}

extension ResourceValue: Bindable {
  var binding: Binding {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .bytes(let value): .blob(value)
    }
  }
}

extension Statement {
  /// Binds nanoseconds, NULL for a time that is not known.
  @inline(__always)
  func bindTime(_ time: Int64, at index: Int32) {
    if time == FileStatus.unknownTime { bindNull(at: index) } else { bind(time, at: index) }
  }
}

extension Row {
  func path(_ index: Int32) -> FilePath { FilePath(bytes: bytes(index)) }

  /// A column as it is stored.
  func value(_ index: Int32) -> ColumnValue {
    switch storageClass(index) {
    case .null: .null
    case .integer: .integer(integer(index))
    case .real: .real(real(index))
    case .text, .blob: .text(Array(bytes(index)))
    }
  }
}
