#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UniformType {
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

  /// Where the format is described, if the declaration says so. Not checked.
  public var referenceURL: URL? {
    guard case .declared(let index) = form else { return nil }
    let reference = storage.types[index.position].reference
    return reference.isEmpty ? nil : URL(string: storage.pool.string(reference))
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
    if let own = value(storage.types[index.position]) { return own }
    for parent in storage.parents(of: index) {
      if let value = inherited(from: parent, value) { return value }
    }
    return nil
  }
}
