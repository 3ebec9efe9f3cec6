/// The type of a piece of content: what Apple's platforms call a uniform type.
///
///     let type = UniformType(filenameExtension: "jpg")
///     type?.identifier               // "public.jpeg"
///     type?.conforms(to: .image)     // true
///
/// A type is either declared, in the built-in table or by a registry with more layers, or dynamic:
/// made up for a tag that no declared type carries. Two types are equal when their identifiers are,
/// whatever registry they come from.
///
/// The initialisers ask `TypeRegistry.builtIn`; a registry answers the same questions with the
/// user's and the system's declarations.
public struct UniformType: Sendable {
  /// How a type answers.
  enum Form: Sendable {
    case declared(TypeIndex)
    case dynamic(DynamicIdentifier)
    /// Named by the program, declared by nobody.
    case undeclared(identifier: String, supertypes: [String])
  }

  let storage: RegistryStorage
  let form: Form

  init(storage: RegistryStorage, declared index: TypeIndex) {
    self.storage = storage
    form = .declared(index)
  }

  init(storage: RegistryStorage, dynamic: DynamicIdentifier) {
    self.storage = storage
    form = .dynamic(dynamic)
  }

  // MARK: - From identifiers

  /// The type with an identifier, or `nil` if the built-in table does not know it. A well-formed
  /// `dyn.` identifier gives a dynamic type. Upper and lower case are the same.
  public init?(_ identifier: String) {
    guard let type = TypeRegistry.builtIn.type(identifier: identifier) else { return nil }
    self = type
  }

  /// A type that the program itself defines. If the table does not know the identifier, the type
  /// answers with it all the same and conforms to `supertype`, by default `public.data`.
  public init(exportedAs identifier: String, conformingTo supertype: UniformType? = nil) {
    self.init(named: identifier, conformingTo: supertype)
  }

  /// A type that somebody else defines and the program uses. If the table declares the identifier
  /// but prefers another type for its first extension, that other type is given, as Apple's
  /// systems do.
  public init(importedAs identifier: String, conformingTo supertype: UniformType? = nil) {
    let named = UniformType(named: identifier, conformingTo: supertype)
    self = named.substitute(conformingTo: supertype) ?? named
  }

  /// The declared type that has the first extension of this one, if that is another type.
  private func substitute(conformingTo supertype: UniformType?) -> UniformType? {
    guard isDeclared, let filenameExtension = preferredFilenameExtension else { return nil }
    let preferred = registry.type(
      tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype ?? self)
    return preferred?.isDeclared == true ? preferred : nil
  }

  init(named identifier: String, conformingTo supertype: UniformType?) {
    if let known = TypeRegistry.builtIn.type(identifier: identifier) {
      self = known
    } else {
      storage = TypeRegistry.builtIn.storage
      form = .undeclared(
        identifier: identifier.lowercased(),
        supertypes: [supertype?.identifier ?? "public.data"])
    }
  }

  // MARK: - Identity

  /// The identifier, in lower case.
  public var identifier: String {
    switch form {
    case .declared(let index): storage.identifier(of: index)
    case .dynamic(let dynamic): dynamic.rawValue
    case .undeclared(let identifier, _): identifier
    }
  }

  /// The numbers that built-in types may have. A catalog numbers all others from those beyond.
  package static let builtInIDs: ClosedRange<Int32> = 1...9999

  /// The number of a built-in type, from 1 to 9999, the same for ever; `nil` for every other type.
  public var builtInID: Int32? {
    guard case .declared(let index) = form else { return nil }
    let id = storage.types[index.position].stableID
    return id > 0 ? id : nil
  }

  /// The registry the type came from.
  public var registry: TypeRegistry { TypeRegistry(storage: storage) }
}

// MARK: - Equality

extension UniformType: Hashable {
  /// Whether the identifiers are the same.
  public static func == (left: UniformType, right: UniformType) -> Bool {
    if left.storage === right.storage,
      case .declared(let leftIndex) = left.form, case .declared(let rightIndex) = right.form
    {
      return leftIndex == rightIndex
    }
    return left.identifier == right.identifier
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
  }
}

// MARK: - Text

extension UniformType: CustomStringConvertible, CustomDebugStringConvertible {
  /// The identifier.
  public var description: String { identifier }

  /// The identifier and whether the type is declared or dynamic.
  public var debugDescription: String {
    isDynamic ? "UniformType(\(identifier), dynamic)" : "UniformType(\(identifier))"
  }
}

extension UniformType {
  /// Whether the type is another one or conforms to it, directly or not.
  public func conforms(to type: UniformType) -> Bool {
    if storage === type.storage, case .declared(let index) = form,
      case .declared(let other) = type.form
    {
      return storage.conforms(index, to: other)
    }
    return self == type || isSubtype(of: type)
  }

  /// Whether the type conforms to another one and is not that one.
  public func isSubtype(of type: UniformType) -> Bool {
    guard self != type else { return false }
    let identifier = type.identifier
    if case .declared(let index) = form {
      guard let other = storage.index(ofIdentifier: identifier) else { return false }
      return storage.conforms(index, to: other)
    }
    return directSupertypeIdentifiers.contains { parent in
      if parent == identifier { return true }
      guard let parent = storage.index(ofIdentifier: parent),
        let other = storage.index(ofIdentifier: identifier)
      else { return false }
      return storage.conforms(parent, to: other)
    }
  }

  /// Whether another type conforms to this one and is not this one.
  public func isSupertype(of type: UniformType) -> Bool {
    type.isSubtype(of: self)
  }

  /// All types this one conforms to, direct and indirect, without itself.
  public var supertypes: Set<UniformType> {
    if case .declared(let index) = form {
      return Set(
        storage.ancestors(of: index).map { UniformType(storage: storage, declared: $0) })
    }
    var result: Set<UniformType> = []
    for parent in directSupertypes {
      result.insert(parent)
      result.formUnion(parent.supertypes)
    }
    return result
  }

  /// The types this one conforms to by its own declaration, in the order written there.
  public var directSupertypes: [UniformType] {
    if case .declared(let index) = form {
      return storage.parents(of: index).map { UniformType(storage: storage, declared: $0) }
    }
    return directSupertypeIdentifiers.compactMap { identifier in
      storage.index(ofIdentifier: identifier).map {
        UniformType(storage: storage, declared: $0)
      }
    }
  }

  private var directSupertypeIdentifiers: [String] {
    switch form {
    case .declared(let index): storage.parents(of: index).map { storage.identifier(of: $0) }
    case .dynamic(let dynamic): dynamic.supertypes
    case .undeclared(_, let supertypes): supertypes
    }
  }

  // MARK: - Packages

  /// Whether a directory of the type is shown as one item.
  public var isPackage: Bool {
    if case .declared(let index) = form {
      return storage.types[index.position].traits.contains(.package)
    }
    return conforms(to: .package)
  }

  /// Whether a directory of the type has the layout of a bundle. A framework is a bundle and no
  /// package, so that its headers can be browsed.
  public var isBundle: Bool {
    if case .declared(let index) = form {
      return storage.types[index.position].traits.contains(.bundle)
    }
    return conforms(to: .bundle)
  }

  /// What the type is, in English: `JPEG image`. A declared type without a description of its own
  /// borrows one from its supertypes, depth first in the order of declaration. Dynamic types have
  /// none.
  public var localizedDescription: String? {
    guard case .declared(let index) = form else { return nil }
    return inherited(from: index) { record in
      record.description.isEmpty ? nil : storage.pool.string(record.description)
    }
  }

  /// Whether the type was made up for a tag that no declared type carries.
  public var isDynamic: Bool {
    identifierHasPrefix("dyn.")
  }

  /// Whether the type is declared. The opposite of `isDynamic`.
  public var isDeclared: Bool { !isDynamic }

  /// Whether the type belongs to everybody: its identifier begins with `public.`.
  public var isPublic: Bool {
    identifierHasPrefix("public.")
  }

  /// The version of the declaration, if it has one.
  public var version: Int? {
    guard case .declared(let index) = form else { return nil }
    let version = storage.types[index.position].version
    return version >= 0 ? Int(version) : nil
  }

  /// The address at which the format is described, as the declaration has it; `nil` without one.
  /// It is not checked.
  public var referenceURL: String? {
    guard case .declared(let index) = form else { return nil }
    let reference = storage.types[index.position].reference
    return reference.isEmpty ? nil : storage.pool.string(reference)
  }

  /// The layer that declares the type.
  public var source: TypeSource {
    guard case .declared(let index) = form, !isDynamic else { return .dynamic }
    return storage.types[index.position].source
  }

  /// Whether the type is a category that no file has as its own type, such as `public.image`.
  public var isAbstract: Bool {
    guard case .declared(let index) = form else { return false }
    return storage.types[index.position].traits.contains(.abstract)
  }

  private func identifierHasPrefix(_ prefix: String) -> Bool {
    switch form {
    case .declared(let index):
      storage.pool.slice(storage.types[index.position].identifier).starts(with: prefix.utf8)
    case .dynamic(let dynamic): dynamic.rawValue.hasPrefix(prefix)
    case .undeclared(let identifier, _): identifier.hasPrefix(prefix)
    }
  }

  private func inherited<Value>(
    from index: TypeIndex, _ value: (TypeRecord) -> Value?
  ) -> Value? {
    // Depth first, each type once: two ways may lead to the same supertype, and ways may be long.
    var seen: Set<TypeIndex> = [index]
    var pending = [index]
    while let type = pending.popLast() {
      if let value = value(storage.types[type.position]) { return value }
      pending += storage.parents(of: type).reversed().filter { seen.insert($0).inserted }
    }
    return nil
  }
}

/// A type is encoded as its identifier, a single string.
extension UniformType: Codable {
  /// Decodes an identifier and looks it up in the built-in table.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for an identifier that is neither declared there nor a
  ///   dynamic one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let identifier = try container.decode(String.self)
    guard let type = TypeRegistry.builtIn.type(identifier: identifier) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no uniform type is declared as '\(identifier)'")
    }
    self = type
  }

  /// Encodes the identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
