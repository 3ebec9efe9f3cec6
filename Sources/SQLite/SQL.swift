internal import CSQLite

/// A value for a parameter of a statement.
package enum Binding: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// A name or a path: TEXT when it is UTF-8, else a BLOB with its bytes.
  case name([UInt8])
  /// An object for a function, which takes it by ``FunctionCall/object(_:as:)``.
  case object(any AnyObject & Sendable)
}

extension Binding {
  /// Bytes as TEXT, with U+FFFD for what is not UTF-8.
  package static func text(showing bytes: [UInt8]) -> Binding {
    .text(String(decoding: bytes, as: UTF8.self))
  }

  /// Bytes that TEXT cannot show as they are, else NULL.
  package static func odd(_ bytes: [UInt8]) -> Binding {
    bytes.withUnsafeBufferPointer(UTF8Validity.isValid) ? .null : .blob(bytes)
  }
}

/// What can be the value of a parameter.
package protocol Bindable {
  var binding: Binding { get }
}

extension Binding: Bindable {
  package var binding: Binding { self }
}

extension Int64: Bindable {
  package var binding: Binding { .integer(self) }
}

extension Int: Bindable {
  package var binding: Binding { .integer(Int64(self)) }
}

extension Int32: Bindable {
  package var binding: Binding { .integer(Int64(self)) }
}

extension UInt32: Bindable {
  package var binding: Binding { .integer(Int64(self)) }
}

extension Bool: Bindable {
  package var binding: Binding { .integer(self ? 1 : 0) }
}

extension Double: Bindable {
  package var binding: Binding { .real(self) }
}

extension String: Bindable {
  package var binding: Binding { .text(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
  package var binding: Binding { self?.binding ?? .null }
}

/// SQL with the values of its parameters, in order.
package struct SQL: Sendable, ExpressibleByStringLiteral {
  package var text: String
  package var parameters: [Binding]

  package init(_ text: String, _ parameters: [Binding] = []) {
    self.text = text
    self.parameters = parameters
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  package static func + (left: SQL, right: SQL) -> SQL {
    SQL(left.text + right.text, left.parameters + right.parameters)
  }

  package static func += (left: inout SQL, right: SQL) {
    left.text += right.text
    left.parameters += right.parameters
  }

  /// The condition that an id is one of a list, however long.
  package static func isID(in ids: some Sequence<Int64>, _ column: String = "id") -> SQL {
    var list = "["
    for id in ids { list += list.utf8.count > 1 ? ",\(id)" : "\(id)" }
    return SQL("\(column) IN (SELECT value FROM json_each(?))", [.text(list + "]")])
  }

  /// Joins pieces in a balanced tree: SQLite limits how deep an expression may nest, and a chain of
  /// two thousand `OR`s would be two thousand deep.
  package static func joined(_ pieces: ArraySlice<SQL>, by word: String) -> SQL {
    switch pieces.count {
    case 0: return SQL("1")
    case 1: return pieces[pieces.startIndex]
    default:
      let middle = pieces.startIndex + pieces.count / 2
      return SQL("(") + joined(pieces[..<middle], by: word) + SQL(" \(word) ")
        + joined(pieces[middle...], by: word) + SQL(")")
    }
  }
}

@usableFromInline
package enum UTF8Validity {
  /// Whether the bytes are well-formed UTF-8. Names are nearly always ASCII: eight bytes at a time.
  @inlinable
  @inline(__always)
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var i = 0
    while i + 8 <= raw.count {
      if raw.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
        return isValidBeyondASCII(bytes)
      }
      i += 8
    }
    while i < raw.count {
      if raw[i] >= 0x80 { return isValidBeyondASCII(bytes) }
      i += 1
    }
    return true
  }

  @inline(never)
  @usableFromInline
  static func isValidBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }
}
