/// A number that changes when the answers of a registry may change.
enum Fingerprint {
  /// Hashes identifiers, supertypes, tags in order of preference, evidence and packages, but not
  /// descriptions, which no stored row depends on.
  static func of(_ storage: RegistryStorage) -> UInt64 {
    var hasher = FingerprintHasher()
    for record in storage.types {
      hasher.combine(storage.pool.slice(record.identifier))
      hasher.combine(storage.pool.slice(record.evidence))
      hasher.combine(record.traits.rawValue)
      for parent in storage.parentPool[record.parents.range] {
        hasher.combine(parent.rawValue)
      }
      for tag in storage.tags[record.tags.range] {
        hasher.combine(tag.tagClass.rawValue)
        hasher.combine(tag.priority)
        hasher.combine(storage.pool.slice(tag.text))
      }
    }
    return hasher.value
  }
}
