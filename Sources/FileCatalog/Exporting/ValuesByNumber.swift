internal import Parquet
internal import SQLite

/// What the numbers of a column stand for, such as those of types.
struct ValuesByNumber {
  private enum Value {
    case number(Int64)
    case text(Range<Int>)
  }

  /// In the order of the numbers.
  private var values: [(number: Int64, value: Value)] = []
  private var texts: [UInt8] = []

  /// - Parameter statement: selects numbers and what they stand for, which may be NULL.
  init(_ statement: SQL, in db: Connection) throws {
    try db.forEach(SQL("SELECT * FROM (") + statement + SQL(") ORDER BY 1")) { row in
      switch row.storageClass(1) {
      case .null: break
      case .integer: values.append((row.integer(0), .number(row.integer(1))))
      case .text:
        let text = row.bytes(1)
        guard text.isUTF8 else { return row.refuse(1) }
        values.append((row.integer(0), .text(texts.count..<texts.count + text.count)))
        texts += text
      case .real, .blob: row.refuse(1)
      }
    }
  }

  /// Appends what numbers stand for; nothing for those that stand for nothing.
  ///
  /// - Returns: whether all are values that the column can have.
  func append(
    _ numbers: RowBuffer.Values, _ rows: Range<Int>, to column: inout ColumnValues
  ) -> Bool {
    let isText = column.column.type == .string
    return texts.withUnsafeBytes { texts in
      for row in rows {
        switch numbers.storageClass(row) {
        case .null: column.appendNull()
        case .integer:
          switch value(of: numbers.word(row)) {
          case nil: column.appendNull()
          case .number(let value) where !isText: column.append(value)
          case .text(let range) where isText:
            column.append(UnsafeRawBufferPointer(rebasing: texts[range]))
          default: return false
          }
        case .real, .text, .blob: return false
        }
      }
      return true
    }
  }

  /// Numbers that tables give have few gaps: most often the place tells itself.
  @inline(__always)
  private func value(of number: Int64) -> Value? {
    guard let first = values.first?.number, let last = values.last?.number,
      first...last ~= number
    else { return nil }
    let guess = Int(truncatingIfNeeded: number &- first)
    if guess < values.count, values[guess].number == number { return values[guess].value }
    return searched(number)
  }

  private func searched(_ number: Int64) -> Value? {
    var range = values.indices
    while let low = range.first {
      let middle = low + range.count / 2
      if values[middle].number == number { return values[middle].value }
      range = values[middle].number < number ? middle + 1..<range.upperBound : low..<middle
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are well-formed UTF-8.
  var isUTF8: Bool { withMemoryRebound(to: UInt8.self) { UTF8Validity.isValid($0) } }

  /// The bytes before the last dot; all where there is none.
  var beforeLastDot: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[..<(lastIndex(of: UInt8(ascii: ".")) ?? count)])
  }

  /// The bytes of a text without so many characters at its end.
  func dropping(characters count: Int64) -> UnsafeRawBufferPointer {
    var end = self.count
    var rest = count
    while rest > 0, end > 0 {
      repeat { end -= 1 } while end > 0 && self[end] & 0xC0 == 0x80
      rest -= 1
    }
    return UnsafeRawBufferPointer(rebasing: self[..<end])
  }
}
