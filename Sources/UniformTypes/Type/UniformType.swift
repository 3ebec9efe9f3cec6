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
