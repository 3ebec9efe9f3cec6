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
    let layout = AssetNameLayout(path)
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
