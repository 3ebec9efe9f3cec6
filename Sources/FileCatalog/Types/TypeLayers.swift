internal import FileSystem
internal import UniformTypes

/// The layers of types as one scan sees them: read once, the system's only if somebody asks.
///
/// Each scan makes its own, so that a process that runs for days notices new declarations.
final class TypeLayers: Sendable {
  private let sources: TypeSources
  /// The user's declarations over the built-in table.
  let declared: TypeRegistry
  /// Changes when any answer may.
  let fingerprint: UInt64
  private let hasSystem: Bool
  private let complete = Monitor<TypeRegistry?>(nil)

  init(_ sources: TypeSources) {
    self.sources = sources
    declared = sources.declaredTypes()
    let system = sources.systemStamp()
    hasSystem = system != 0
    fingerprint = declared.fingerprint ^ system &* 0x9E37_79B9_7F4A_7C15
  }

  /// What the system says about an extension that `declared` does not know.
  func systemType(forExtension text: String) -> UniformType? {
    guard hasSystem, let type = allTypes().type(filenameExtension: text), type.isDeclared else {
      return nil
    }
    return type
  }

  private func allTypes() -> TypeRegistry {
    complete.withLock { registry in
      if let registry { return registry }
      let loaded = sources.allTypes()
      registry = loaded
      return loaded
    }
  }
}
