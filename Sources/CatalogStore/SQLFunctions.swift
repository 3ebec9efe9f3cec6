package import SQLite
internal import TextMatching

/// The SQL functions of the catalog's own queries. Nothing stored depends on them: the views are
/// read without.
///
/// - `filecat_matches(text, matcher)`: whether a text matches.
/// - `filecat_matches_below(path, root, matcher)`: the same for the part of a path below its root.
/// - `filecat_has_extension(name, extensions)`: whether a name has one of some extensions.
/// - `filecat_folded(text)`: the text by which texts are equal whatever the case of their letters.
/// - `filecat_has_tag(tags, tag, folded)`: whether a tag is among some, which commas separate.
/// - `filecat_natural_key(name)`: a BLOB that sorts names as people expect.
package enum SQLFunctions {
  package static func register(on db: Connection) throws {
    try db.addFunction("filecat_matches", argumentCount: 2, matches)
    try db.addFunction("filecat_matches_below", argumentCount: 3, matchesBelow)
    try db.addFunction("filecat_has_extension", argumentCount: 2, hasExtension)
    try db.addFunction("filecat_folded", argumentCount: 1, folded)
    try db.addFunction("filecat_has_tag", argumentCount: 3, hasTag)
    try db.addFunction("filecat_natural_key", argumentCount: 1, naturalKey)
  }

  // The query compiler pairs each function with the class that it takes.

  @Sendable
  private static func matches(_ call: FunctionCall) {
    guard let matcher = call.object(1, as: TextMatcher.self) else { return }
    call.answer(matcher.matches(call.bytes(0)))
  }

  @Sendable
  private static func matchesBelow(_ call: FunctionCall) {
    guard let matcher = call.object(2, as: TextMatcher.self) else { return }
    let root = call.bytes(1)
    let prefix = root.count + (root.last == UInt8(ascii: "/") ? 0 : 1)
    let below = UnsafeRawBufferPointer(rebasing: call.bytes(0).dropFirst(prefix))
    call.answer(matcher.matches(below))
  }

  @Sendable
  private static func hasExtension(_ call: FunctionCall) {
    guard let extensions = call.object(1, as: ExtensionSet.self) else { return }
    call.answer(extensions.contains(extensionOf: call.bytes(0)))
  }

  @Sendable
  private static func folded(_ call: FunctionCall) {
    guard !call.isNull(0) else { return }
    CaseFolding.withFolded(call.bytes(0)) { call.answer(text: $0) }
  }

  @Sendable
  private static func hasTag(_ call: FunctionCall) {
    let isFolded = call.integer(2) != 0
    func comparable(_ text: UnsafeRawBufferPointer) -> [UInt8] {
      isFolded ? CaseFolding.withFolded(text) { Array($0) } : Array(text)
    }
    let wanted = comparable(call.bytes(1))
    let space = UInt8(ascii: " ")
    let has = call.bytes(0).split(separator: UInt8(ascii: ",")).contains { tag in
      let start = tag.drop { $0 == space }
      let end = (start.lastIndex { $0 != space } ?? start.startIndex - 1) + 1
      return comparable(UnsafeRawBufferPointer(rebasing: start[..<end])) == wanted
    }
    call.answer(has)
  }

  @Sendable
  private static func naturalKey(_ call: FunctionCall) {
    NaturalOrder.key(of: call.bytes(0)).withUnsafeBytes { call.answer(blob: $0) }
  }
}
