internal import CSQLite

/// A call of a function that Swift code answers, with arguments numbered from 0. Without an answer
/// the result is NULL.
package struct FunctionCall {
  private let context: OpaquePointer?
  private let arguments: UnsafeMutablePointer<OpaquePointer?>?

  init(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    self.context = context
    self.arguments = arguments
  }

  /// What objects are [passed as](https://www.sqlite.org/bindptr.html): a C string that lives as long
  /// as the process.
  static var pointerType: UnsafePointer<CChar> {
    let name: StaticString = "Swift"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private func value(_ index: Int) -> OpaquePointer? { arguments?[index] }

  // MARK: - Arguments

  package func isNull(_ index: Int) -> Bool {
    sqlite3_value_type(value(index)) == SQLITE_NULL
  }

  package func integer(_ index: Int) -> Int64 {
    sqlite3_value_int64(value(index))
  }

  /// The exact bytes of a TEXT or BLOB, which are lent for the call.
  package func bytes(_ index: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value(index))
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_value_bytes(value(index))))
  }

  /// The object that was bound to a parameter, which must be of this class; `nil` for anything else
  /// than an object.
  package func object<Object: AnyObject>(_ index: Int, as type: Object.Type) -> Object? {
    guard let pointer = sqlite3_value_pointer(value(index), Self.pointerType) else { return nil }
    return unsafeDowncast(
      Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue(), to: Object.self)
  }

  // MARK: - The result

  package func answer(_ isTrue: Bool) {
    sqlite3_result_int(context, isTrue ? 1 : 0)
  }

  package func answer(text: UnsafeRawBufferPointer) {
    sqlite3_result_text64(
      context, text.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(text.count),
      csqlite_transient(), UInt8(SQLITE_UTF8))
  }

  package func answer(blob: UnsafeRawBufferPointer) {
    sqlite3_result_blob64(context, blob.baseAddress, UInt64(blob.count), csqlite_transient())
  }
}

extension Connection {
  /// Adds a function whose result follows from its arguments alone. Views and triggers of the file
  /// cannot call it.
  package func addFunction(
    _ name: String, argumentCount: Int, _ body: @escaping @Sendable (FunctionCall) -> Void
  ) throws(SQLiteError) {
    guard let handle else { throw .closed() }
    let code = sqlite3_create_function_v2(
      handle, name, Int32(argumentCount), SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(FunctionBody(body)).toOpaque(),
      { context, _, arguments in
        guard let data = sqlite3_user_data(context) else { return }
        Unmanaged<FunctionBody>.fromOpaque(data)._withUnsafeGuaranteedRef {
          $0.body(FunctionCall(context, arguments))
        }
      }, nil, nil,
      { data in
        guard let data else { return }
        Unmanaged<FunctionBody>.fromOpaque(data).release()
      })
    guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
  }
}

private final class FunctionBody {
  let body: @Sendable (FunctionCall) -> Void

  init(_ body: @escaping @Sendable (FunctionCall) -> Void) {
    self.body = body
  }
}
