public import Testing

/// The features of `Documentation/sources.md` that a test shows.
public struct FeatureTrait: TestTrait, SuiteTrait {
  /// The ids of the features, as the first column of that page spells them.
  public let ids: [String]

  /// A test of a suite shows what its suite shows.
  public var isRecursive: Bool { true }

  /// In a list of failures, what no longer works.
  public var comments: [Comment] { [Comment(rawValue: ids.joined(separator: ", "))] }
}

extension Trait where Self == FeatureTrait {
  /// What a test shows, by the ids of `Documentation/sources.md`.
  public static func feature(_ ids: String...) -> Self { Self(ids: ids) }
}
