/// HEIF and AVIF: boxes of the ISO base media file format (ISO/IEC 14496-12) that hold items (ISO/IEC 23008-12;
/// [AVIF](https://aomediacodec.github.io/av1-avif/)).
///
/// The box `meta` says which item is the image, which properties it has, and where the item with Exif is.
struct HEIFFile {
  private static let mostBoxes = 64
  /// How long a box that is read as a whole may be.
  private static let longestBox = 1 << 20

  private let source: ByteSource

  static func properties(of source: ByteSource) throws -> ImageProperties {
    let whole = Box(name: "", content: 0..<source.size)
    let file = Self(source: source)
    let boxes = try file.boxes(in: whole) { $0 == "meta" }
    guard let kind = boxes.first, kind.name == "ftyp" else { return ImageProperties() }
    let brands = try source.prefix(min(kind.content.count, 256), at: kind.content.lowerBound)
    guard
      stride(from: 0, through: brands.count - 4, by: 4).contains(where: { place in
        knownBrands.contains(String(decoding: brands.dropFirst(place).prefix(4), as: UTF8.self))
      })
    else {
      // A movie, most likely.
      return ImageProperties()
    }
    guard let meta = boxes.last, meta.name == "meta" else {
      throw FormatError.malformed("a HEIF without a box meta")
    }
    return try file.read(meta)
  }

  private static let knownBrands: Set<String> = [
    "mif1", "mif2", "msf1", "heic", "heix", "hevc", "hevx", "heim", "heis", "avif", "avis", "miaf",
  ]

  // MARK: - Boxes

  private struct Box {
    let name: String
    let content: Range<Int>

    /// Without the version and flags that some begin with.
    var afterVersion: Box {
      Box(
        name: name, content: min(content.lowerBound + 4, content.upperBound)..<content.upperBound)
    }
  }

  /// The boxes in another, up to one that is wanted.
  private func boxes(in outer: Box, upTo isLast: (String) -> Bool = { _ in false }) throws -> [Box]
  {
    var boxes: [Box] = []
    var offset = outer.content.lowerBound
    while offset < outer.content.upperBound, boxes.count < Self.mostBoxes {
      let room = outer.content.upperBound - offset
      guard room >= 8 else { break }
      var header = try source.cursor(8, at: offset, .highestFirst)
      var length = try header.number(4)
      let name = try header.name()
      var headerLength = 8
      if length == 1 {
        var large = try source.cursor(8, at: offset + 8, .highestFirst)
        length = try large.number(8)
        headerLength = 16
      } else if length == 0 {
        length = room
      }
      guard length >= headerLength, length <= room else {
        throw FormatError.malformed("a HEIF with a box that is longer than what it is in")
      }
      boxes.append(Box(name: name, content: offset + headerLength..<offset + length))
      if isLast(name) { break }
      offset += length
    }
    return boxes
  }

  /// The whole content of a box.
  private func content(_ box: Box) throws -> ByteCursor {
    guard box.content.count <= Self.longestBox else {
      throw FormatError.tooMuch(limit: Self.longestBox)
    }
    return try source.cursor(box.content.count, at: box.content.lowerBound, .highestFirst)
  }

  // MARK: - Items

  private func read(_ meta: Box) throws -> ImageProperties {
    let parts = try boxes(in: meta.afterVersion)
    func part(_ name: String) -> Box? { parts.first { $0.name == name } }
    guard let primary = part("pitm"), let properties = part("iprp") else {
      throw FormatError.malformed("a HEIF that does not say which its image is")
    }
    var pitm = try content(primary)
    let isShort = try pitm.number(4) >> 24 == 0
    let item = try pitm.number(isShort ? 2 : 4)
    var image = ImageProperties()
    try readProperties(properties, of: item, into: &image)
    if let information = part("iinf"), let locations = part("iloc") {
      let place = try ignoringFormatErrors {
        try exifPlace(information, locations, part("idat"))
      }
      guard let place else { return image }
      // How it is turned its properties say.
      var exif = ImageProperties()
      try exif.addExif(of: source, at: place.lowerBound, end: place.upperBound)
      exif.orientation = nil
      image.add(exif)
    }
    return image
  }

  private func readProperties(
    _ box: Box, of item: Int, into image: inout ImageProperties
  ) throws {
    let parts = try boxes(in: box)
    guard let container = parts.first(where: { $0.name == "ipco" }) else {
      throw FormatError.malformed("a HEIF without properties")
    }
    let all = try boxes(in: container)
    var turning = Turning()
    var clipping: Clipping?
    for association in parts where association.name == "ipma" {
      for index in try properties(of: item, in: association) where all.indices.contains(index) {
        let property = all[index]
        switch property.name {
        case "ispe":
          var size = try content(property.afterVersion)
          image.width = try size.number(4)
          image.height = try size.number(4)
        case "clap": clipping = try Clipping(try content(property))
        case "pixi":
          var bits = try content(property.afterVersion)
          let channels = try bits.number(1)
          image.colorDepth = try bits.take(channels).reduce(0) { $0 + Int($1) }
        case "irot":
          var angle = try content(property)
          turning.turnLeft(try angle.number(1) & 3)
        case "imir":
          var axis = try content(property)
          turning.mirror(try axis.number(1) & 1 == 0 ? .topAndBottom : .leftAndRight)
        default: break
        }
      }
    }
    guard let width = image.width, let height = image.height else {
      throw FormatError.malformed("a HEIF without width and height")
    }
    image.width = min(width, clipping?.width ?? width)
    image.height = min(height, clipping?.height ?? height)
    image.orientation = turning.orientation
  }

  /// Which properties an item has, counted from nought in the order in which they apply.
  private func properties(of item: Int, in box: Box) throws -> [Int] {
    var cursor = try content(box)
    let version = try cursor.number(4)
    let isLong = version & 1 == 1
    let count = try cursor.number(4)
    for _ in 0..<count {
      let id = try cursor.number(version >> 24 == 0 ? 2 : 4)
      let associations = try cursor.number(1)
      var bytes = ByteCursor(try cursor.take(associations * (isLong ? 2 : 1)), .highestFirst)
      guard id == item else { continue }
      // The highest bit says that it is essential; they are counted from one.
      return try (0..<associations).map { _ in
        isLong ? try bytes.number(2) & 0x7FFF - 1 : try bytes.number(1) & 0x7F - 1
      }
    }
    return []
  }

  // MARK: - Exif

  /// Where the block of Exif is.
  private func exifPlace(
    _ information: Box, _ locations: Box, _ data: Box?
  ) throws -> Range<Int>? {
    guard let item = try exifItem(information),
      let place = try location(of: item, in: locations, data)
    else { return nil }
    // It begins so far behind this number.
    var header = try source.cursor(4, at: place.lowerBound, .highestFirst)
    let start = place.lowerBound + 4 + (try header.number(4))
    return start..<max(start, place.upperBound)
  }

  private func exifItem(_ information: Box) throws -> Int? {
    var cursor = try content(information)
    let version = try cursor.number(4) >> 24
    let count = try cursor.number(version == 0 ? 2 : 4)
    for _ in 0..<count {
      let length = try cursor.number(4)
      var entry = ByteCursor(try cursor.take(length - 4), .highestFirst)
      guard try entry.name() == "infe" else { continue }
      let version = try entry.number(4) >> 24
      guard version >= 2 else { continue }
      let id = try entry.number(version == 2 ? 2 : 4)
      try entry.skip(2)
      if try entry.name() == "Exif" { return id }
    }
    return nil
  }

  /// Where the first part of an item is: in the file, or in the box for data.
  private func location(of item: Int, in box: Box, _ data: Box?) throws -> Range<Int>? {
    var cursor = try content(box)
    let version = try cursor.number(4) >> 24
    let widths = try cursor.number(2)
    let (offset, length, base) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
    let index = version == 0 ? 0 : widths & 15
    guard [offset, length, base, index].allSatisfy({ [0, 4, 8].contains($0) }) else {
      throw FormatError.malformed("a HEIF with numbers of a width that there is not")
    }
    let count = try cursor.number(version < 2 ? 2 : 4)
    for _ in 0..<count {
      let id = try cursor.number(version < 2 ? 2 : 4)
      let method = version == 0 ? 0 : try cursor.number(2) & 15
      try cursor.skip(2)
      let beginning = try cursor.number(base)
      let extents = try cursor.number(2)
      // Numbers of no width would be as many as anybody likes: they are not counted out.
      var parts = ByteCursor(try cursor.take(extents * (index + offset + length)), .highestFirst)
      guard id == item, extents > 0 else { continue }
      try parts.skip(index)
      let place = try parts.number(offset)
      let size = try parts.number(length)
      let area: Range<Int>
      switch method {
      case 0: area = 0..<source.size
      case 1: area = data?.content ?? 0..<0
      default: return nil
      }
      let (start, isTooFar) = beginning.addingReportingOverflow(place)
      guard !isTooFar, start <= area.count else { throw FormatError.endsEarly }
      let room = area.count - start
      let first = area.lowerBound + start
      return first..<first + (size == 0 ? room : min(size, room))
    }
    return nil
  }

  // MARK: - Properties

  /// What of an image is shown where more was stored to fill blocks up. The numbers are fractions.
  private struct Clipping {
    let width: Int
    let height: Int

    init?(_ cursor: ByteCursor) throws {
      var cursor = cursor
      let (width, widthParts) = (try cursor.number(4), try cursor.number(4))
      let (height, heightParts) = (try cursor.number(4), try cursor.number(4))
      guard widthParts > 0, heightParts > 0 else { return nil }
      (self.width, self.height) = (width / widthParts, height / heightParts)
    }
  }

  /// What the steps by which an image is turned and mirrored come to, as a matrix of where its axes go.
  private struct Turning: Equatable {
    private var matrix: [Int] = [1, 0, 0, 1]
    private var isAny = false

    enum Halves { case topAndBottom, leftAndRight }

    /// By so many quarters against the clock.
    mutating func turnLeft(_ quarters: Int) {
      isAny = true
      for _ in 0..<quarters { apply([0, 1, -1, 0]) }
    }

    /// Exchanges the halves.
    mutating func mirror(_ halves: Halves) {
      isAny = true
      apply(halves == .leftAndRight ? [-1, 0, 0, 1] : [1, 0, 0, -1])
    }

    private mutating func apply(_ step: [Int]) {
      let m = matrix
      matrix = [
        step[0] * m[0] + step[1] * m[2], step[0] * m[1] + step[1] * m[3],
        step[2] * m[0] + step[3] * m[2], step[2] * m[1] + step[3] * m[3],
      ]
    }

    /// As Exif counts it; `nil` where no step was told.
    var orientation: Int? {
      let known = [
        [1, 0, 0, 1], [-1, 0, 0, 1], [-1, 0, 0, -1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, 1, 0],
        [0, -1, -1, 0], [0, 1, -1, 0],
      ]
      return isAny ? known.firstIndex(of: matrix).map { $0 + 1 } : nil
    }
  }
}
