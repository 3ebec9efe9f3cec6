internal import CatalogStore
internal import FileSystem
package import UniformTypes

/// The layers of types as one scan sees them: read once, the system's only if somebody asks.
package final class TypeLayers: Sendable {
  private let sources: TypeSources
  /// The user's declarations over the built-in table.
  package let declared: TypeRegistry
  /// Changes when any answer may.
  package let fingerprint: UInt64
  /// What ``fingerprint`` is without a layer of the system.
  package let declaredFingerprint: UInt64
  private let hasSystem: Bool
  private let names = Monitor<SharedMimeNames?>(nil)
  private let complete = Monitor<TypeRegistry?>(nil)

  /// Changes with the way in which the layers are asked, so that catalogs notice a new one.
  private static let method: UInt64 = 3

  package init(_ sources: TypeSources) {
    self.sources = sources
    declared = sources.declaredTypes()
    let system = sources.systemStamp()
    hasSystem = system != 0
    fingerprint = Self.fingerprint(of: declared, system)
    declaredFingerprint = Self.fingerprint(of: declared, 0)
  }

  private static func fingerprint(of declared: TypeRegistry, _ system: UInt64) -> UInt64 {
    declared.fingerprint ^ (system &+ method) &* 0x9E37_79B9_7F4A_7C15
  }

  /// The names that the system knows; `nil` without its layer. Read on first use, which is quick:
  /// the types they stand for are not read with them.
  package var systemNames: SharedMimeNames? {
    guard hasSystem else { return nil }
    return names.withLock { names in
      if let names { return names }
      let read = sources.systemNames()
      names = read
      return read
    }
  }

  /// What the system says about all names of a rule.
  package func systemType(of rule: SharedMimeNames.Rule) -> UniformType? {
    guard hasSystem,
      let type = allTypes().type(tag: rule.tag, tagClass: rule.tagClass, conformingTo: .data),
      type.isDeclared
    else { return nil }
    return type
  }

  /// What the system says about a name that `declared` does not know.
  package func systemType(
    ofName name: UnsafeBufferPointer<UInt8>, as entryClass: EntryClass
  ) -> UniformType? {
    guard let names = systemNames, let index = names.match(name, as: entryClass) else {
      return nil
    }
    return systemType(of: names[index])
  }

  /// Starts to read the system's layer, beside whatever else is going on. Worth it where it is all
  /// but certain to be asked.
  package func prefetch() {
    guard hasSystem else { return }
    // Without a thread it is read when it is needed.
    try? WorkerThread.start(named: "catalog types") { [self] in _ = allTypes() }
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

/// The layers of the last scan, for the next one. They are read again when the files behind them have
/// changed, so that a process that runs for days notices new declarations.
package final class TypeLayerCache: Sendable {
  private let last = Monitor<TypeLayers?>(nil)

  package init() {}

  /// What was wrong with the declarations of the user when they were last read.
  package var diagnostics: [TypeDiagnostic] {
    last.withLock { $0?.declared.diagnostics ?? [] }
  }

  /// Reads the layers beside whatever else is going on.
  package func prefetch(_ sources: TypeSources) {
    // Without a thread it is read when it is needed.
    try? WorkerThread.start(named: "catalog types") { [self] in _ = layers(of: sources) }
  }

  package func layers(of sources: TypeSources) -> TypeLayers {
    last.withLock { layers in
      let fresh = TypeLayers(sources)
      if let layers, layers.fingerprint == fresh.fingerprint { return layers }
      layers = fresh
      return fresh
    }
  }
}
