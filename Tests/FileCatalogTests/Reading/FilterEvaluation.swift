import FileSystem
import SystemPackage
import TextMatching
import UniformTypes

@testable import FileCatalog

/// Decides conditions on entries one by one, as their documentation has them, without SQL.
struct FilterEvaluation {
  let root: FilePath
  let caseSensitivity: CaseSensitivity
  let totals: [EntryID: DirectoryTotals]
  let broken: Set<FilePath>
  /// What is stored with entries, by their keys.
  let values: [EntryID: [ValueKey: ResourceValue]]
  let now: Int64

  func matches(_ entry: Entry, _ filter: Filter) throws -> Bool {
    switch filter.condition {
    case .everything: return true
    case .all(let filters): return try filters.allSatisfy { try matches(entry, $0) }
    case .any(let filters): return try filters.contains { try matches(entry, $0) }
    case .not(let filter): return try !matches(entry, filter)
    case .text(let field, let pattern) where isAboutPaths(pattern, field):
      return try hasPath(entry, pattern)
    case .text(.name, let pattern):
      return try matches(entry.path.lastComponent?.bytes ?? [], pattern, .name)
    case .text(.path, let pattern):
      return try matches(Array(entry.path.bytes.dropFirst(root.bytes.count + 1)), pattern, .path)
    case .extensions(let texts): return texts.contains { hasExtension(entry, $0.text) }
    case .kinds(let kinds): return kinds.contains { isOfKind(entry, $0) }
    case .word(let field, let word): return has(entry, field, word.text)
    case .number(let field, let range): return number(of: entry, field).map(range.contains) ?? false
    case .date(let field, let range):
      let time =
        switch field {
        case .modified: entry.modified
        case .created: entry.created
        case .accessed: entry.accessed
        case .changed: entry.changed
        }
      return time.map(range.resolved(now: now).contains) ?? false
    case .mode(let test):
      return entry.mode.map { test.matches(UInt16(truncatingIfNeeded: $0)) } ?? false
    case .flag(let flag): return has(entry, flag)
    case .scale: return false
    case .value(let test):
      return try values[entry.id]?[ValueKey(test.key.text)].map { try matches($0, test) } ?? false
    }
  }

  private func matches(_ value: ResourceValue, _ test: ValueTest) throws -> Bool {
    switch (test.question, value) {
    case (.presence, _): true
    case (.number(let range), _): number(value).map(range.contains) ?? false
    case (.text(let pattern), .text(let text)): try matches(Array(text.utf8), pattern, .name)
    case (.text(let pattern), .bytes(let bytes)): try matches(bytes, pattern, .name)
    case (.text(let pattern), _):
      pattern.form == .exact && number(value) == Double(pattern.text).flatMap { Filter.Number($0) }
    }
  }

  private func number(_ value: ResourceValue) -> Filter.Number? {
    switch value {
    case .integer(let integer): Filter.Number(integer)
    case .real(let real): Filter.Number(real)
    case .text, .bytes: nil
    }
  }

  private func number(of entry: Entry, _ field: Filter.NumberField) -> Int64? {
    switch field {
    case .size: entry.size
    case .allocated: entry.allocated
    case .uid: entry.uid.map(Int64.init)
    case .gid: entry.gid.map(Int64.init)
    case .depth: Int64(entry.depth)
    case .links: entry.links.map(Int64.init)
    }
  }

  private func has(_ entry: Entry, _ field: Filter.WordField, _ word: String) -> Bool {
    switch field {
    case .type: entry.type == word.lowercased()
    case .conformsTo: conforms(entry, word)
    case .owner: equal(entry.owner, word)
    case .group: equal(entry.group, word)
    case .tag, .role, .container, .backup, .idiom: false
    }
  }

  /// Whether a pattern is for whole paths: it begins with a slash, or has one where a name has none.
  private func isAboutPaths(_ pattern: TextPattern, _ field: Filter.TextField) -> Bool {
    guard pattern.form != .regex else { return false }
    let slash = UInt8(ascii: "/")
    return pattern.bytes.first == slash || field == .name && pattern.bytes.contains(slash)
  }

  /// Whether the whole path matches, or what is left of it from one of its components on.
  private func hasPath(_ entry: Entry, _ pattern: TextPattern) throws -> Bool {
    let path = entry.path.bytes
    let slash = UInt8(ascii: "/")
    let ends =
      pattern.bytes.first == slash
      ? [path[...]] : path.indices.filter { path[$0] == slash }.map { path[($0 + 1)...] }
    return try ends.contains { end in
      guard pattern.form == .substring else { return try matches(Array(end), pattern, .path) }
      return caseSensitivity.comparable(Array(end))
        .starts(with: caseSensitivity.comparable(pattern.bytes))
    }
  }

  private func matches(
    _ bytes: [UInt8], _ pattern: TextPattern, _ syntax: Glob.Syntax
  ) throws -> Bool {
    let matcher = try TextMatcher(pattern, caseSensitivity: caseSensitivity, syntax: syntax)
    return bytes.withUnsafeBytes { matcher.matches($0) }
  }

  private func equal(_ a: String?, _ b: String) -> Bool {
    caseSensitivity == .sensitive ? a == b : a?.lowercased() == b.lowercased()
  }

  private func hasExtension(_ entry: Entry, _ text: String) -> Bool {
    let name = entry.path.lastComponent?.bytes ?? []
    let found = fileExtension(of: name).map { String(decoding: $0, as: UTF8.self) }
    if text.isEmpty { return found == nil }
    guard text.contains(".") else { return equal(found, text) }
    let whole = String(decoding: name, as: UTF8.self)
    let ending = "." + text
    return whole.count > ending.count && equal(String(whole.suffix(ending.count)), ending)
  }

  private func isOfKind(_ entry: Entry, _ kind: Filter.Kind) -> Bool {
    switch kind.test {
    case .structure(let word): entry.kind.name == word
    case .conformance(let identifiers): identifiers.contains { conforms(entry, $0) }
    }
  }

  private func conforms(_ entry: Entry, _ identifier: String) -> Bool {
    guard let type = UniformType(entry.type), let other = UniformType(identifier) else {
      return false
    }
    return type.conforms(to: other)
  }

  private func has(_ entry: Entry, _ flag: Filter.Flag) -> Bool {
    switch flag {
    case .hidden: return entry.path.lastComponent?.bytes.first == UInt8(ascii: ".")
    case .broken: return broken.contains(entry.path)
    case .purgeable, .offline: return false
    case .empty:
      switch entry.kind {
      case .file, .package: return entry.size == 0
      case .directory: return totals[entry.id].map { $0.files + $0.directories == 0 } ?? false
      default: return false
      }
    }
  }
}
