extension TypeRegistry {
  /// The type that a file name extension means, among those conforming to a type.
  ///
  /// - Parameters:
  ///   - filenameExtension: Without the dot; several components (`tar.gz`) are allowed. Upper and
  ///     lower case are the same.
  ///   - supertype: `.data` for files, `.package` or `.directory` for directories.
  /// - Returns: The preferred type; a dynamic one if no declared type fits; `nil` if the text
  ///   cannot be an extension (empty, longer than a name, a slash, a zero byte, a space, a dot at
  ///   either end, more than eight components).
  public func type(
    filenameExtension: String, conformingTo supertype: UniformType = .data
  ) -> UniformType? {
    type(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// The type that a MIME type means, among those conforming to a type. Parameters after a
  /// semicolon are dropped when the MIME type with them is unknown.
  ///
  /// - Returns: The preferred type; a dynamic one if no declared type fits; `nil` if the text is
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
  /// - Parameter supertype: The type to conform to, or `nil` for any.
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
  ///   - bytes: The extension as it is written, without the dot. ASCII letters are lowered, and so
  ///     are others if the bytes are UTF-8.
  ///   - entryClass: Decides the supertype: `public.data`, `public.unix-executable`,
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
  /// Convenient rather than fast. A directory whose extension wants evidence is a plain one unless
  /// `hasChild` proves it.
  ///
  /// - Parameters:
  ///   - name: The last path component.
  ///   - entryClass: What the entry is.
  ///   - hasChild: Whether the directory has a child at a relative path.
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

  /// Whether a directory of a type is shown as one item, asked once the structure may be looked at.
  ///
  /// Some package extensions are ordinary words (`help`, `service`, `trace`): a directory of that
  /// name is the package only if it has the inside of one. Types whose extension speaks for itself
  /// need no proof, and the closure is not called for them.
  ///
  /// - Parameters:
  ///   - index: The type a `TypeMatcher` answered.
  ///   - hasChild: Whether the directory has a child at a relative path such as
  ///     `Contents/Info.plist`. Called for one candidate after the other until one is there.
  public func isPackageWithEvidence(
    _ index: TypeIndex, hasChild: (_ relativePath: String) -> Bool
  ) -> Bool {
    guard index.position < storage.types.count else { return false }
    let record = storage.types[index.position]
    return record.traits.contains(.package) && hasEvidence(record, hasChild)
  }

  /// The final type of a match: the matched one, or `public.folder` for a directory that lacks the
  /// structure its extension promises.
  public func resolve(
    _ match: TypeMatch, hasChild: (_ relativePath: String) -> Bool
  ) -> TypeIndex {
    guard match.flags.contains(.needsEvidence), match.type.position < storage.types.count else {
      return match.type
    }
    return hasEvidence(storage.types[match.type.position], hasChild)
      ? match.type : storage.wellKnown[.directory]
  }

  private func hasEvidence(_ record: TypeRecord, _ hasChild: (String) -> Bool) -> Bool {
    guard !record.evidence.isEmpty else { return true }
    return storage.pool.string(record.evidence).split(separator: ",").contains { alternative in
      if alternative == "bundle" { return Self.bundleLayouts.contains(where: hasChild) }
      return alternative.split(separator: "+").allSatisfy { hasChild(String($0)) }
    }
  }

  /// Where the layouts of bundles keep their description: the modern one, the flat one, that of
  /// frameworks, that of old plug-ins.
  private static let bundleLayouts = [
    "Contents/Info.plist", "Info.plist", "Resources/Info.plist",
    "Versions/Current/Resources/Info.plist", "Support Files/Info.plist", "Contents/PkgInfo",
  ]
}

extension TypeMatcher {
  /// Creates a matcher over the tables of a registry, which it keeps alive.
  public init(_ registry: TypeRegistry) {
    self.init(registry.storage.nameTable)
  }
}
