extension EditablePath {
  /// What the marks in the name say.
  public var assetVariant: AssetVariant { LastComponent(of: pathBytes).variant }

  // MARK: Kind of device

  /// The kind of device in the name; `nil` without one.
  public var idiom: Idiom? { assetVariant.idiom }

  /// Whether the name states a kind of device.
  public var hasIdiom: Bool { idiom != nil }

  /// The path for a kind of device, in place of another one it names: `foo@2x.png` becomes
  /// `foo@2x~ipad.png`.
  public func appendingIdiom(_ idiom: Idiom) -> Self { replacingIdiom(with: idiom) }

  /// The path for any kind of device.
  public func deletingIdiom() -> Self { replacingIdiom(with: nil) }

  /// The path for a kind of device, or for any with `nil`.
  public func replacingIdiom(with idiom: Idiom?) -> Self { settingMark(\.idiom, to: idiom) }

  // MARK: Scale

  /// The scale in the name; `nil` without one.
  public var scale: AssetScale? { assetVariant.scale }

  /// Whether the name states a scale.
  public var hasScale: Bool { scale != nil }

  /// The path for a scale, in place of another one it names: `foo~ipad.png` becomes
  /// `foo@2x~ipad.png`. A scale of 1 is written, too.
  public func appendingScale(_ scale: AssetScale) -> Self { replacingScale(with: scale) }

  /// The path without a scale.
  public func deletingScale() -> Self { replacingScale(with: nil) }

  /// The path for a scale, or without one with `nil`.
  public func replacingScale(with scale: AssetScale?) -> Self { settingMark(\.scale, to: scale) }

  // MARK: High definition

  /// Whether the name has the mark `-hd`.
  public var hasHD: Bool { assetVariant.isHD }

  /// The path with the mark `-hd`: `foo@2x.png` becomes `foo-hd@2x.png`.
  public func appendingHD() -> Self { settingMark(\.hd, to: true) }

  /// The path without the mark `-hd`.
  public func deletingHD() -> Self { settingMark(\.hd, to: nil) }

  // MARK: Height of the screen

  /// The height in points in the name; `nil` without one.
  public var screenHeight: Int? { assetVariant.height }

  /// Whether the name states a height.
  public var hasScreenHeight: Bool { screenHeight != nil }

  /// The path for a height in points, in place of another one it names: `foo@2x.png` becomes
  /// `foo-568h@2x.png`.
  public func appendingScreenHeight(_ height: Int) -> Self { replacingScreenHeight(with: height) }

  /// The path without a height.
  public func deletingScreenHeight() -> Self { replacingScreenHeight(with: nil) }

  /// The path for a height in points, or without one with `nil`.
  public func replacingScreenHeight(with height: Int?) -> Self {
    settingMark(\.height, to: height)
  }

  /// Sets or removes one mark; a repeated mark, as careless tools make, goes as a whole.
  private func settingMark<Value: Equatable>(
    _ mark: WritableKeyPath<AssetVariant, Value?>, to value: Value?
  ) -> Self {
    renaming { name in
      guard name.variant[keyPath: mark] != value else { return nil }
      var name = name
      while name.variant[keyPath: mark] != nil {
        guard let shorter = name.composed(with: mark, nil) else { return nil }
        name = LastComponent(of: shorter)
      }
      return value == nil ? name.name(base: name.base) : name.composed(with: mark, value)
    }
  }
}

extension AssetVariant {
  /// `-hd` as a mark like the others: there or not.
  fileprivate var hd: Bool? {
    get { isHD ? true : nil }
    set { isHD = newValue ?? false }
  }
}

extension LastComponent {
  /// The name with one mark changed, in canonical order; `nil` when it would be read differently.
  fileprivate func composed<Value: Equatable>(
    with mark: WritableKeyPath<AssetVariant, Value?>, _ value: Value?
  ) -> [UInt8]? {
    var variant = variant
    variant[keyPath: mark] = value
    let result = name(base: stem + Array(variant.suffix().utf8))
    return value == nil || LastComponent(of: result).variant[keyPath: mark] == value ? result : nil
  }
}
