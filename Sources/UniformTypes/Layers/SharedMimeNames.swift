internal import StandardDirectories
package import SystemPackage

/// The names that shared-mime-info knows, without the types they stand for.
///
/// Reading the whole layer takes some 30 ms, this a fraction of one: enough to tell whether the
/// system knows a name at all, and by which rule. Rules are few while names are endless, so an
/// answer can be kept by rule, and the types are read only for one that was never met before.
///
///     let names = SharedMimeNames(directories: SharedMimeInfo.systemDirectories(of: .ofThisProcess()))
///     var name = "notes.zzz"
///     let rule = name.withUTF8 { names.match($0, as: .file) }.map { names[$0] }
package struct SharedMimeNames: Sendable {
  /// What a name must be like.
  package struct Rule: Hashable, Sendable {
    /// Whether `tag` is an extension, a whole name or a pattern.
    package let tagClass: UniformType.TagClass
    /// The extension, the name or the pattern, in lower case: a tag that the registry with the layer
    /// of the system knows.
    package let tag: String

    /// Names a rule.
    package init(_ tagClass: UniformType.TagClass, _ tag: String) {
      self.tagClass = tagClass
      self.tag = tag
    }
  }

  /// Each rule as a type of its own, so that names find rules just as they find types.
  private let registry: TypeRegistry
  private let matcher: TypeMatcher

  /// Reads `globs2` of some directories, the strongest first. What is missing or makes no sense is
  /// passed over.
  package init(directories: [FilePath]) {
    var builder = RegistryBuilder(pool: TextPool())
    var patterns = 0
    for directory in directories {
      guard let bytes = try? LocalFiles().contents(of: directory.appending("globs2")) else {
        continue
      }
      bytes.withUnsafeBufferPointer { buffer in
        for line in buffer.split(separator: UInt8(ascii: "\n")) {
          builder.addGlob(line, patterns: &patterns)
        }
      }
    }
    registry = TypeRegistry(storage: builder.finish())
    matcher = TypeMatcher(registry)
  }

  /// The position of the rule that a name falls under; `nil` if the system does not know it.
  ///
  /// As quick as `TypeMatcher` and with the same order of names, extensions and patterns. Only files
  /// have types by name here, and an executable one never by a pattern: `program~1` is no backup.
  package func match(_ name: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass) -> TypeIndex? {
    let index = matcher.match(name, as: entryClass).type
    return index == .none ? nil : index
  }

  /// The rule at a position that `match(_:as:)` gave.
  package subscript(_ index: TypeIndex) -> Rule {
    let storage = registry.storage
    guard let tag = storage.tags(of: index).first else { return Rule(.name, "") }
    return Rule(UniformType.TagClass(tag.tagClass), storage.pool.string(tag.text).lowercased())
  }

  /// All rules, in the order in which they stand in the files.
  package var rules: [Rule] { registry.indices.map { self[$0] } }
}

extension RegistryBuilder {
  /// Adds a line `weight:type:pattern[:flags]` as a type with one tag. The letter case of a name says
  /// nothing here, so rules that depend on it are left out.
  fileprivate mutating func addGlob(
    _ line: Slice<UnsafeBufferPointer<UInt8>>, patterns: inout Int
  ) {
    let parts = line.split(
      separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, let weight = Self.weight(parts[0]), MimeGlob.concernsNames(parts[1]),
      !parts[2].isEmpty, !parts[2].elementsEqual("__NOGLOBS__".utf8),
      parts.count == 3
        || !parts[3].split(separator: UInt8(ascii: ",")).contains(where: {
          $0.elementsEqual("cs".utf8)
        })
    else { return }
    let (kind, bytes) = MimeGlob.tag(of: parts[2])
    guard TagGrammar.isValid(bytes, kind) else { return }
    if kind == .pattern {
      guard patterns < TagGrammar.mostPatterns else { return }
      patterns += 1
    }
    let text = intern(bytes)
    guard let index = add(TypeRecord(identifier: text, source: .sharedMimeInfo)) else { return }
    addTag(
      text, kind: kind, to: index, source: .sharedMimeInfo, rank: MimeGlob.rank(weight: weight))
  }

  private static func weight(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard (1...3).contains(digits.count) else { return nil }
    var weight = 0
    for byte in digits {
      guard byte &- UInt8(ascii: "0") < 10 else { return nil }
      weight = weight * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return min(weight, 100)
  }
}
