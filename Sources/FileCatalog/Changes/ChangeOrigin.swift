/// Who made a change, as far as the catalog was told: a program that writes files can so leave out
/// its own changes when it follows a catalog.
public struct ChangeOrigin: RawRepresentable, Sendable, Hashable, Codable {
  /// The text that stands in the catalog.
  public let rawValue: String
  /// An origin with a text of one's own.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// An origin that no other has.
  public static func unique() -> ChangeOrigin {
    let parts = [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)]
    return ChangeOrigin(rawValue: parts.map { String($0, radix: 16) }.joined(separator: "-"))
  }
}
