public import SystemPackage

/// A path whose last component can be given and relieved of extensions and marks.
///
/// All such functions work on the last component, in front of its extension where they do not
/// concern the extension. They are idempotent: what is there already is not added again, a mark
/// that is there is replaced, and what is deleted is gone however often it stood there. Only
/// ``deletingPathExtension()`` takes one extension a time. They never touch the disk. What cannot be done, because the result
/// would not be read back as it was meant (a path without a name, a text with a slash), leaves the
/// path as it is.
///
/// `FilePath` is one; a ``WrittenPath`` also keeps double and final slashes as they were.
public protocol EditablePath {
  /// The bytes of the path.
  var pathBytes: [UInt8] { get }
  /// A path of these bytes, among which is no NUL.
  init(pathBytes: [UInt8])
}

extension FilePath: EditablePath {
  /// The bytes of the path.
  public var pathBytes: [UInt8] {
    withPlatformString { Array(UnsafeBufferPointer(start: $0, count: length)) }
      .map(UInt8.init(bitPattern:))
  }

  /// A path of these bytes; it ends at the first NUL.
  public init(pathBytes: [UInt8]) {
    self.init(platformString: pathBytes.map(CInterop.PlatformChar.init(bitPattern:)) + [0])
  }
}

/// A path or URL exactly as it is written, with double slashes and all.
public struct WrittenPath: EditablePath, Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the path.
  public let pathBytes: [UInt8]

  /// A path of these bytes.
  public init(pathBytes: [UInt8]) {
    self.pathBytes = pathBytes
  }

  /// A path as it is written.
  public init(_ text: String) {
    pathBytes = Array(text.utf8)
  }

  /// The path as text; bytes that are not UTF-8 become U+FFFD.
  public var description: String { String(decoding: pathBytes, as: UTF8.self) }
}

extension EditablePath {
  /// The path with another name in place of its last component, from what the reading of the old
  /// one says; slashes that follow stay.
  func renaming(_ rename: (_ name: LastComponent) -> [UInt8]?) -> Self {
    let component = LastComponent(of: pathBytes)
    guard component.isName, let name = rename(component), !name.isEmpty,
      !name.contains(where: { $0 == NameByte.slash || $0 == 0 })
    else { return self }
    return Self(pathBytes: component.before + name + component.after)
  }
}

/// The last component of a path, taken apart.
struct LastComponent {
  let before: ArraySlice<UInt8>
  let after: ArraySlice<UInt8>
  let stem: [UInt8]
  /// The stem with its marks.
  let base: [UInt8]
  let extensionBytes: [UInt8]
  let variant: AssetVariant

  init(of path: [UInt8]) {
    let layout = AssetName.Layout(path)
    let base = layout.base(in: path)
    before = path[..<base.lowerBound]
    after = path[layout.end(in: path)...]
    stem = Array(path[layout.stem])
    self.base = Array(path[base])
    extensionBytes = layout.extension.map { Array(path[$0]) } ?? []
    variant = layout.variant
  }

  /// Whether there is a name at all: the root and the two directory links have none to change.
  var isName: Bool {
    !base.isEmpty && !(extensionBytes.isEmpty && (base == [NameByte.dot] || base == dots))
  }

  private var dots: [UInt8] { [NameByte.dot, NameByte.dot] }

  func name(base: [UInt8]) -> [UInt8] {
    extensionBytes.isEmpty ? base : base + [NameByte.dot] + extensionBytes
  }
}

extension EditablePath {
  /// The extension without its point, empty without one: `png`, and `tar.gz` in whole.
  ///
  /// A leading or trailing point makes no extension, nor does text with a space in it.
  public var pathExtension: String {
    String(decoding: LastComponent(of: pathBytes).extensionBytes, as: UTF8.self)
  }

  /// Whether the name has an extension.
  public var hasPathExtension: Bool { !LastComponent(of: pathBytes).extensionBytes.isEmpty }

  /// The path with one more extension, unless it ends with this one.
  public func appendingPathExtension(_ extension: String) -> Self {
    let added = Array(`extension`.utf8)
    return renaming { name in
      let dotted = [NameByte.dot] + added
      guard !added.isEmpty, !([NameByte.dot] + name.extensionBytes).hasSuffix(dotted) else {
        return nil
      }
      let result = name.name(base: name.base) + dotted
      let reading = LastComponent(of: result).extensionBytes
      return ([NameByte.dot] + reading).hasSuffix(dotted) ? result : nil
    }
  }

  /// The path without its extension: `foo.tar.gz` becomes `foo`, and `v1.2.png` becomes `v1.2`.
  public func deletingPathExtension() -> Self {
    renaming(\.base)
  }

  /// The path with this extension in place of the one it has, if any; `nil` or an empty one
  /// removes it.
  public func replacingPathExtension(with extension: String?) -> Self {
    let added = Array((`extension` ?? "").utf8)
    return renaming { name in
      guard !added.isEmpty else { return name.base }
      let result = name.base + [NameByte.dot] + added
      return LastComponent(of: result).extensionBytes == added ? result : nil
    }
  }
}

extension [UInt8] {
  func hasSuffix(_ suffix: some Collection<UInt8>) -> Bool {
    count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
  }
}

extension EditablePath {
  /// Whether the name ends with a text in front of its extension.
  ///
  /// No name ends with an empty text.
  public func hasPathSuffix(_ suffix: String) -> Bool {
    LastComponent(of: pathBytes).base.endsWithMark(Array(suffix.utf8))
  }

  /// The path with a text in front of its extension, unless it is there: `foo.png` and `-x` make
  /// `foo-x.png`.
  public func appendingPathSuffix(_ suffix: String) -> Self {
    let suffix = Array(suffix.utf8)
    return renaming { name in
      guard !suffix.isEmpty, !name.base.endsWithMark(suffix) else { return nil }
      let result = name.name(base: name.base + suffix)
      return LastComponent(of: result).base.endsWithMark(suffix) ? result : nil
    }
  }

  /// The path without a text in front of its extension, however often it stands there.
  public func deletingPathSuffix(_ suffix: String) -> Self {
    let suffix = Array(suffix.utf8)
    guard !suffix.isEmpty else { return self }
    return renaming { name in
      var name = name
      while name.base.endsWithMark(suffix) {
        name = LastComponent(of: name.name(base: name.base.dropLast(suffix.count)))
      }
      return name.name(base: name.base)
    }
  }

  /// The path with one text in front of its extension in place of another; unchanged where that
  /// is not there.
  public func replacingPathSuffix(_ suffix: String, with replacement: String) -> Self {
    guard hasPathSuffix(suffix), suffix != replacement else { return self }
    return deletingPathSuffix(suffix).appendingPathSuffix(replacement)
  }
}

extension [UInt8] {
  /// Whether a name's base ends with a text and has something in front of it.
  fileprivate func endsWithMark(_ mark: [UInt8]) -> Bool {
    !mark.isEmpty && count > mark.count && hasSuffix(mark)
  }
}

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
