/// The content of a dynamic type identifier (`dyn.a…`): tags, and the types it conforms to.
///
/// A dynamic identifier describes a type that nobody declares. It is `dyn.a` followed by a
/// specification in base 32: `1=rs` for "whatever has the extension rs", `?0=6:1=rs` for the same
/// conforming to `public.data`. The encoding is Apple's, byte for byte; well-known keys and types
/// are written as hexadecimal codes.
///
///     DynamicIdentifier(.init(key: "public.filename-extension", value: "rs"),
///       conformingTo: "public.data").rawValue  // "dyn.ah62d4rv4ge81e62"
public struct DynamicIdentifier: Hashable, Sendable {
  /// A tag of a dynamic type: the identifier of a tag class and the tag.
  public struct Pair: Hashable, Sendable {
    /// The tag class, such as `public.filename-extension`.
    public var key: String
    /// The tag in raw bytes: the extension of a file need not be text.
    public var value: [UInt8]

    /// Makes a pair from text.
    public init(key: String, value: String) {
      self.key = key
      self.value = Array(value.utf8)
    }

    /// Makes a pair from the bytes of a file name.
    public init(key: String, bytes: some Collection<UInt8>) {
      self.key = key
      value = Array(bytes)
    }

    /// The value as text, with U+FFFD where it is none.
    public var text: String { String(decoding: value, as: UTF8.self) }
  }

  /// Why a string is not a dynamic identifier.
  public enum ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin with `dyn.a`.
    case missingPrefix
    /// A character outside of the alphabet, which has no i, j, l and o.
    case invalidCharacter(Character)
    /// The last character carries bits that no byte takes up.
    case leftoverBits
    /// The specification is not a list of `key=value` pairs.
    case invalidSpecification

    /// A line for a terminal.
    public var description: String {
      switch self {
      case .missingPrefix: "a dynamic identifier begins with 'dyn.a'"
      case .invalidCharacter(let character):
        "'\(character)' is not a character of a dynamic identifier"
      case .leftoverBits: "the dynamic identifier is cut off or has a character too many"
      case .invalidSpecification: "the dynamic identifier does not describe a type"
      }
    }
  }

  /// The identifier, in lower case: `dyn.a…`.
  public let rawValue: String
  /// Identifiers of the types it conforms to.
  public let supertypes: [String]
  /// Its tags.
  public let tags: [Pair]

  static let prefix = "dyn.a"

  /// Describes a tag, optionally with a type to conform to.
  public init(_ tag: Pair, conformingTo supertype: String? = nil) {
    tags = [tag]
    supertypes = supertype.map { [$0] } ?? []
    var specification: [UInt8] = []
    if let supertype {
      specification.append(contentsOf: "?0=".utf8)
      specification.append(contentsOf: Self.encodedSupertype(supertype).utf8)
      specification.append(UInt8(ascii: ":"))
    }
    specification.append(contentsOf: (Self.code(ofKey: tag.key) ?? tag.key).utf8)
    specification.append(UInt8(ascii: "="))
    for byte in tag.value {
      // The separators of the specification are escaped inside a value.
      if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\\") {
        specification.append(UInt8(ascii: "\\"))
      }
      specification.append(byte)
    }
    rawValue = Self.prefix + Base32.encode(specification)
  }

  /// Reads an identifier back. Upper and lower case are the same.
  ///
  /// - Throws: `ParsingError` when the string is no well-formed dynamic identifier.
  public init(parsing identifier: String) throws(ParsingError) {
    let lowered = identifier.lowercased()
    guard lowered.hasPrefix(Self.prefix) else { throw .missingPrefix }
    let specification = try Base32.decode(lowered.dropFirst(Self.prefix.count))
    var supertypes: [String] = []
    var tags: [Pair] = []
    var rest = specification[...]
    if rest.first == UInt8(ascii: "?") { rest = rest.dropFirst() }
    for part in Self.split(rest) {
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")), equals > 0 else {
        throw .invalidSpecification
      }
      let key = String(decoding: part[..<equals], as: UTF8.self)
      let value = part[(equals + 1)...]
      if key == "0" || key == Self.keyNames[0] {
        supertypes.append(Self.decodedSupertype(String(decoding: value, as: UTF8.self)))
      } else {
        tags.append(Pair(key: Self.name(ofKey: key), bytes: value))
      }
    }
    guard !tags.isEmpty || !supertypes.isEmpty else { throw .invalidSpecification }
    rawValue = lowered
    self.supertypes = supertypes
    self.tags = tags
  }

  // MARK: - Specification

  /// Splits at colons that are not escaped and removes the escapes.
  private static func split(_ specification: ArraySlice<UInt8>) -> [[UInt8]] {
    var parts: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in specification {
      if isEscaped {
        parts[parts.count - 1].append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: ":") {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts
  }

  /// Names that are written as their position in hexadecimal, in keys and in supertypes.
  private static let keyNames = [
    "UTTypeConformsTo", "public.filename-extension", "com.apple.ostype", "public.mime-type",
    "com.apple.nspboard-type", "public.url-scheme", "public.data", "public.text",
    "public.plain-text", "public.utf16-plain-text", "com.apple.traditional-mac-plain-text",
    "public.image", "public.video", "public.audio", "public.directory", "public.folder",
    "com.apple.package",
  ]

  /// The code newer systems use where no supertype was asked for; by all evidence public.item.
  private static let itemCode = "13"

  private static func code(ofKey key: String) -> String? {
    keyNames.firstIndex(of: key).map { String($0, radix: 16, uppercase: true) }
  }

  private static func name(ofKey code: String) -> String {
    guard code.utf8.count <= 2, let index = Int(code, radix: 16), index < keyNames.count,
      index >= 0
    else { return code }
    return keyNames[index]
  }

  private static func encodedSupertype(_ identifier: String) -> String {
    code(ofKey: identifier) ?? identifier
  }

  private static func decodedSupertype(_ code: String) -> String {
    code == itemCode ? "public.item" : name(ofKey: code)
  }
}

/// Base 32 as dynamic identifiers use it: five bits a character, the most significant first, the
/// last group filled with zero bits, no padding character, an alphabet without i, j, l and o.
enum Base32 {
  private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 8 + 4) / 5)
    var buffer: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        characters.append(alphabet[Int(buffer >> bitCount & 31)])
      }
      buffer &= 1 << bitCount - 1
    }
    if bitCount > 0 {
      characters.append(alphabet[Int(buffer << (5 - bitCount) & 31)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  static func decode(
    _ text: Substring
  ) throws(DynamicIdentifier.ParsingError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in text {
      guard let ascii = character.asciiValue, let value = alphabet.firstIndex(of: ascii) else {
        throw .invalidCharacter(character)
      }
      buffer = buffer << 5 | UInt32(value)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bitCount))
      }
      buffer &= 1 << bitCount - 1
    }
    guard bitCount < 5, buffer == 0 else { throw .leftoverBits }
    return bytes
  }
}
