/// [TIFF 6.0](https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf) and BigTIFF, alone or as a block of
/// Exif in another image ([CIPA DC-008](https://www.cipa.jp/std/documents/e/DC-X008-Translation-2019-E.pdf)).
///
/// It is made of directories of fields, which lead to others and may lead back: few are looked at, each once,
/// and of each a bounded number of fields.
struct TIFFFile {
  private static let mostDirectories = 16
  private static let mostFields = 512
  private static let longestValue = 1024

  private let source: ByteSource
  /// Where it begins, from which all its places are counted, and where it ends.
  private let start: Int
  private let end: Int
  private let order: ByteOrder
  /// The widths of places and numbers in it, which are those of BigTIFF or not.
  private let isBig: Bool
  private let first: Int

  private enum Tag {
    static let subfileType = 254
    static let width = 256
    static let height = 257
    static let bitsPerSample = 258
    static let maker = 271
    static let model = 272
    static let orientation = 274
    static let samples = 277
    static let subdirectories = 330
    static let exif = 34665
    static let dateTaken = 36867
  }

  /// - Returns: `nil` where none begins.
  init?(_ source: ByteSource, at start: Int, end: Int = .max) throws {
    let magic = try source.prefix(16, at: start)
    let order: ByteOrder
    switch magic.prefix(2) {
    case [0x49, 0x49]: order = .lowestFirst
    case [0x4D, 0x4D]: order = .highestFirst
    default: return nil
    }
    var header = ByteCursor(magic.dropFirst(2), order)
    guard magic.count >= 8 else { return nil }
    switch try header.number(2) {
    case 42: (isBig, first) = (false, try header.number(4))
    case 43:
      guard try header.number(2) == 8, try header.number(2) == 0 else { return nil }
      (isBig, first) = (true, try header.number(8))
    default: return nil
    }
    self.source = source
    self.start = start
    self.end = min(end, source.size)
    self.order = order
  }

  // MARK: - What is to be known

  /// What the file says of its main image: that of the first directory which is no small one of another.
  func properties() throws -> ImageProperties {
    let directory = try directory(at: first)
    var main = directory.fields
    var known: Set<Int> = [first]
    var waiting = directory.field(Tag.subdirectories) ?? []
    if directory.next != 0 { waiting.append(directory.next) }
    var isSmall = (directory.field(Tag.subfileType)?.first ?? 0) & 1 == 1
    while isSmall, let place = waiting.first, known.count < Self.mostDirectories {
      waiting.removeFirst()
      guard known.insert(place).inserted else { continue }
      let other = try self.directory(at: place)
      if other.next != 0 { waiting.append(other.next) }
      guard (other.field(Tag.subfileType)?.first ?? 0) & 1 == 0, other.field(Tag.width) != nil
      else {
        continue
      }
      main = other.fields
      isSmall = false
    }
    let fields = Directory(fields: main, next: 0)
    var image = ImageProperties()
    image.width = fields.field(Tag.width)?.first
    image.height = fields.field(Tag.height)?.first
    guard image.width != nil, image.height != nil else {
      throw FormatError.malformed("a TIFF without width and height")
    }
    let bits = fields.field(Tag.bitsPerSample) ?? [1]
    let samples = fields.field(Tag.samples)?.first ?? 1
    // Each has its number, or one is for all; more than a few of them are no colours.
    if (1...64).contains(samples), bits.allSatisfy({ (0...64).contains($0) }) {
      image.colorDepth =
        bits.count >= samples ? bits.prefix(samples).reduce(0, +) : (bits.first ?? 1) * samples
    }
    image.add(try exif(directory))
    return image
  }

  /// What it says as a block of Exif.
  func exif() throws -> ImageProperties {
    try exif(try directory(at: first))
  }

  private func exif(_ directory: Directory) throws -> ImageProperties {
    var image = ImageProperties()
    image.orientation = directory.field(Tag.orientation)?.first.flatMap {
      (1...8).contains($0) ? $0 : nil
    }
    image.camera = Self.camera(
      maker: directory.text(Tag.maker), model: directory.text(Tag.model))
    if let place = directory.field(Tag.exif)?.first {
      let further = try ignoringFormatErrors { try self.directory(at: place) }
      image.dateTaken = further?.text(Tag.dateTaken).flatMap(Self.date)
    }
    return image
  }

  /// Both in one, but for a model that begins with its maker.
  private static func camera(maker: String?, model: String?) -> String? {
    guard let maker, let model else { return model ?? maker }
    let brand = maker.split(separator: " ").first?.lowercased() ?? ""
    return model.lowercased().hasPrefix(brand) ? model : "\(maker) \(model)"
  }

  /// Exif has colons in dates, and spaces where nothing is known.
  private static func date(_ text: String) -> String? {
    let pattern = Array("0000:00:00 00:00:00".utf8)
    var bytes = Array(text.utf8.prefix(pattern.count))
    let isDate = zip(bytes, pattern).allSatisfy { byte, sign in
      sign == UInt8(ascii: "0") ? byte &- sign < 10 : byte == sign
    }
    guard isDate, bytes.count == pattern.count, !bytes.starts(with: "0000".utf8) else { return nil }
    (bytes[4], bytes[7]) = (UInt8(ascii: "-"), UInt8(ascii: "-"))
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: - Directories

  private struct Directory {
    var fields: [Int: Value] = [:]
    /// Where the next is; 0 for none.
    var next = 0

    /// The numbers of a field.
    func field(_ tag: Int) -> [Int]? {
      guard case .numbers(let numbers) = fields[tag], !numbers.isEmpty else { return nil }
      return numbers
    }

    func text(_ tag: Int) -> String? {
      guard case .text(let text) = fields[tag] else { return nil }
      return text
    }
  }

  private enum Value {
    case numbers([Int])
    case text(String)
  }

  private static let wanted: Set<Int> = [
    Tag.subfileType, Tag.width, Tag.height, Tag.bitsPerSample, Tag.maker, Tag.model,
    Tag.orientation, Tag.samples, Tag.subdirectories, Tag.exif, Tag.dateTaken,
  ]

  private func directory(at place: Int) throws -> Directory {
    let (countWidth, fieldWidth, placeWidth) = isBig ? (8, 20, 8) : (2, 12, 4)
    var header = try cursor(countWidth, at: place)
    let count = try header.number(countWidth)
    let taken = min(count, Self.mostFields)
    var cursor = try cursor(taken * fieldWidth, at: place + countWidth)
    var directory = Directory()
    for _ in 0..<taken {
      var field = ByteCursor(try cursor.take(fieldWidth), order)
      let tag = try field.number(2)
      guard Self.wanted.contains(tag), directory.fields[tag] == nil else { continue }
      directory.fields[tag] = try value(&field, placeWidth)
    }
    if taken == count {
      directory.next =
        try ignoringFormatErrors {
          var next = try self.cursor(placeWidth, at: place + countWidth + taken * fieldWidth)
          return try next.number(placeWidth)
        } ?? 0
    }
    return directory
  }

  /// The value of a field, or its beginning: it is in the field itself where it has room.
  private func value(_ field: inout ByteCursor, _ placeWidth: Int) throws -> Value? {
    let type = try field.number(2)
    let count = try field.number(placeWidth)
    let width: Int
    switch type {
    case 1, 2, 7: width = 1
    case 3: width = 2
    case 4, 13: width = 4
    case 16, 18: width = 8
    default: return nil
    }
    let length = min(count, Self.longestValue / width) * width
    let bytes: ArraySlice<UInt8>
    if count <= placeWidth / width {
      bytes = try field.take(length)
    } else {
      bytes = try cursor(length, at: try field.number(placeWidth)).rest
    }
    if type == 2 { return bytes.trimmedText.map { .text($0) } }
    var numbers = ByteCursor(bytes, order)
    return .numbers(try (0..<length / width).map { _ in try numbers.number(width) })
  }

  /// Bytes of the file, which lie in it.
  private func cursor(_ count: Int, at place: Int) throws -> ByteCursor {
    guard place >= 0, place <= end - start, count <= end - start - place else {
      throw FormatError.endsEarly
    }
    return try source.cursor(count, at: start + place, order)
  }
}
