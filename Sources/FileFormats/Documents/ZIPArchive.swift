/// A ZIP archive ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)), of which the directory
/// and single members are read.
struct ZIPArchive {
  struct Member {
    /// Where its local header is, counted from the beginning of the archive.
    let place: Int
    let compressedSize: Int
    let method: Int
    let isEncrypted: Bool
  }

  /// How long the directory may be, and how many members of it are looked at.
  private static let longestDirectory = 8 << 20
  private static let mostMembers = 50_000
  private static let longestName = 256

  private let source: ByteSource
  /// The members by their names; of two with one name the first.
  private let members: [String: Member]

  init(_ source: ByteSource) throws {
    self.source = source
    members = try Self.readDirectory(of: source)
  }

  func contains(_ name: String) -> Bool { members[name] != nil }

  // MARK: - The directory

  private static func readDirectory(of source: ByteSource) throws -> [String: Member] {
    let (place, size) = try findDirectory(in: source)
    guard size <= longestDirectory else { throw FormatError.tooMuch(limit: longestDirectory) }
    var directory = try source.cursor(size, at: place, .lowestFirst)
    var members: [String: Member] = [:]
    for _ in 0..<mostMembers where directory.rest.count >= 46 {
      guard try directory.number(4) == 0x0201_4B50 else { break }
      try directory.skip(4)
      let flags = try directory.number(2)
      let method = try directory.number(2)
      try directory.skip(8)
      var compressedSize = try directory.number(4)
      var uncompressedSize = try directory.number(4)
      let nameLength = try directory.number(2)
      let extraLength = try directory.number(2)
      let commentLength = try directory.number(2)
      try directory.skip(8)
      var place = try directory.number(4)
      let name = try directory.take(nameLength)
      var extra = ByteCursor(try directory.take(extraLength), .lowestFirst)
      try directory.skip(commentLength)
      try readLarge(&extra, &uncompressedSize, &compressedSize, &place)
      guard name.count <= longestName else { continue }
      let text = String(decoding: name, as: UTF8.self)
      guard members[text] == nil else { continue }
      members[text] = Member(
        place: place, compressedSize: compressedSize, method: method,
        isEncrypted: flags & 1 == 1)
    }
    return members
  }

  /// Where the directory is and how long: the end of the archive says so, before a comment.
  private static func findDirectory(in source: ByteSource) throws -> (place: Int, size: Int) {
    let (length, longestComment) = (22, 0xFFFF)
    for reach in [length + 256, length + longestComment] {
      let start = max(source.size - reach, 0)
      let tail = Array(try source.prefix(reach, at: start))
      guard tail.count >= length else { break }
      for index in stride(from: tail.count - length, through: 0, by: -1)
      where tail[index] == 0x50 && tail[index...].starts(with: [0x50, 0x4B, 5, 6]) {
        var end = ByteCursor(tail[(index + 12)...], .lowestFirst)
        let size = try end.number(4)
        let place = try end.number(4)
        guard size == 0xFFFF_FFFF || place == 0xFFFF_FFFF else { return (place, size) }
        return try findLargeDirectory(in: source, before: start + index)
      }
    }
    throw FormatError.malformed("a ZIP archive without a directory")
  }

  /// The same of ZIP64.
  private static func findLargeDirectory(
    in source: ByteSource, before end: Int
  ) throws -> (place: Int, size: Int) {
    var locator = try source.cursor(20, at: end - 20, .lowestFirst)
    guard try locator.number(4) == 0x0706_4B50 else {
      throw FormatError.malformed("a ZIP archive without a directory")
    }
    try locator.skip(4)
    var record = try source.cursor(56, at: try locator.number(8), .lowestFirst)
    guard try record.number(4) == 0x0606_4B50 else {
      throw FormatError.malformed("a ZIP archive without a directory")
    }
    try record.skip(36)
    let size = try record.number(8)
    return (try record.number(8), size)
  }

  /// Numbers that have no room in four bytes follow in a field of their own.
  private static func readLarge(
    _ extra: inout ByteCursor, _ uncompressedSize: inout Int, _ compressedSize: inout Int,
    _ place: inout Int
  ) throws {
    let absent = 0xFFFF_FFFF
    guard [uncompressedSize, compressedSize, place].contains(absent) else { return }
    while extra.rest.count >= 4 {
      let id = try extra.number(2)
      var field = ByteCursor(try extra.take(try extra.number(2)), .lowestFirst)
      guard id == 1 else { continue }
      if uncompressedSize == absent { uncompressedSize = try field.number(8) }
      if compressedSize == absent { compressedSize = try field.number(8) }
      if place == absent { place = try field.number(8) }
      return
    }
  }

  // MARK: - Members

  /// A member, decompressed; `nil` where there is none of that name.
  ///
  /// - Throws: ``FormatError/tooMuch(limit:)`` where it is longer.
  func content(of name: String, upTo limit: Int) throws -> [UInt8]? {
    guard let member = members[name] else { return nil }
    guard !member.isEncrypted else {
      throw FormatError.unsupported("“\(name)” in it is encrypted")
    }
    var header = try source.cursor(30, at: member.place, .lowestFirst)
    guard try header.number(4) == 0x0403_4B50 else {
      throw FormatError.malformed("a ZIP archive that has nothing where “\(name)” should be")
    }
    try header.skip(22)
    let start = member.place + 30 + (try header.number(2)) + (try header.number(2))
    let content: [UInt8]
    switch member.method {
    case 0: content = Array(try source.prefix(min(limit + 1, member.compressedSize), at: start))
    case 8:
      content = try Inflation.prefix(
        limit + 1, of: source, at: start, count: member.compressedSize, .none)
    default:
      throw FormatError.unsupported("“\(name)” in it is compressed by method \(member.method)")
    }
    guard content.count <= limit else { throw FormatError.tooMuch(limit: limit) }
    return content
  }
}
