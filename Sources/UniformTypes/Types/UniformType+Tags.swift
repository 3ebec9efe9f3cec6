extension UniformType {
  /// A kind of tag: the file name extension, the MIME type and others.
  public struct TagClass: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier of the class.
    public let rawValue: String

    /// Wraps the identifier of a class.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// File name extensions without the dot; `tar.gz` is one.
    public static let filenameExtension = TagClass(rawValue: "public.filename-extension")
    /// MIME types.
    public static let mimeType = TagClass(rawValue: "public.mime-type")
    /// Four-character codes of classic Mac OS.
    public static let osType = TagClass(rawValue: "com.apple.ostype")
    /// Whole file names, such as `Makefile`. A class of this library.
    public static let name = TagClass(rawValue: "org.filecatalog.name")
    /// Patterns of whole file names with `*`, `?` and `[a-z]`. A class of this library.
    public static let pattern = TagClass(rawValue: "org.filecatalog.pattern")

    /// The identifier of the class.
    public var description: String { rawValue }

    init(_ kind: TagKind) {
      self =
        switch kind {
        case .filenameExtension: .filenameExtension
        case .mimeType: .mimeType
        case .name: .name
        case .pattern: .pattern
        case .osType: .osType
        }
    }

    var kind: TagKind? {
      switch self {
      case .filenameExtension: .filenameExtension
      case .mimeType: .mimeType
      case .name: .name
      case .pattern: .pattern
      case .osType: .osType
      default: nil
      }
    }
  }

  // MARK: - From tags

  /// The type of files, or of whatever conforms to `supertype`, with an extension. An unknown
  /// extension gives a dynamic type; `nil` comes only for text that cannot be an extension.
  public init?(filenameExtension: String, conformingTo supertype: UniformType = .data) {
    self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// The type with a MIME type. An unknown one gives a dynamic type; `nil` comes only for empty
  /// text.
  public init?(mimeType: String, conformingTo supertype: UniformType = .data) {
    self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
  }

  /// The preferred type with a tag, among those conforming to a type, or among all for `nil`.
  /// A tag class nobody knows gives `nil`.
  public init?(tag: String, tagClass: TagClass, conformingTo supertype: UniformType?) {
    guard
      let type = TypeRegistry.builtIn.type(
        tag: tag, tagClass: tagClass, conformingTo: supertype)
    else { return nil }
    self = type
  }

  /// All types with a tag that conform to a type, the preferred one first. If there is none, one
  /// dynamic type; nothing for a tag or class that is not valid.
  public static func types(
    tag: String, tagClass: TagClass, conformingTo supertype: UniformType?
  ) -> [UniformType] {
    TypeRegistry.builtIn.types(tag: tag, tagClass: tagClass, conformingTo: supertype)
  }

  // MARK: - Tags

  /// The tags of the type by class, the preferred one first.
  public var tags: [TagClass: [String]] {
    var result: [TagClass: [String]] = [:]
    switch form {
    case .declared(let index):
      var seen: Set<TypeDeclaration.Tag> = []
      for record in storage.tags(of: index) {
        let text = storage.pool.string(record.text)
        guard seen.insert(TypeDeclaration.Tag(text: text, kind: record.tagClass)).inserted else {
          continue
        }
        result[TagClass(record.tagClass), default: []].append(text)
      }
    case .dynamic(let dynamic):
      for pair in dynamic.tags {
        result[TagClass(rawValue: pair.key), default: []].append(pair.text)
      }
    case .undeclared:
      break
    }
    return result
  }

  /// The extension to give a new file of the type, without the dot.
  public var preferredFilenameExtension: String? {
    preferredTag(.filenameExtension)
  }

  /// The MIME type to announce content of the type with.
  public var preferredMIMEType: String? {
    preferredTag(.mimeType)
  }

  private func preferredTag(_ tagClass: TagClass) -> String? {
    switch form {
    case .declared(let index):
      storage.tags(of: index).first { $0.tagClass == tagClass.kind }
        .map { storage.pool.string($0.text) }
    case .dynamic(let dynamic):
      dynamic.tags.first { $0.key == tagClass.rawValue }?.text
    case .undeclared:
      nil
    }
  }
}
