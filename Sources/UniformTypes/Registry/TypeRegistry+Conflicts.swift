/// A tag that several types claim, and who has it.
public struct TagConflict: Hashable, Sendable, CustomStringConvertible {
  /// How the winner was found.
  public enum Decision: Hashable, Sendable {
    /// The winner's layer has more authority.
    case layer
    /// The table ranks the types.
    case rank
    /// Nothing but the order of declaration: worth a look.
    case order
  }

  /// The class of the tag.
  public let tagClass: UniformType.TagClass
  /// The tag.
  public let tag: String
  /// The identifiers of the types, the one that has the tag first.
  public let identifiers: [String]
  /// How the first one was chosen over the second.
  public let decision: Decision

  /// One line for a terminal.
  public var description: String {
    let how =
      switch decision {
      case .layer: "by authority"
      case .rank: "by rank"
      case .order: "by order of declaration only"
      }
    let others = identifiers.dropFirst().joined(separator: ", ")
    return "\(tag) means \(identifiers.first ?? "nothing") (\(how)), not \(others)"
  }
}

extension TypeRegistry {
  /// The tags that several types of the same kind claim. Files and directories do not compete: a
  /// flat `.pages` file and a `.pages` package live side by side.
  public var conflicts: [TagConflict] {
    var result: [TagConflict] = []
    for (position, tag) in storage.tags.enumerated() where tag.isFirst {
      let chain = storage.chain(from: Int32(position))
      guard chain.count > 1 else { continue }
      for trait in [TypeTraits.file, .directory] {
        let rivals = chain.filter { storage.types[$0.type.position].traits.contains(trait) }
        guard rivals.count > 1 else { continue }
        let conflict = TagConflict(
          tagClass: UniformType.TagClass(tag.tagClass), tag: storage.pool.string(tag.text),
          identifiers: rivals.map { storage.identifier(of: $0.type) },
          decision: Self.decision(rivals[0], rivals[1]))
        if result.last != conflict { result.append(conflict) }
      }
    }
    return result
  }

  private static func decision(_ first: TagRecord, _ second: TagRecord) -> TagConflict.Decision {
    if first.source != second.source { return .layer }
    return first.rank == second.rank ? .order : .rank
  }
}
