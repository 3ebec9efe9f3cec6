/// The device that an asset is looked up for. It is always stated, never taken from the machine.
public struct AssetDevice: Hashable, Sendable {
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
