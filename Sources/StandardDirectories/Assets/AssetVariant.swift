/// What the marks in an asset's name say: for which screens and devices this file is meant.
///
/// What is absent was not stated: it is not the value of the machine that reads the name.
public struct AssetVariant: Hashable, Sendable {
  /// Whether the name has the mark `-hd`: made for screens of high definition.
  public var isHD: Bool
  /// The height of the screen in points, from a mark like `-568h`.
  public var height: Int?
  /// The scale, from a mark like `@2x`.
  public var scale: AssetScale?
  /// The kind of device, from a mark like `~ipad`.
  public var idiom: Idiom?

  /// A variant with these marks.
  public init(
    isHD: Bool = false, height: Int? = nil, scale: AssetScale? = nil, idiom: Idiom? = nil
  ) {
    self.isHD = isHD
    self.height = height
    self.scale = scale
    self.idiom = idiom
  }

  /// The variant without any mark.
  public static let plain = AssetVariant()

  /// Where `-hd` stands among the marks. Both places are read; the first is what is written.
  public enum HDPlace: Sendable, Hashable {
    /// `name-hd-568h`, the canonical order.
    case beforeHeight
    /// `name-568h-hd`, as lookups for phones spell it, where `-hd` stands for a scale.
    case afterHeight
  }

  /// The marks as they are written: `-hd`, height, scale, idiom.
  public func suffix(hd place: HDPlace = .beforeHeight) -> String {
    let hd = isHD ? "-hd" : ""
    let height = height.map { "-\($0)h" } ?? ""
    let size = place == .beforeHeight ? hd + height : height + hd
    return size + (scale?.suffix ?? "") + (idiom?.suffix ?? "")
  }
}
