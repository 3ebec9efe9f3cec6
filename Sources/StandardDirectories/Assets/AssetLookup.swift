/// Finds the variant of an asset that suits a device best, from names alone.
///
/// ```swift
/// let lookup = AssetLookup("icon", on: AssetDevice(idiom: .pad, scale: .two))
/// lookup.best(among: ["icon.png", "icon@2x.png"])   // "icon@2x.png"
/// ```
///
/// ``candidates`` are in order: the kind of device counts most, then whether the scale was
/// stated, the height, `-hd`, the type, and the nearest scale. What the name asked for says itself
/// is fixed: looking for `icon@2x` never finds another scale.
public struct AssetLookup: Hashable, Sendable {
  /// One name that would do.
  public struct Candidate: Hashable, Sendable {
    /// The marks.
    public let variant: AssetVariant
    /// The bytes of the extension without its point; empty without one.
    public let extensionBytes: [UInt8]
    /// The name as lookups spell it: marks in canonical order, except that on phones, where
    /// `-hd` stands for a scale, it follows the height.
    public let nameBytes: [UInt8]

    /// The name as text; bytes that are not UTF-8 become U+FFFD.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
  }

  /// The bytes of the stem that every candidate has.
  public let stemBytes: [UInt8]
  /// The names that would do, the best first.
  public let candidates: [Candidate]
  private let ranks: [Key: Int]

  private struct Key: Hashable {
    let variant: AssetVariant
    let extensionBytes: [UInt8]
  }

  /// A lookup of a name.
  ///
  /// - Parameters:
  ///   - name: The name, with or without an extension and marks.
  ///   - device: What it is for.
  ///   - defaultExtension: What a name without an extension gets.
  public init(_ name: String, on device: AssetDevice, defaultExtension: String = "png") {
    self.init(bytes: Array(name.utf8), on: device, defaultExtension: defaultExtension)
  }

  /// A lookup of a name, byte for byte.
  public init(bytes: [UInt8], on device: AssetDevice, defaultExtension: String = "png") {
    let name = AssetName(bytes: bytes)
    let type = name.extensionBytes.isEmpty ? Array(defaultExtension.utf8) : name.extensionBytes
    stemBytes = name.stemBytes
    candidates = CandidateOrder(of: name.variant, type: type, on: device).choices.map { choice in
      let type = choice.extensionBytes
      return Candidate(
        variant: choice.variant, extensionBytes: type,
        nameBytes: name.stemBytes + Array(choice.variant.suffix(hd: choice.hd).utf8)
          + (type.isEmpty ? [] : [NameByte.dot] + type))
    }
    ranks = Dictionary(
      candidates.enumerated().map {
        (Key(variant: $1.variant, extensionBytes: $1.extensionBytes), $0)
      },
      uniquingKeysWith: min)
  }

  /// The types that candidates have, for asking an index.
  public var extensions: Set<[UInt8]> { Set(candidates.map(\.extensionBytes)) }

  /// How well a variant suits, 0 being best; `nil` when it does not suit at all.
  ///
  /// Marks count, not their order. A stated `@1x` is as good as no scale, but comes after it.
  public func rank(of variant: AssetVariant, extensionBytes: [UInt8]) -> Int? {
    if let rank = ranks[Key(variant: variant, extensionBytes: extensionBytes)] { return rank * 2 }
    guard variant.scale == .one else { return nil }
    var plain = variant
    plain.scale = nil
    return ranks[Key(variant: plain, extensionBytes: extensionBytes)].map { $0 * 2 + 1 }
  }

  /// How well a name suits, 0 being best; `nil` when it does not suit at all.
  public func rank(of name: AssetName) -> Int? {
    guard name.stemBytes == stemBytes else { return nil }
    return rank(of: name.variant, extensionBytes: name.extensionBytes)
  }

  /// The name that suits best; of two spellings of one variant the first.
  public func best(among names: some Sequence<String>) -> String? {
    names.compactMap { name in rank(of: AssetName(name)).map { (name, $0) } }
      .min { $0.1 < $1.1 }?.0
  }
}
