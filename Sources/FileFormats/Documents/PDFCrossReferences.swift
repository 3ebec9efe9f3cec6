/// Where the objects of a PDF file are (ISO 32000-1, 7.5.4 and 7.5.8): tables or compressed streams, each of which
/// may lead to an older one.
///
/// Nothing is made of it but a list of its sections: an object is looked up in them, the newest first.
struct PDFCrossReferences {
  enum Place: Hashable {
    /// Counted from the beginning of the PDF.
    case offset(Int)
    /// In a stream of objects, by the number of the stream.
    case stream(Int, index: Int)
  }

  private static let mostSections = 256
  private static let mostRanges = 10_000
  /// How long a stream of them may be.
  private static let longestStream = 16 << 20
  private static let malformed = FormatError.malformed(
    "a PDF that does not say where its objects are")

  /// Numbers of objects that follow each other.
  private struct Section {
    let numbers: Range<Int>
    let entries: Entries
  }

  private enum Entries {
    /// Lines of twenty bytes from a place on.
    case lines(Int)
    /// Fields of three widths from a place in bytes on.
    case fields([UInt8], start: Int, widths: [Int])
  }

  private let objects: PDFObjects
  private var sections: [Section] = []
  /// The dictionary that the newest of them ends with.
  private(set) var trailer: [String: PDFObject] = [:]

  init(_ objects: PDFObjects) throws {
    self.objects = objects
    var waiting = [try Self.start(in: objects)]
    var known: Set<Int> = []
    while let place = waiting.popLast(), known.count < Self.mostSections {
      guard known.insert(place).inserted else { continue }
      let dictionary = try read(at: place)
      if trailer.isEmpty { trailer = dictionary }
      // The last that is noted here is read first: what a table says of streams of objects comes before what
      // is older.
      if let previous = dictionary["Prev"]?.integer { waiting.append(previous) }
      if let stream = dictionary["XRefStm"]?.integer { waiting.append(stream) }
    }
  }

  /// How many objects there can be: no more than there are entries for.
  var count: Int { sections.reduce(0) { $0 + $1.numbers.count } }

  /// - Returns: `nil` for an object that there is not.
  func place(of number: Int) throws -> Place? {
    for section in sections where section.numbers.contains(number) {
      let index = number - section.numbers.lowerBound
      switch section.entries {
      case .lines(let start):
        let line = try objects.bytes(20, at: start + 20 * index)
        guard line.count >= 18 else { throw FormatError.endsEarly }
        guard line.dropFirst(17).first == UInt8(ascii: "n") else { return nil }
        guard let offset = Int(String(decoding: line.prefix(10), as: UTF8.self)), offset >= 0 else {
          throw Self.malformed
        }
        return .offset(offset)
      case .fields(let bytes, let start, let widths):
        var entry = ByteCursor(bytes[(start + index * widths.reduce(0, +))...], .highestFirst)
        let kind = widths[0] == 0 ? 1 : try entry.number(widths[0])
        let second = try entry.number(widths[1])
        let third = try entry.number(widths[2])
        switch kind {
        case 1: return .offset(second)
        case 2: return .stream(second, index: third)
        default: return nil
        }
      }
    }
    return nil
  }

  // MARK: - Reading

  /// What the last lines of the file say.
  private static func start(in objects: PDFObjects) throws -> Int {
    let tail = try objects.tail(2048)
    let mark = Array("startxref".utf8)
    for index in tail.indices.reversed()
    where tail[index] == mark[0] && tail[index...].starts(with: mark) {
      var parser = PDFParser(tail[(index + mark.count)...] + [0x0A])
      guard let place = try? parser.value().integer else { break }
      return place
    }
    throw Self.malformed
  }

  /// - Returns: the dictionary at its end.
  private mutating func read(at place: Int) throws -> [String: PDFObject] {
    var start = place
    let bytes = try objects.bytes(64, at: place)
    let text = bytes.drop { $0 <= 0x20 }
    start += text.startIndex - bytes.startIndex
    if text.begins(with: "xref") { return try readTable(at: start + 4) }
    return try readStream(at: start)
  }

  private mutating func readTable(at place: Int) throws -> [String: PDFObject] {
    var place = place
    for _ in 0..<Self.mostRanges {
      var parser = PDFParser(try objects.bytes(64, at: place))
      switch try? (parser.value(), parser.value()) {
      case (.integer(let first), .integer(let count))? where first >= 0 && count >= 0:
        // Where the lines begin, behind the one with the two numbers.
        guard (try? parser.skipSpace()) != nil || count == 0 else { throw Self.malformed }
        let start = place + parser.offset
        let (length, isTooLong) = count.multipliedReportingOverflow(by: 20)
        guard !isTooLong, length <= objects.size, first <= .max - count else {
          throw Self.malformed
        }
        if count > 0 {
          sections.append(Section(numbers: first..<first + count, entries: .lines(start)))
        }
        place = start + length
      default:
        let text = try objects.value(at: place) { parser in
          guard case .word("trailer") = try parser.value() else { throw Self.malformed }
          return try parser.value()
        }
        guard let trailer = text.dictionary else { throw Self.malformed }
        return trailer
      }
    }
    throw Self.malformed
  }

  private mutating func readStream(at place: Int) throws -> [String: PDFObject] {
    let stream = try objects.stream(at: place)
    let dictionary = stream.dictionary
    guard dictionary["Type"]?.name == "XRef" else { throw Self.malformed }
    let widths = (dictionary["W"]?.array ?? []).prefix(3).compactMap(\.integer)
    guard widths.count == 3, widths.allSatisfy({ (0...8).contains($0) }) else {
      throw Self.malformed
    }
    let width = widths.reduce(0, +)
    guard width > 0 else { throw Self.malformed }
    let bytes = try objects.content(of: stream, limit: Self.longestStream)
    let ranges =
      dictionary["Index"]?.array?.map { $0.integer ?? -1 }
      ?? [0, dictionary["Size"]?.integer ?? -1]
    var start = 0
    for pair in stride(from: 0, to: min(ranges.count - 1, 2 * Self.mostRanges), by: 2) {
      let (first, count) = (ranges[pair], ranges[pair + 1])
      guard first >= 0, count >= 0 else { throw Self.malformed }
      // What is not there is no entry, whatever its number.
      let there = min(count, (bytes.count - start) / width)
      guard first <= .max - there else { throw Self.malformed }
      if there > 0 {
        sections.append(
          Section(
            numbers: first..<first + there,
            entries: .fields(bytes, start: start, widths: widths)))
      }
      start += there * width
    }
    return dictionary
  }
}
