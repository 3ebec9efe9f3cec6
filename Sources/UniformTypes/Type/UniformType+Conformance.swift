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
}
