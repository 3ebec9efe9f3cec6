extension Query: CustomStringConvertible {
  /// The query in canonical text, which parses to the same query.
  ///
  /// Ages and days are written as they were; dates are written in UTC, so the text means the
  /// same in every time zone. A query for everything is `*`.
  public var description: String {
    var writer = QueryWriter()
    if caseSensitivity == .sensitive { writer.text += "case:yes " }
    writer.write(filter, within: .query)
    return writer.text
  }
}

/// Writes a simplified filter.
private struct QueryWriter {
  /// What surrounds a filter, which decides whether it needs parentheses.
  enum Context {
    case query, disjunction, conjunction, negation
  }

  var text = ""

  mutating func write(_ filter: Filter, within context: Context) {
    switch filter {
    case .all: text += "*"
    case .and(let filters):
      let isEnclosed = context == .conjunction || context == .negation
      write(filters, separatedBy: " ", isEnclosed: isEnclosed, within: .conjunction)
    case .or(let filters):
      write(filters, separatedBy: " OR ", isEnclosed: context != .query, within: .disjunction)
    case .not(.flag(let flag)): text += "\(flag.rawValue):no"
    case .not(let negated):
      text += "-"
      write(negated, within: .negation)
    default:
      let (name, value) = filter.term
      text += "\(name.rawValue):\(value)"
    }
  }

  private mutating func write(
    _ filters: [Filter], separatedBy separator: String, isEnclosed: Bool, within context: Context
  ) {
    if isEnclosed { text += "(" }
    for (index, filter) in filters.enumerated() {
      if index > 0 { text += separator }
      write(filter, within: context)
    }
    if isEnclosed { text += ")" }
  }
}

extension Filter {
  /// The name and the value, quoted where need be, of a filter that is written as one term.
  fileprivate var term: (QueryTermName, String) {
    switch self {
    case .name(.regex(let text)): (.regex, quoted(text.text))
    case .name(let pattern): (.name, pattern.queryValue)
    case .path(.regex(let text)): (.pathregex, quoted(text.text))
    case .path(let pattern): (.path, pattern.queryValue)
    case .extensions(let texts): (.ext, quoted(texts.map(\.extensionItem).joined(separator: ",")))
    case .kinds(let kinds): (.kind, kinds.map(\.rawValue).joined(separator: ","))
    case .type(let text): (.type, text.queryValue)
    case .conformsTo(let text): (.conformsTo, text.queryValue)
    case .size(let range): (.size, range.queryValue { ByteSize(bytes: $0).description })
    case .allocated(let range): (.allocated, range.queryValue { ByteSize(bytes: $0).description })
    case .date(let field, let range): (field.termName, range.queryValue)
    case .owner(let text): (.owner, text.queryValue)
    case .group(let text): (.group, text.queryValue)
    case .uid(let range): (.uid, range.queryValue(\.description))
    case .gid(let range): (.gid, range.queryValue(\.description))
    case .mode(let test): (.mode, test.queryValue)
    case .depth(let range): (.depth, range.queryValue(\.description))
    case .links(let range): (.links, range.queryValue(\.description))
    case .flag(let flag): (flag.termName, "yes")
    case .role(let text): (.role, text.queryValue)
    case .container(let text): (.container, text.queryValue)
    case .backup(let text): (.backup, text.queryValue)
    case .scale(let scale): (.scale, scale.queryValue)
    case .idiom(let text): (.idiom, text.queryValue)
    case .tag(let text): (.tag, text.queryValue)
    // Written by the caller; as a term it is the name that everything has.
    case .all, .and, .or, .not: (.name, "*")
    }
  }
}

// MARK: - Values

/// A value as a word of a query: in quotes if something in it would end the word.
///
/// A backslash and what follows are kept together. Within quotes `\"` stands for a quote alone,
/// so an escaped quote is written outside of them.
private func quoted(_ value: String) -> String {
  let needsQuotes =
    value.isEmpty
    || value.unicodeScalars.contains {
      $0.isQuerySpace || $0 == "\"" || $0 == "(" || $0 == ")"
    }
  guard needsQuotes else { return value }
  var text = "\""
  var isEscaped = false
  for scalar in value.unicodeScalars {
    switch (isEscaped, scalar) {
    case (true, "\""):
      text += "\"\\\"\""
      isEscaped = false
    case (true, _):
      text += "\\"
      text.unicodeScalars.append(scalar)
      isEscaped = false
    case (false, "\\"): isEscaped = true
    case (false, "\""): text += "\\\""
    case (false, _): text.unicodeScalars.append(scalar)
    }
  }
  // A lone backslash at the end has nothing to escape, not even the closing quote.
  return isEscaped ? text + "\"\\" : text + "\""
}

private func escaped(_ text: String, _ special: [Unicode.Scalar]) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    if scalar == "\\" || special.contains(scalar) { result += "\\" }
    result.unicodeScalars.append(scalar)
  }
  return result
}

extension ExactString {
  fileprivate var queryValue: String { quoted(escaped(text, [])) }

  /// An element of a list of extensions; a leading dot would be taken for decoration.
  fileprivate var extensionItem: String {
    let item = escaped(text, [","])
    return item.unicodeScalars.first == "." ? "\\" + item : item
  }
}

extension TextPattern {
  fileprivate var queryValue: String {
    switch self {
    case .substring(let text):
      let value = escaped(text.text, ["*", "?", "["])
      return quoted(value.unicodeScalars.first == "=" ? "\\" + value : value)
    case .exact(let text): return quoted("=" + escaped(text.text, []))
    case .glob(let text), .regex(let text): return quoted(text.text)
    }
  }
}

extension ValueRange {
  fileprivate func queryValue(_ write: (Value) -> String) -> String {
    switch (lower, upper) {
    case (.unbounded, .unbounded): ".."
    case (.unbounded, .exclusive(let high)): "<" + write(high)
    case (.unbounded, .inclusive(let high)): "<=" + write(high)
    case (.exclusive(let low), .unbounded): ">" + write(low)
    case (.inclusive(let low), .unbounded): ">=" + write(low)
    case (.inclusive(let low), .inclusive(let high)) where low == high && Value.self != Age.self:
      write(low)
    case (.inclusive(let low), .inclusive(let high)): write(low) + ".." + write(high)
    case (.inclusive(let low), .exclusive(let high)): write(low) + "..<" + write(high)
    case (.exclusive(let low), .inclusive(let high)): ">" + write(low) + ".." + write(high)
    case (.exclusive(let low), .exclusive(let high)): ">" + write(low) + "..<" + write(high)
    }
  }
}

extension DateRange {
  fileprivate var queryValue: String {
    switch self {
    case .ages(let range): range.queryValue(\.description)
    case .times(let from?, let until?): "\(from.queryValue)..<\(until.queryValue)"
    case .times(let from?, nil): ">=\(from.queryValue)"
    case .times(nil, let until?): "<\(until.queryValue)"
    case .times(nil, nil): ".."
    }
  }
}

extension TimePoint {
  fileprivate var queryValue: String {
    switch self {
    case .instant(let nanoseconds): WrittenDate.text(ofNanoseconds: nanoseconds)
    case .day(0): "today"
    case .day(let offset): offset < 0 ? "today\(offset)d" : "today+\(offset)d"
    }
  }
}

extension ModeTest {
  fileprivate var queryValue: String {
    switch self {
    case .exactly(let bits): String(bits, radix: 8)
    case .all(let bits): "-" + String(bits, radix: 8)
    case .any(let bits): "/" + String(bits, radix: 8)
    }
  }
}

extension Double {
  fileprivate var queryValue: String {
    self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : description
  }
}

extension DateField {
  fileprivate var termName: QueryTermName {
    switch self {
    case .modified: .modified
    case .created: .created
    case .accessed: .accessed
    case .changed: .changed
    }
  }
}

extension FileFlag {
  fileprivate var termName: QueryTermName {
    switch self {
    case .empty: .empty
    case .hidden: .hidden
    case .broken: .broken
    case .purgeable: .purgeable
    }
  }
}
