/// Finds the variant of an asset that suits a device best, from names alone.
///
/// ```swift
/// let lookup = AssetLookup("icon", on: AssetLookup.Device(idiom: .pad, scale: .two))
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
  public init(_ name: String, on device: Device, defaultExtension: String = "png") {
    self.init(bytes: Array(name.utf8), on: device, defaultExtension: defaultExtension)
  }

  /// A lookup of a name, byte for byte.
  public init(bytes: [UInt8], on device: Device, defaultExtension: String = "png") {
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

extension AssetLookup {
  /// The device that an asset is looked up for. It is always stated, never taken from the machine.
  public struct Device: Hashable, Sendable {
    /// The kind of device; `nil` for none in particular, which no variant for one kind suits.
    public var idiom: Idiom?
    /// The pixels a point of its screen.
    public var scale: AssetScale
    /// The height of its screen in points; `nil` when heights do not matter.
    public var height: Int?
    /// The width of its screen in points, where known.
    public var width: Int?

    /// A device.
    public init(
      idiom: Idiom? = nil, scale: AssetScale = .one, height: Int? = nil, width: Int? = nil
    ) {
      self.idiom = idiom
      self.scale = scale
      self.height = height
      self.width = width
    }

    /// Whether variants marked `-hd` suit: on everything but phones, and on Retina displays.
    ///
    /// A device of no particular kind counts as a phone.
    public var isHD: Bool {
      switch idiom {
      case .phone, nil: scale > .one
      case .pad, .tv, .car, .desktop: true
      }
    }

    /// Whether the screen has the shape of the first tall phones, 320 × 568 points, whose assets
    /// then suit as well. Without a width the heights of the phones of that shape tell.
    var isTallPhone: Bool {
      guard idiom == .phone, let height else { return false }
      guard let width, width > 0 else { return [568, 667, 736].contains(height) }
      return abs(Double(height) / Double(width) - 1.775) < 0.01
    }
  }
}

/// The order in which the variants of an asset are tried on a device.
///
/// It is the order of StandardPaths, whose table its tests hold, with these corrections: a height
/// is never written behind a scale of its own (`-1024h@2x`, not `@2x-1024h@2x`); marks of the name
/// that is looked for are kept instead of doubled; and TIFF takes precedence over the types it
/// stands for only, so that a lookup of `data.json` does not answer `data.tiff`.
struct CandidateOrder {
  struct Choice: Hashable {
    var variant: AssetVariant
    var extensionBytes: [UInt8]
    var hd: AssetVariant.HDPlace
  }

  /// What states the definition of a picture: a scale, none, or on phones `-hd`.
  private enum Definition: Hashable {
    case scale(AssetScale)
    case unstated
    case hd
  }

  /// Without repetition, the best first.
  let choices: [Choice]

  init(of asked: AssetVariant, type: [UInt8], on device: AssetLookup.Device) {
    let heights = CandidateOrder.heights(asked, device)
    let flags = CandidateOrder.flags(asked, device)
    let types = CandidateOrder.types(type, device)
    var choices: [Choice] = []
    var seen: Set<Choice> = []
    for idiom in CandidateOrder.idioms(asked, device) {
      for tier in CandidateOrder.tiers(asked, device) {
        for (height, isHD) in heights.flatMap({ height in flags.map { (height, $0) } }) {
          for (type, definition) in types.flatMap({ type in tier.map { (type, $0) } }) {
            // Beyond Retina the larger scales are a last resort, for which no TIFF is tried.
            guard type == types.last || definition == tier.first || !tier.contains(.unstated)
            else { continue }
            var variant = AssetVariant(isHD: isHD, height: height, idiom: idiom)
            var place = AssetVariant.HDPlace.beforeHeight
            switch definition {
            case .scale(let scale): variant.scale = scale
            case .unstated: break
            case .hd:
              variant.isHD = true
              place = .afterHeight
            }
            let choice = Choice(variant: variant, extensionBytes: type, hd: place)
            if seen.insert(choice).inserted { choices.append(choice) }
          }
        }
      }
    }
    self.choices = choices
  }

  private static func idioms(_ asked: AssetVariant, _ device: AssetLookup.Device) -> [Idiom?] {
    if let idiom = asked.idiom { return [idiom] }
    return device.idiom.map { [$0, nil] } ?? [nil]
  }

  /// Macs have windows: the height of the screen says nothing there.
  private static func heights(_ asked: AssetVariant, _ device: AssetLookup.Device) -> [Int?] {
    if let height = asked.height { return [height] }
    guard device.idiom != .desktop, let height = device.height else { return [nil] }
    return device.isTallPhone && height != 568 ? [height, 568, nil] : [height, nil]
  }

  private static func flags(_ asked: AssetVariant, _ device: AssetLookup.Device) -> [Bool] {
    if asked.isHD { return [true] }
    return device.isHD && device.idiom != .phone ? [true, false] : [false]
  }

  /// Definitions in groups: one group is tried at every height before the next.
  private static func tiers(_ asked: AssetVariant, _ device: AssetLookup.Device) -> [[Definition]] {
    if let scale = asked.scale { return [[.scale(scale)]] }
    guard device.scale > .one else { return [[.unstated, .scale(.two), .scale(.three)]] }
    var known: Set<AssetScale> = [.two, .three]
    known.remove(device.scale)
    // A picture that is too large loses less than one that is too small.
    let larger = known.filter { $0 > device.scale }.sorted()
    let smaller = known.filter { $0 < device.scale }.sorted(by: >)
    var stated = ([device.scale] + larger + smaller).map(Definition.scale)
    if device.idiom == .phone, !asked.isHD { stated.append(.hd) }
    return [stated, [.unstated]]
  }

  private static func types(_ type: [UInt8], _ device: AssetLookup.Device) -> [[UInt8]] {
    let replaceable: Set<String> = ["png", "jpg", "jpeg"]
    let name = String(decoding: type, as: UTF8.self).lowercased()
    guard device.idiom == .desktop, replaceable.contains(name) else { return [type] }
    return [Array("tiff".utf8), type]
  }
}
