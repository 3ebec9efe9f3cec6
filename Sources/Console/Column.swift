/// One field of every row that is printed.
public struct Column: Sendable, Equatable {
  /// The edge to which cells of a table are aligned.
  public enum Alignment: Sendable {
    /// Numbers to the right, everything else to the left, judged by the first rows.
    case automatic
    /// To the left.
    case leading
    /// To the right.
    case trailing
  }

  /// How a cell gives way when a line is longer than the terminal is wide.
  public enum Shortening: Sendable {
    /// It stays as it is, as long as there is any other way.
    case never
    /// Its end is cut off.
    case atEnd
    /// Its middle is left out; the last component of a path stays as long as it can.
    case inMiddle
  }

  /// What the text of a column stands for.
  public enum Content: Sendable {
    /// A value.
    case value
    /// A path or the name of a file, whose bytes need not be UTF-8.
    case path
  }

  /// The unit in which machines get timestamps.
  public enum TimeUnit: Sendable {
    /// Whole seconds since 1970, rounded down.
    case seconds
    /// Nanoseconds since 1970.
    case nanoseconds
  }

  /// The name in JSON, and in the header line of CSV and TSV.
  public var name: String

  /// The title in tables.
  public var title: String

  /// The edge to which cells of a table are aligned.
  public var alignment: Alignment

  /// How a cell gives way to a narrow terminal.
  public var shortening: Shortening

  /// What the text stands for.
  public var content: Content

  /// The JSON key under which the raw bytes of text that is not UTF-8 are given, in Base64.
  public var base64Key: String?

  /// The unit of timestamps in JSON, CSV and TSV.
  public var timeUnit: TimeUnit

  /// Whether the column gives way to a narrow terminal.
  public var isFlexible: Bool { shortening != .never }

  /// Whether the column holds paths or names of files.
  public var isPath: Bool { content == .path }

  /// A column; without a title, tables show the name in capitals.
  public init(
    _ name: String,
    title: String? = nil,
    alignment: Alignment = .automatic,
    shortening: Shortening = .never,
    content: Content = .value,
    base64Key: String? = nil,
    timeUnit: TimeUnit = .seconds
  ) {
    self.name = name
    self.title = title ?? name.uppercased()
    self.alignment = alignment
    self.shortening = shortening
    self.content = content
    self.base64Key = base64Key
    self.timeUnit = timeUnit
  }

  /// A column of paths: shortened in the middle, raw bytes under `NAME_base64`.
  public static func path(_ name: String, title: String? = nil) -> Column {
    Column(
      name, title: title, alignment: .leading, shortening: .inMiddle, content: .path,
      base64Key: "\(name)_base64")
  }

  /// A column of text that may be cut off at its end.
  public static func text(_ name: String, title: String? = nil) -> Column {
    Column(name, title: title, alignment: .leading, shortening: .atEnd)
  }

  /// A column of numbers.
  public static func number(_ name: String, title: String? = nil) -> Column {
    Column(name, title: title, alignment: .trailing)
  }
}
