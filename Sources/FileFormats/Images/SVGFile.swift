/// [SVG](https://www.w3.org/TR/SVG2/): XML, of which the first element says how large it is. It may be
/// compressed by gzip.
enum SVGFile {
  /// How much of it is read.
  private static let limit = 1 << 16

  /// - Returns: `nil` for what is no SVG.
  static func properties(of source: ByteSource) throws -> ImageProperties? {
    var text = try source.prefix(limit, at: 0)
    if text.starts(with: [0x1F, 0x8B]) {
      text = try Inflation.prefix(limit, of: source, at: 0, count: source.size, .zlibOrGzip)[...]
    }
    guard text.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else { return nil }
    var scanner = MarkupScanner(text)
    while let token = try? scanner.next() {
      guard case .start(let name, let attributes) = token else { continue }
      return name == "svg" ? properties(attributes) : nil
    }
    return nil
  }

  private static func properties(_ attributes: [String: String]) -> ImageProperties {
    var image = ImageProperties()
    let box = (attributes["viewBox"] ?? "").split { $0 == "," || $0.isWhitespace }
      .map { pixels(String($0)) }
    let (boxWidth, boxHeight) = box.count == 4 ? (box[2], box[3]) : (nil, nil)
    var width = attributes["width"].flatMap(pixels)
    var height = attributes["height"].flatMap(pixels)
    // Where there is no length, or one that depends on what is around, that of the picture itself counts, at the
    // scale of the other.
    if let boxWidth, let boxHeight {
      let scale = width.map { $0 / boxWidth } ?? height.map { $0 / boxHeight } ?? 1
      width = width ?? boxWidth * scale
      height = height ?? boxHeight * scale
    }
    image.width = width.flatMap(whole)
    image.height = height.flatMap(whole)
    return image
  }

  /// A length in pixels, of which there are 96 in an inch; `nil` for what is no length by itself.
  private static func pixels(_ text: String) -> Double? {
    let text = text.trimmed ?? ""
    // An “e” before digits is a power of ten, and not the beginning of a unit.
    let end = text.indices.first { index in
      guard text[index].isLetter || text[index] == "%" else { return false }
      let isPower = text[text.index(after: index)...].first.map { $0.isNumber || "+-".contains($0) }
      return !("eE".contains(text[index]) && isPower == true)
    }
    guard let value = Double(text[..<(end ?? text.endIndex)]), value.isFinite, value >= 0 else {
      return nil
    }
    let unit = end.map { text[$0...] } ?? ""
    let scale: Double? =
      switch unit.lowercased() {
      case "", "px": 1
      case "in": 96
      case "cm": 96 / 2.54
      case "mm": 96 / 25.4
      case "q": 96 / 101.6
      case "pt": 96.0 / 72
      case "pc": 16
      default: nil
      }
    return scale.map { value * $0 }
  }

  private static func whole(_ number: Double) -> Int? {
    (0..<1e9).contains(number) ? Int(number.rounded()) : nil
  }
}
