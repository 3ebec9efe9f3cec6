/// One field of every row that is printed.
package struct Column: Sendable, Equatable {
  /// The edge to which cells of a table are aligned.
  package enum Alignment: Sendable {
    /// Numbers to the right, everything else to the left, judged by the first rows.
    case automatic
    /// To the left.
    case leading
    /// To the right.
    case trailing
  }

  /// How a cell gives way when a line is longer than the terminal is wide. Numbers never do.
  package enum Shortening: Sendable {
    /// It stays as it is, even where the line is too long then.
    case never
    /// Its end is cut off.
    case atEnd
    /// Its middle is left out; the last component of a path stays as long as it can.
    case inMiddle
    /// It goes on below in its column, which is the last one.
    case wrapped
  }

  /// Whether a column is there when a line has no room for all.
  package enum Presence: Sendable {
    /// It always is.
    case always
    /// It goes before any path is shortened; those to the right go first.
    case whereItFits
  }

  /// What the text of a column stands for.
  package enum Content: Sendable {
    /// A value.
    case value
    /// The path or the name of what the row is about, whose bytes need not be UTF-8.
    case path
    /// A path that the row mentions.
    case otherPath
  }

  /// The unit in which machines get timestamps.
  package enum TimeUnit: Sendable {
    /// Whole seconds since 1970, rounded down.
    case seconds
    /// Nanoseconds since 1970.
    case nanoseconds
  }

  /// The name in JSON, and in the header line of CSV and TSV.
  package var name: String

  /// The title in tables.
  package var title: String

  /// The edge to which cells of a table are aligned.
  package var alignment: Alignment

  /// How a cell gives way to a narrow terminal.
  package var shortening: Shortening

  /// Whether the column is there when a line has no room for all.
  package var presence: Presence

  /// What the text stands for.
  package var content: Content

  /// The JSON key under which the raw bytes of text that is not UTF-8 are given, in Base64.
  package var base64Key: String?

  /// The unit of timestamps in JSON, CSV and TSV.
  package var timeUnit: TimeUnit

  /// Whether the column holds the path or the name of what a row is about.
  package var isPath: Bool { content == .path }

  /// A column; without a title, tables show the name in capitals.
  package init(
    _ name: String,
    title: String? = nil,
    alignment: Alignment = .automatic,
    shortening: Shortening = .never,
    presence: Presence = .always,
    content: Content = .value,
    base64Key: String? = nil,
    timeUnit: TimeUnit = .seconds
  ) {
    self.name = name
    self.title = title ?? name.uppercased()
    self.alignment = alignment
    self.shortening = shortening
    self.presence = presence
    self.content = content
    self.base64Key = base64Key
    self.timeUnit = timeUnit
  }

  /// A column of paths: shortened in the middle, raw bytes under `NAME_base64`.
  package static func path(_ name: String, title: String? = nil) -> Column {
    Column(
      name, title: title, alignment: .leading, shortening: .inMiddle, content: .path,
      base64Key: "\(name)_base64")
  }

  /// A column of paths that a row mentions beside its own.
  package static func otherPath(_ name: String, title: String? = nil) -> Column {
    var column = path(name, title: title)
    column.content = .otherPath
    return column
  }

  /// A column of text that may be cut off at its end.
  package static func text(_ name: String, title: String? = nil) -> Column {
    Column(name, title: title, alignment: .leading, shortening: .atEnd)
  }

  /// A column of numbers.
  package static func number(_ name: String, title: String? = nil) -> Column {
    Column(name, title: title, alignment: .trailing)
  }

  /// The last column, with sentences that go on below.
  package static func prose(_ name: String, title: String? = nil) -> Column {
    Column(name, title: title, alignment: .leading, shortening: .wrapped)
  }

  /// The same column, which is there only where it fits.
  package var whereItFits: Column {
    var column = self
    column.presence = .whereItFits
    return column
  }
}
