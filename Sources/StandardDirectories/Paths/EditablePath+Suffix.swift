extension EditablePath {
  /// Whether the name ends with a text in front of its extension.
  ///
  /// No name ends with an empty text.
  public func hasPathSuffix(_ suffix: String) -> Bool {
    LastComponent(of: pathBytes).base.endsWithMark(Array(suffix.utf8))
  }

  /// The path with a text in front of its extension, unless it is there: `foo.png` and `-x` make
  /// `foo-x.png`.
  public func appendingPathSuffix(_ suffix: String) -> Self {
    let suffix = Array(suffix.utf8)
    return renaming { name in
      guard !suffix.isEmpty, !name.base.endsWithMark(suffix) else { return nil }
      let result = name.name(base: name.base + suffix)
      return LastComponent(of: result).base.endsWithMark(suffix) ? result : nil
    }
  }

  /// The path without a text in front of its extension, however often it stands there.
  public func deletingPathSuffix(_ suffix: String) -> Self {
    let suffix = Array(suffix.utf8)
    guard !suffix.isEmpty else { return self }
    return renaming { name in
      var name = name
      while name.base.endsWithMark(suffix) {
        name = LastComponent(of: name.name(base: name.base.dropLast(suffix.count)))
      }
      return name.name(base: name.base)
    }
  }

  /// The path with one text in front of its extension in place of another; unchanged where that
  /// is not there.
  public func replacingPathSuffix(_ suffix: String, with replacement: String) -> Self {
    guard hasPathSuffix(suffix), suffix != replacement else { return self }
    return deletingPathSuffix(suffix).appendingPathSuffix(replacement)
  }
}

extension [UInt8] {
  /// Whether a name's base ends with a text and has something in front of it.
  fileprivate func endsWithMark(_ mark: [UInt8]) -> Bool {
    !mark.isEmpty && count > mark.count && hasSuffix(mark)
  }
}
