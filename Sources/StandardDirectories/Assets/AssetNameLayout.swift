/// Where the parts of an asset's name stand among its bytes, and what its marks say.
///
/// The grammar is `stem[-hd][-568h][@2x][~ipad][.extension]`; `-hd` may also follow the height.
/// Marks are written in small letters, in this order, and only in front of the extension; anything
/// else belongs to the stem. A name of nothing but a mark keeps the first of them as its stem.
///
/// Reading costs no allocation, so that it can be done for every entry of a scan.
/// - Complexity: one pass over the last component.
public struct AssetNameLayout: Hashable, Sendable {
  /// The bytes in front of all marks and of the extension.
  public private(set) var stem: Range<Int>
  /// The bytes after the point, without it; `nil` without an extension.
  public private(set) var `extension`: Range<Int>?
  /// What the marks say.
  public private(set) var variant: AssetVariant

  /// Reads the last component of a path, or a mere name.
  ///
  /// Slashes after the last component are passed over. Any bytes can be read; they need not be
  /// UTF-8.
  public init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var end = bytes.count
    while end > 0, bytes[end - 1] == NameByte.slash { end -= 1 }
    let place = ExtensionPlace(bytes, at: end)
    let marks = Marks(bytes, from: place.start, at: place.dot ?? end)
    stem = place.start..<marks.start
    `extension` = place.dot.map { ($0 + 1)..<end }
    variant = marks.variant
  }

  /// Reads the last component of a path, or a mere name.
  public init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBufferPointer { AssetNameLayout($0) }
  }

  /// The last component without the extension: the stem and its marks.
  public func base(in bytes: [UInt8]) -> Range<Int> {
    stem.lowerBound..<(`extension`.map { $0.lowerBound - 1 } ?? end(in: bytes))
  }

  /// Where the last component ends, before slashes that follow it.
  func end(in bytes: [UInt8]) -> Int {
    if let `extension` { return `extension`.upperBound }
    return (bytes.lastIndex { $0 != NameByte.slash } ?? -1) + 1
  }
}
