extension TypeRegistry {
  /// Whether a directory of a type is shown as one item, asked once the structure may be looked at.
  ///
  /// Some package extensions are ordinary words (`help`, `service`, `trace`): a directory of that
  /// name is the package only if it has the inside of one. Types whose extension speaks for itself
  /// need no proof, and the closure is not called for them.
  ///
  /// - Parameters:
  ///   - index: the type a `TypeMatcher` answered.
  ///   - hasChild: whether the directory has a child at a relative path such as
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
