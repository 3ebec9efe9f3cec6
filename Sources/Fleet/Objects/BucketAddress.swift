/// The objects of a bucket whose keys begin alike, as in `s3://bucket/prefix`.
public struct BucketAddress: Sendable, Hashable, CustomStringConvertible {
  /// The bucket.
  public let bucket: String
  /// What keys begin with, without the slash at its end; empty for the whole bucket.
  public let prefix: String

  /// How addresses begin.
  package static let scheme = "s3"
  /// A key has 1,024 bytes at most, and what follows the prefix some 120.
  private static let longestPrefix = 800

  /// The address that a text is; `nil` for anything else.
  ///
  /// Buckets have 3 to 63 letters of lower case, digits, dots and hyphens. The prefix is made of names with
  /// a slash between them, as paths are.
  public init?(_ text: String) {
    let beginning = "\(Self.scheme)://"
    guard text.hasPrefix(beginning) else { return nil }
    let parts = text.dropFirst(beginning.count)
      .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let bucket = parts[0].utf8
    let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    guard 3...63 ~= bucket.count,
      bucket.allSatisfy({ letters.contains($0) || ".-".utf8.contains($0) }),
      bucket.first.map(letters.contains) == true, bucket.last.map(letters.contains) == true
    else { return nil }
    var prefix = parts.count == 2 ? parts[1] : ""
    if prefix.hasSuffix("/") { prefix.removeLast() }
    let names = prefix.split(separator: "/", omittingEmptySubsequences: false)
    guard prefix.isEmpty || names.allSatisfy({ !["", ".", ".."].contains($0) }),
      prefix.utf8.count <= Self.longestPrefix,
      prefix.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { return nil }
    self.bucket = String(parts[0])
    self.prefix = String(prefix)
  }

  /// The address of the whole, or of what is below it.
  package func text(_ place: String = "", scheme: String = scheme) -> String {
    ["\(scheme):/", bucket, prefix, place].filter { !$0.isEmpty }.joined(separator: "/")
  }

  public var description: String { text() }

  /// The key of what is below it.
  func key(_ place: String) -> String { prefix.isEmpty ? place : "\(prefix)/\(place)" }
}
