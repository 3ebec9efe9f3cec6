/// Why a file is not what it says it is.
package enum FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  case endsEarly
  /// Its structure makes no sense, in these words.
  case malformed(String)
  /// It is written in a way that is not read here.
  case unsupported(String)
  /// What is to be known of it is not within this number of bytes.
  case tooMuch(limit: Int)

  package var description: String {
    switch self {
    case .endsEarly: "it ends before what it announces"
    case .malformed(let reason), .unsupported(let reason): reason
    case .tooMuch(let limit): "what it says of itself is not within \(limit >> 20) MiB"
    }
  }
}

/// What an optional part of a file says; nothing where that part breaks its rules, which takes nothing from the
/// rest.
func ignoringFormatErrors<Value>(_ body: () throws -> Value?) throws -> Value? {
  do { return try body() } catch is FormatError { return nil }
}
