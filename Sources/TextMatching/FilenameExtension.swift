/// Extensions to look for, with letter case or without.
package final class ExtensionSet: Sendable {
  private let simple: Set<[UInt8]>
  private let endings: [[UInt8]]
  private let caseSensitivity: CaseSensitivity

  /// An empty text stands for names without an extension; one with dots, such as `tar.gz`, for
  /// names that end in it.
  package init(_ extensions: [ExactString], caseSensitivity: CaseSensitivity) {
    self.caseSensitivity = caseSensitivity
    let folded = extensions.map { caseSensitivity.comparable(Array($0.text.utf8)) }
    let dot = UInt8(ascii: ".")
    simple = Set(folded.filter { !$0.contains(dot) })
    endings = folded.filter { $0.contains(dot) }.map { [dot] + $0 }
  }

  /// Whether the extension of a name in UTF-8 is one of these.
  package func contains(extensionOf name: UnsafeRawBufferPointer) -> Bool {
    let found = FilenameExtension.range(in: name)
    let bytes = UnsafeRawBufferPointer(rebasing: name[found])
    if simple.contains(caseSensitivity.comparable(bytes)) { return true }
    guard !endings.isEmpty else { return false }
    let whole = caseSensitivity.comparable(name)
    return endings.contains { whole.count > $0.count && whole.suffix($0.count).elementsEqual($0) }
  }
}

/// What the extension of a name is.
package enum FilenameExtension {
  /// The text after the last dot; empty when the dot is the first or the last byte of the name, or a
  /// space follows anywhere after it.
  @inlinable
  package static func range(in name: UnsafeRawBufferPointer) -> Range<Int> {
    var dot = name.count - 1
    while dot > 0, name[dot] != UInt8(ascii: ".") {
      if name[dot] == UInt8(ascii: " ") { return 0..<0 }
      dot -= 1
    }
    return dot > 0 ? dot + 1..<name.count : 0..<0
  }
}
