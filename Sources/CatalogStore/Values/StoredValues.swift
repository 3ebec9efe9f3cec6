package import FileSystem
package import SQLite
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

// How the values of a catalog become those of SQLite, and the other way round.

extension FilePath {
  /// TEXT when the path is UTF-8, else a BLOB with its bytes.
  package var binding: Binding { .name(bytes) }

  /// The path as every program can read it, and its bytes where these are something else: for a column
  /// and the one beside it.
  package var shown: Binding { .text(showing: bytes) }
  package var oddBytes: Binding { .odd(bytes) }
}

extension ResourceValue {
  package var binding: Binding {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(value)
    case .bytes(let value): .blob(value)
    }
  }

  /// Whether a row can hold the value: half of what it may have, so that there is room for the rest.
  package var isStorable: Bool {
    let byteCount =
      switch self {
      case .integer, .real: 8
      case .text(let text): text.utf8.count
      case .bytes(let bytes): bytes.count
      }
    return byteCount <= Limits.catalog.valueBytes / 2
  }
}

extension Row {
  /// A path. One with a NUL in it, which would be that of another file, is refused, and so is none: that
  /// of an entry which is in no directory.
  package func path(_ index: Int32) -> FilePath {
    let bytes = bytes(index)
    if bytes.isEmpty || bytes.contains(0) { refuse(index) }
    return FilePath(bytes: bytes)
  }

  /// A column as it is stored.
  package func value(_ index: Int32) -> ColumnValue {
    switch storageClass(index) {
    case .null: .null
    case .integer: .integer(integer(index))
    case .real: .real(real(index))
    case .text, .blob: .text(Array(bytes(index)))
    }
  }

  /// A further value of an entry; `nil` for none. Text that is not UTF-8 is no text.
  package func resourceValue(_ index: Int32) -> ResourceValue? {
    switch storageClass(index) {
    case .null: return nil
    case .integer: return .integer(integer(index))
    case .real: return .real(real(index))
    case .blob: return .bytes(Array(bytes(index)))
    case .text:
      let bytes = Array(bytes(index))
      return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
    }
  }
}

/// The time of day in the unit of the catalog.
package enum Clock {
  /// Nanoseconds since 1970-01-01 UTC.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// One field of a row.
public enum ColumnValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  /// Text as bytes: names need not be UTF-8.
  case text([UInt8])

  /// The number, or `nil`.
  public var integer: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The text, with U+FFFD for what is not UTF-8, or `nil`.
  public var string: String? {
    guard case .text(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path, or `nil`.
  public var path: FilePath? {
    guard case .text(let bytes) = self else { return nil }
    return FilePath(bytes: bytes)
  }
}
