extension TypeRegistry {
  /// The type that a file name extension means, among those conforming to a type.
  ///
  /// - Parameters:
  ///   - filenameExtension: without the dot; several components (`tar.gz`) are allowed. Upper and
  ///     lower case are the same.
  ///   - supertype: `.data` for files, `.package` or `.directory` for directories.
  /// - Returns: the preferred type; a dynamic one if no declared type fits; `nil` if the text
  ///   cannot be an extension (empty, a slash, a zero byte, a space, a dot at either end).
  public func type(
    filenameExtension: String, conformingTo supertype: UniformType = .data
  ) -> UniformType? {
    type(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// The type that a MIME type means, among those conforming to a type. Parameters after a
  /// semicolon are dropped when the MIME type with them is unknown.
  ///
  /// - Returns: the preferred type; a dynamic one if no declared type fits; `nil` if the text is
  ///   empty.
  public func type(
    mimeType: String, conformingTo supertype: UniformType = .data
  ) -> UniformType? {
    type(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
  }

  /// The first of `types(tag:tagClass:conformingTo:)`.
  public func type(
    tag: String, tagClass: UniformType.TagClass, conformingTo supertype: UniformType?
  ) -> UniformType? {
    types(tag: tag, tagClass: tagClass, conformingTo: supertype).first
  }

  /// All declared types that carry a tag and conform to a type, the preferred one first; a single
  /// dynamic type if there is none; nothing for a tag that is not valid or a class that is unknown.
  ///
  /// - Parameter supertype: the type to conform to, or `nil` for any.
  public func types(
    tag: String, tagClass: UniformType.TagClass, conformingTo supertype: UniformType?
  ) -> [UniformType] {
    guard let kind = tagClass.kind, TagGrammar.isValid(tag, kind) else { return [] }
    let folded = tag.lowercased()
    var found = declaredTypes(tag: folded, kind: kind, conformingTo: supertype)
    if found.isEmpty, kind == .mimeType, let semicolon = folded.firstIndex(of: ";") {
      let bare = String(folded[..<semicolon].reversed().drop { $0 == " " }.reversed())
      found = declaredTypes(tag: bare, kind: kind, conformingTo: supertype)
    }
    if !found.isEmpty { return found }
    let value = kind == .osType ? tag : folded
    let dynamic = DynamicIdentifier(
      DynamicIdentifier.Pair(key: tagClass.rawValue, value: value),
      conformingTo: supertype?.identifier)
    return [UniformType(storage: storage, dynamic: dynamic)]
  }

  private func declaredTypes(
    tag: String, kind: TagKind, conformingTo supertype: UniformType?
  ) -> [UniformType] {
    storage.types(tag: tag, kind: kind)
      .map { type(at: $0) }
      .filter { candidate in supertype.map { candidate.conforms(to: $0) } ?? true }
  }

  /// The dynamic type of an entry whose extension nobody declares.
  ///
  /// - Parameters:
  ///   - bytes: the extension as it is written, without the dot. ASCII letters are lowered, and so
  ///     are others if the bytes are UTF-8.
  ///   - entryClass: decides the supertype: `public.data`, `public.unix-executable`,
  ///     `public.folder`.
  public func dynamicType(
    forExtension bytes: some Collection<UInt8>, as entryClass: EntryClass
  ) -> UniformType {
    let folded =
      String(validating: bytes, as: UTF8.self).map { Array($0.lowercased().utf8) }
      ?? bytes.map(foldASCII)
    let dynamic = DynamicIdentifier(
      DynamicIdentifier.Pair(
        key: UniformType.TagClass.filenameExtension.rawValue, bytes: folded),
      conformingTo: entryClass.fallbackIdentifier)
    return UniformType(storage: storage, dynamic: dynamic)
  }

  /// The type of an entry by name and kind: what `TypeMatcher` answers, as a type.
  ///
  /// Convenient rather than fast. A directory whose extension wants evidence is a folder unless
  /// `hasChild` proves it.
  ///
  /// - Parameters:
  ///   - name: the last path component.
  ///   - entryClass: what the entry is.
  ///   - hasChild: whether the directory has a child at a relative path.
  public func type(
    ofName name: String, as entryClass: EntryClass, hasChild: (String) -> Bool = { _ in false }
  ) -> UniformType {
    var name = name
    return name.withUTF8 { bytes in
      let match = TypeMatcher(self).match(bytes, as: entryClass)
      if let range = match.extensionRange {
        return dynamicType(forExtension: bytes[range], as: entryClass)
      }
      return type(at: resolve(match, hasChild: hasChild))
    }
  }
}

/// What the tags of each class may look like.
enum TagGrammar {
  static func isValid(_ tag: String, _ kind: TagKind) -> Bool {
    isValid(tag.utf8, kind)
  }

  static func isValid(_ bytes: some BidirectionalCollection<UInt8>, _ kind: TagKind) -> Bool {
    guard !bytes.isEmpty else { return false }
    switch kind {
    case .filenameExtension:
      return bytes.first != UInt8(ascii: ".") && bytes.last != UInt8(ascii: ".")
        && !bytes.contains { $0 == 0x2F || $0 == 0 || $0 == 0x20 }
    case .mimeType, .osType:
      return !bytes.contains(0)
    case .name, .pattern:
      return !bytes.contains { $0 == 0x2F || $0 == 0 }
    }
  }
}
