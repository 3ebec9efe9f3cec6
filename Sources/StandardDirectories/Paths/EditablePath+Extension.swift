extension EditablePath {
  /// The extension without its point, empty without one: `png`, and `tar.gz` in whole.
  ///
  /// A leading or trailing point makes no extension, nor does text with a space in it.
  public var pathExtension: String {
    String(decoding: LastComponent(of: pathBytes).extensionBytes, as: UTF8.self)
  }

  /// Whether the name has an extension.
  public var hasPathExtension: Bool { !LastComponent(of: pathBytes).extensionBytes.isEmpty }

  /// The path with one more extension, unless it ends with this one.
  public func appendingPathExtension(_ extension: String) -> Self {
    let added = Array(`extension`.utf8)
    return renaming { name in
      let dotted = [NameByte.dot] + added
      guard !added.isEmpty, !([NameByte.dot] + name.extensionBytes).hasSuffix(dotted) else {
        return nil
      }
      let result = name.name(base: name.base) + dotted
      let reading = LastComponent(of: result).extensionBytes
      return ([NameByte.dot] + reading).hasSuffix(dotted) ? result : nil
    }
  }

  /// The path without its extension: `foo.tar.gz` becomes `foo`, and `v1.2.png` becomes `v1.2`.
  public func deletingPathExtension() -> Self {
    renaming(\.base)
  }

  /// The path with this extension in place of the one it has, if any; `nil` or an empty one
  /// removes it.
  public func replacingPathExtension(with extension: String?) -> Self {
    let added = Array((`extension` ?? "").utf8)
    return renaming { name in
      guard !added.isEmpty else { return name.base }
      let result = name.base + [NameByte.dot] + added
      return LastComponent(of: result).extensionBytes == added ? result : nil
    }
  }
}

extension [UInt8] {
  func hasSuffix(_ suffix: some Collection<UInt8>) -> Bool {
    count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
  }
}
