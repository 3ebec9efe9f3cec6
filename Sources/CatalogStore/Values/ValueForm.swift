/// What the values of a column are: how they are stored, in which unit, and how people want to see
/// them.
public struct ValueForm: Hashable, Sendable {
  private enum Kind {
    case identifier, number, factor, bytes, seconds, nanoseconds, duration, truth, text, path
    case octets, mode, any
  }
  private let kind: Kind
  private init(_ kind: Kind) { self.kind = kind }

  /// A number that stands for something.
  public static let identifier = ValueForm(.identifier)
  /// A count.
  public static let number = ValueForm(.number)
  /// A number that need not be whole.
  public static let factor = ValueForm(.factor)
  /// A number of bytes.
  public static let bytes = ValueForm(.bytes)
  /// A time in seconds since 1970.
  public static let seconds = ValueForm(.seconds)
  /// A time in nanoseconds since 1970.
  public static let nanoseconds = ValueForm(.nanoseconds)
  /// A span of time in seconds.
  public static let duration = ValueForm(.duration)
  /// Yes or no.
  public static let truth = ValueForm(.truth)
  /// Words.
  public static let text = ValueForm(.text)
  /// A name or a path: in views as text, elsewhere with its bytes, which need not be UTF-8.
  public static let path = ValueForm(.path)
  /// Bytes.
  public static let octets = ValueForm(.octets)
  /// `st_mode`.
  public static let mode = ValueForm(.mode)
  /// Whatever a provider stores.
  public static let any = ValueForm(.any)

  /// The storage class in SQLite.
  public var storage: String { storageClass.rawValue }

  /// A storage class, as the data dictionary names it.
  package enum StorageClass: String {
    case integer = "INTEGER"
    /// Numbers that are whole are stored as such.
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
    case any
  }

  /// The storage class in SQLite.
  package var storageClass: StorageClass {
    switch kind {
    case .identifier, .number, .bytes, .seconds, .nanoseconds, .truth, .mode: .integer
    case .factor, .duration: .real
    case .text, .path: .text
    case .octets: .blob
    case .any: .any
    }
  }

  /// The unit, or what the numbers stand for; empty where there is none.
  public var unit: String {
    switch kind {
    case .bytes: "bytes"
    case .seconds: "seconds since 1970-01-01 UTC"
    case .nanoseconds: "nanoseconds since 1970-01-01 UTC"
    case .duration: "seconds"
    case .truth: "0 or 1"
    case .mode: "st_mode"
    case .identifier, .number, .factor, .text, .path, .octets, .any: ""
    }
  }
}
