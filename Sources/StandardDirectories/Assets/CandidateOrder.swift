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

  init(of asked: AssetVariant, type: [UInt8], on device: AssetDevice) {
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

  private static func idioms(_ asked: AssetVariant, _ device: AssetDevice) -> [Idiom?] {
    if let idiom = asked.idiom { return [idiom] }
    return device.idiom.map { [$0, nil] } ?? [nil]
  }

  /// Macs have windows: the height of the screen says nothing there.
  private static func heights(_ asked: AssetVariant, _ device: AssetDevice) -> [Int?] {
    if let height = asked.height { return [height] }
    guard device.idiom != .desktop, let height = device.height else { return [nil] }
    return device.isTallPhone && height != 568 ? [height, 568, nil] : [height, nil]
  }

  private static func flags(_ asked: AssetVariant, _ device: AssetDevice) -> [Bool] {
    if asked.isHD { return [true] }
    return device.isHD && device.idiom != .phone ? [true, false] : [false]
  }

  /// Definitions in groups: one group is tried at every height before the next.
  private static func tiers(_ asked: AssetVariant, _ device: AssetDevice) -> [[Definition]] {
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

  private static func types(_ type: [UInt8], _ device: AssetDevice) -> [[UInt8]] {
    let replaceable: Set<String> = ["png", "jpg", "jpeg"]
    let name = String(decoding: type, as: UTF8.self).lowercased()
    guard device.idiom == .desktop, replaceable.contains(name) else { return [type] }
    return [Array("tiff".utf8), type]
  }
}
