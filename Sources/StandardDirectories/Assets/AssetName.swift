/// The name of an asset, taken apart: `icon-hd-568h@2x~ipad.png`.
///
/// ```swift
/// var name = AssetName("icon~ipad.png")
/// name.stem             // "icon"
/// name.variant.idiom    // .pad
/// ```
///
/// Any name can be read, of any type of file; see ``AssetNameLayout`` for the grammar. Composing
/// puts the marks into their canonical order.
public struct AssetName: Hashable, Sendable {
  /// The bytes of the stem: the name without marks and extension.
  public let stemBytes: [UInt8]
  /// The bytes of the extension without its point; empty without one.
  public let extensionBytes: [UInt8]
  /// What the marks say.
  public let variant: AssetVariant

  /// Reads the last component of a path, or a mere name, byte for byte.
  public init(bytes: [UInt8]) {
    let layout = AssetNameLayout(bytes)
    stemBytes = Array(bytes[layout.stem])
    extensionBytes = layout.extension.map { Array(bytes[$0]) } ?? []
    variant = layout.variant
  }

  /// Reads the last component of a path, or a mere name.
  public init(_ name: String) {
    self.init(bytes: Array(name.utf8))
  }

  /// Puts a name together.
  ///
  /// - Returns: `nil` when the name would be read as another one than was meant: a stem that ends
  ///   like a mark, an extension with a space, a negative height and the like.
  public init?(stem: String, variant: AssetVariant = .plain, extension: String = "") {
    self.init(
      stemBytes: Array(stem.utf8), variant: variant, extensionBytes: Array(`extension`.utf8))
  }

  /// Puts a name together, byte for byte.
  ///
  /// - Returns: `nil` when the name would be read as another one than was meant.
  public init?(stemBytes: [UInt8], variant: AssetVariant, extensionBytes: [UInt8] = []) {
    self.stemBytes = stemBytes
    self.variant = variant
    self.extensionBytes = extensionBytes
    guard !stemBytes.isEmpty, !stemBytes.contains(0), AssetName(bytes: bytes) == self else {
      return nil
    }
  }

  /// The stem as text; bytes that are not UTF-8 become U+FFFD.
  public var stem: String { String(decoding: stemBytes, as: UTF8.self) }

  /// The extension as text, without its point; empty without one.
  public var `extension`: String { String(decoding: extensionBytes, as: UTF8.self) }

  /// The name put together in canonical order.
  public var bytes: [UInt8] {
    stemBytes + Array(variant.suffix().utf8)
      + (extensionBytes.isEmpty ? [] : [NameByte.dot] + extensionBytes)
  }
}

extension AssetName: CustomStringConvertible {
  /// The name put together in canonical order; bytes that are not UTF-8 become U+FFFD.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}
