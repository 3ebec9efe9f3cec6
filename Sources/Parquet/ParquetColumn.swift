/// A column of a flat Parquet file.
///
/// The names of the format are those of the
/// [specification](https://github.com/apache/parquet-format): `README.md` for the file,
/// `LogicalTypes.md` for what values mean, `Encodings.md` for how they are written, and
/// `parquet.thrift` for what describes them.
package struct ParquetColumn: Sendable, Hashable {
  /// What the values are.
  package enum ValueType: Sendable, Hashable {
    case boolean
    case int32
    case int64
    case double
    /// UTF-8, with the logical type STRING.
    case string
    case binary
  }

  /// Whether rows may do without a value.
  package enum Presence: Sendable, Hashable {
    case required
    case optional
  }

  package let name: String
  package let type: ValueType
  package let presence: Presence

  package init(_ name: String, _ type: ValueType, _ presence: Presence = .optional) {
    self.name = name
    self.type = type
    self.presence = presence
  }
}

extension ParquetColumn.ValueType {
  /// Whether values are bytes of any number, and not of eight at most.
  @inlinable
  package var isText: Bool { self == .string || self == .binary }

  /// The enum `Type` of `parquet.thrift`.
  var physicalType: Int32 {
    switch self {
    case .boolean: 0
    case .int32: 1
    case .int64: 2
    case .double: 5
    case .string, .binary: 6
    }
  }

  /// How many bytes a value takes as it is; 0 where that differs.
  var plainWidth: Int {
    switch self {
    case .int32: 4
    case .int64, .double: 8
    case .boolean, .string, .binary: 0
    }
  }
}

/// Why a file could not be written, or not be read.
package enum ParquetError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A file has at least one column, and each a name of its own.
  case invalidSchema
  /// A column of a batch does not have as many values as there are rows.
  case unequalColumns(name: String)
  /// A value has more bytes than a page can hold.
  case valueTooLong(column: String)
  /// zstd has no memory, or refuses its input.
  case compression(String)
  /// The file does not begin and end like one of Parquet.
  case notParquet
  /// The file has something that ``ParquetWriter`` does not write.
  case unsupported(String)
  /// The file contradicts itself, or what Parquet is.
  case damaged(String)

  package var description: String {
    switch self {
    case .invalidSchema: "a Parquet file has columns, and each a name of its own"
    case .unequalColumns(let name): "the column \(name) has not as many values as there are rows"
    case .valueTooLong(let name): "a value of the column \(name) is too long for Parquet"
    case .compression(let reason): "zstd: \(reason)"
    case .notParquet: "it is no Parquet file"
    case .unsupported(let what): "\(what) is not read"
    case .damaged(let reason): "it is damaged: \(reason)"
    }
  }
}
