internal import FileSystem

/// A piece of SQL with the values of its parameters, in order.
struct SQLFragment {
  enum Parameter {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// A name or a path: TEXT when it is UTF-8, else a BLOB.
    case name([UInt8])
    case object(any AnyObject & Sendable)
  }

  var sql: String
  var parameters: [Parameter] = []

  init(_ sql: String, _ parameters: [Parameter] = []) {
    self.sql = sql
    self.parameters = parameters
  }

  static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
    SQLFragment(left.sql + right.sql, left.parameters + right.parameters)
  }

  static func += (left: inout SQLFragment, right: SQLFragment) {
    left.sql += right.sql
    left.parameters += right.parameters
  }

  /// Joins fragments in a balanced tree: SQLite limits how deep an expression may nest, and a chain
  /// of two thousand `OR`s would be two thousand deep.
  static func joined(_ fragments: ArraySlice<SQLFragment>, by word: String) -> SQLFragment {
    switch fragments.count {
    case 0: return SQLFragment("1")
    case 1: return fragments[fragments.startIndex]
    default:
      let middle = fragments.startIndex + fragments.count / 2
      return SQLFragment("(") + joined(fragments[..<middle], by: word) + SQLFragment(" \(word) ")
        + joined(fragments[middle...], by: word) + SQLFragment(")")
    }
  }
}

extension RawStatement {
  /// Binds the parameters of a fragment to a statement made of its text.
  func bind(_ parameters: [SQLFragment.Parameter]) {
    for (index, parameter) in zip(Int32(1)..., parameters) {
      switch parameter {
      case .null: bindNull(at: index)
      case .integer(let value): bind(value, at: index)
      case .real(let value): bind(ResourceValue.real(value), at: index)
      case .text(let value): bind(value, at: index)
      case .name(let bytes):
        if let text = String(validating: bytes, as: UTF8.self) {
          bind(text, at: index)
        } else {
          bind(ResourceValue.bytes(bytes), at: index)
        }
      case .object(let object): bind(object: object, at: index)
      }
    }
  }
}
