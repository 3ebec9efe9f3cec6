internal import FileSystem
internal import UniformTypes

/// The numbers that a catalog gives to types: built-in ones have theirs from the library, all others
/// get one on first sight and keep it.
///
/// Shared by the walking threads, which ask for dynamic types; everything else never changes.
final class TypeNumbering: Sendable {
  let registry: TypeRegistry
  private let numbers: [Int32]
  private let dynamic: Monitor<DynamicTypes>

  /// The types of extensions that nobody declares.
  struct DynamicTypes {
    var numbers: [String: Int32]
    var next: Int32
    /// Those that the catalog does not have yet.
    var added: [(type: UniformType, number: Int32)] = []
  }

  init(registry: TypeRegistry, numbers: [Int32], dynamic: DynamicTypes) {
    self.registry = registry
    self.numbers = numbers
    self.dynamic = Monitor(dynamic)
  }

  /// For walks that only tell packages from directories: no type has a number.
  static func kindsOnly(_ registry: TypeRegistry) -> TypeNumbering {
    TypeNumbering(
      registry: registry, numbers: Array(repeating: 0, count: registry.count),
      dynamic: DynamicTypes(numbers: [:], next: 0))
  }

  @inline(__always)
  func number(of index: TypeIndex) -> Int32 { numbers[index.position] }

  /// The number of the type of a root, which is entered even if it is a package.
  func number(ofRoot status: FileStatus) -> Int32 {
    let entryClass: EntryClass = status.isMountRoot ? .volume : .directory
    let type = registry.type(identifier: entryClass.fallbackIdentifier)
    return type.flatMap { registry.index(of: $0) }.map { number(of: $0) } ?? 0
  }

  /// The number of the type that entries with this extension have.
  func number(
    ofDynamicExtension bytes: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> Int32 {
    let type = registry.dynamicType(forExtension: bytes, as: entryClass)
    return dynamic.withLock { state in
      if let number = state.numbers[type.identifier] { return number }
      let number = state.next
      state.next += 1
      state.numbers[type.identifier] = number
      state.added.append((type, number))
      return number
    }
  }

  /// The dynamic types that were met for the first time since the last call.
  func takeAddedTypes() -> [(type: UniformType, number: Int32)] {
    dynamic.withLock { state in
      defer { state.added = [] }
      return state.added
    }
  }
}
