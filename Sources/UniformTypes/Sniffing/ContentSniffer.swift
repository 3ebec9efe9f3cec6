/// Tells the type of content from its first bytes.
///
///     let sniffer = ContentSniffer(.builtIn)
///     if let index = sniffer.sniff(bytes) { print(registry.type(at: index)) }
///
/// Pure: bytes in, type out. The caller reads the first `prefixLength` bytes of a file, which
/// settle nearly every format; more are ignored. Meant for files whose name says nothing or too
/// much (`TypeMatch.Flags.mayBeSniffed`), and never needed during a scan.
///
/// About a hundred signatures at fixed places come first; then containers that want a second look
/// (ZIP, RIFF, ISO base media, Ogg, Matroska, ELF, Mach-O, PE); then text: interpreter lines, XML
/// by root element, HTML, JSON, encodings.
public struct ContentSniffer: Sendable {
  /// How many bytes to read: 4 KiB.
  public static let prefixLength = 4096

  private let registry: TypeRegistry
  /// Positions in `entries` of the signatures that begin with each byte.
  private let starts: [Int]
  private let entries: [Entry]
  private let offsetEntries: [Entry]

  private struct Entry: Sendable {
    let offset: Int
    let bytes: [UInt8]
    let identifier: String
    /// The signature is a short word, with which a text may begin as well: the rest must be binary.
    let isWord: Bool
  }

  /// Prepares the tables for a registry.
  public init(_ registry: TypeRegistry) {
    self.registry = registry
    let all = Signature.all.map {
      Entry(
        offset: $0.offset, bytes: $0.bytes, identifier: $0.identifier,
        isWord: $0.isWord
          && registry.type(identifier: $0.identifier)?.conforms(to: .text) == false)
    }
    offsetEntries = all.filter { $0.offset > 0 }
    // A stable sort by first byte keeps the longer signature first.
    entries = (0..<256).flatMap { byte in
      all.filter { $0.offset == 0 && Int($0.bytes.first ?? 0) == byte }
    }
    var starts = [Int](repeating: 0, count: 257)
    for entry in entries { starts[Int(entry.bytes.first ?? 0) + 1] += 1 }
    for byte in 0..<256 { starts[byte + 1] += starts[byte] }
    self.starts = starts
  }

  /// The type of content by its first bytes, or `nil` if nothing is known about them: binary data
  /// of an unknown format, or no bytes at all.
  public func sniff(_ bytes: UnsafeBufferPointer<UInt8>) -> TypeIndex? {
    identifier(of: bytes).flatMap { registry.storage.index(ofIdentifier: $0) }
  }

  /// The better one of two opinions: the type by name and the type by content.
  ///
  /// A name that is more precise than the content (`.svg` over XML, `.py` over text) wins, and so
  /// does one that the content cannot contradict; content wins over a name that says nothing, and
  /// over a name whose type is of another family.
  ///
  /// - Parameters:
  ///   - named: The type by name, `TypeIndex.none` for a dynamic one.
  ///   - bytes: The first bytes.
  /// - Returns: The type by content, the named type, or `TypeIndex.none` if both know nothing.
  public func refine(_ named: TypeIndex, with bytes: UnsafeBufferPointer<UInt8>) -> TypeIndex {
    guard let sniffed = sniff(bytes) else { return named }
    return refine(named, sniffed: sniffed)
  }

  /// ``refine(_:with:)`` for content whose type is known already.
  public func refine(_ named: TypeIndex, sniffed: TypeIndex) -> TypeIndex {
    guard named != .none, named.position < registry.count else { return sniffed }
    let storage = registry.storage
    if storage.conforms(named, to: sniffed) { return named }
    if storage.conforms(sniffed, to: named) { return sniffed }
    // Of a program, the name says only that it may be run.
    if named == storage.wellKnown[.executableFile],
      let script = storage.index(ofIdentifier: "public.script"),
      storage.conforms(sniffed, to: script)
    {
      return sniffed
    }
    if let text = storage.index(ofIdentifier: "public.text"),
      let plain = storage.index(ofIdentifier: "public.plain-text"),
      storage.conforms(sniffed, to: plain) || sniffed == text
    {
      // Text looks alike: any named type that is not known to be binary may be text.
      return storage.conforms(named, to: text) || !isMedia(named) ? named : sniffed
    }
    return sniffed
  }

  private func isMedia(_ index: TypeIndex) -> Bool {
    let families = [
      "public.image", "public.audiovisual-content", "public.archive", "public.font",
      "public.elf-binary",
    ]
    return families.contains { family in
      registry.storage.index(ofIdentifier: family).map {
        registry.storage.conforms(index, to: $0)
      } ?? false
    }
  }

  // MARK: - Steps

  private func identifier(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let bytes = UnsafeBufferPointer(rebasing: bytes.prefix(Self.prefixLength))
    guard let first = bytes.first else { return nil }
    if let identifier = ContainerSniffing.identifier(of: bytes) { return identifier }
    for index in starts[Int(first)]..<starts[Int(first) + 1]
    where bytes.holds(entries[index].bytes, at: 0) {
      if entries[index].isWord, TextSniffing.encoding(of: bytes) != .binary { continue }
      return entries[index].identifier
    }
    for entry in offsetEntries where bytes.holds(entry.bytes, at: entry.offset) {
      return entry.identifier
    }
    return TextSniffing.identifier(of: bytes)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether some bytes stand at an offset.
  func holds(_ other: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, count - offset >= other.count else { return false }
    for index in other.indices where self[offset + index] != other[index] { return false }
    return true
  }

  /// Whether ASCII text stands at an offset.
  func holds(_ text: StaticString, at offset: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset >= 0, count - offset >= length else { return false }
    return text.withUTF8Buffer { other in
      for index in 0..<length where self[offset + index] != other[index] { return false }
      return true
    }
  }

  /// Whether ASCII text stands anywhere in the first bytes.
  func finds(_ text: StaticString, within limit: Int) -> Bool {
    let last = Swift.min(limit, count) - text.utf8CodeUnitCount
    guard last >= 0 else { return false }
    return (0...last).contains { holds(text, at: $0) }
  }

  /// An unsigned number of 16 bits, the lower byte first; 0 outside of the bytes.
  func uint16(at offset: Int) -> Int {
    guard offset >= 0, offset + 1 < count else { return 0 }
    return Int(self[offset]) | Int(self[offset + 1]) << 8
  }

  /// An unsigned number of 32 bits, the lower byte first; 0 outside of the bytes.
  func uint32(at offset: Int) -> Int {
    uint16(at: offset) | uint16(at: offset + 2) << 16
  }
}
