/// The objects of a PDF file as they lie in it: read at a place, without looking for them.
struct PDFObjects {
  struct Stream {
    let dictionary: [String: PDFObject]
    /// Where its content begins.
    let start: Int
  }

  private static let small = 4096
  /// How long the longest value is that is read.
  static let large = 1 << 20

  private let source: ByteSource
  /// Where the PDF begins in the file, from which its places are counted.
  private let start: Int

  init(_ source: ByteSource, from start: Int) {
    self.source = source
    self.start = start
  }

  var size: Int { source.size - start }

  func bytes(_ count: Int, at place: Int) throws -> ArraySlice<UInt8> {
    guard place >= 0, place < size else { throw FormatError.endsEarly }
    return try source.prefix(count, at: start + place)
  }

  func tail(_ count: Int) throws -> ArraySlice<UInt8> {
    try bytes(count, at: max(size - count, 0))
  }

  /// What is read at a place, of few bytes or, where those break off, of many.
  func value<Value>(at place: Int, _ read: (inout PDFParser) throws -> Value) throws -> Value {
    for count in [Self.small, Self.large] {
      let bytes = try bytes(count, at: place)
      // At the end of the file a value is over.
      var parser = PDFParser(bytes.count < count ? bytes + [0x0A] : bytes)
      do {
        return try read(&parser)
      } catch is PDFParser.BreaksOff {
        if bytes.count < count { break }
      }
    }
    throw FormatError.endsEarly
  }

  /// The object at a place.
  ///
  /// - Throws: where it is another than that with the number.
  func object(_ number: Int? = nil, at place: Int) throws -> PDFObject {
    try value(at: place) { parser in try Self.object(number, &parser) }
  }

  private static func object(_ number: Int?, _ parser: inout PDFParser) throws -> PDFObject {
    guard case .integer(let found) = try parser.value(), case .integer = try parser.value(),
      case .word("obj") = try parser.value(), number == nil || number == found
    else {
      throw FormatError.malformed("a PDF that has no object where it says that one is")
    }
    return try parser.value()
  }

  func stream(_ number: Int? = nil, at place: Int) throws -> Stream {
    try value(at: place) { parser in
      guard case .dictionary(let dictionary) = try Self.object(number, &parser),
        case .word("stream") = try parser.value()
      else { throw FormatError.malformed("a PDF that has no stream where it says that one is") }
      // Behind the word there is an end of line, of one or two characters.
      var start = place + parser.offset
      let next = try bytes(2, at: start)
      if next.first == 0x0D { start += next.dropFirst().first == 0x0A ? 2 : 1 }
      if next.first == 0x0A { start += 1 }
      return Stream(dictionary: dictionary, start: start)
    }
  }

  // MARK: - Content of streams

  /// The first bytes of what a stream holds, decompressed.
  func content(of stream: Stream, limit: Int) throws -> [UInt8] {
    let filters =
      stream.dictionary["Filter"]?.array?.map(\.name)
      ?? (stream.dictionary["Filter"]?.name).map { [$0] } ?? []
    let parameters =
      stream.dictionary["DecodeParms"]?.array?.first?.dictionary
      ?? stream.dictionary["DecodeParms"]?.dictionary ?? [:]
    switch filters {
    case []:
      guard let length = stream.dictionary["Length"]?.integer, length >= 0 else {
        throw FormatError.unsupported("a PDF with a stream whose length is somewhere else")
      }
      return Array(try bytes(min(length, limit), at: stream.start))
    // How long it is says itself, and so nobody has to be believed.
    case ["FlateDecode"]:
      let bytes = try Inflation.prefix(
        limit, of: source, at: start + stream.start, count: size, .zlibOrGzip)
      return try Self.withoutPrediction(bytes, parameters)
    default:
      throw FormatError.unsupported("a PDF whose objects are compressed in a way that is not read")
    }
  }

  /// Bytes of which only differences were kept (ISO 32000-1, 7.4.4.4): the filters of PNG, row by row.
  private static func withoutPrediction(
    _ bytes: [UInt8], _ parameters: [String: PDFObject]
  ) throws -> [UInt8] {
    let predictor = parameters["Predictor"]?.integer ?? 1
    if predictor == 1 { return bytes }
    let columns = parameters["Columns"]?.integer ?? 1
    guard predictor >= 10, (1...4096).contains(columns),
      parameters["Colors"]?.integer ?? 1 == 1, parameters["BitsPerComponent"]?.integer ?? 8 == 8
    else {
      throw FormatError.unsupported("a PDF whose objects are compressed in a way that is not read")
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var above = [UInt8](repeating: 0, count: columns)
    for start in stride(from: 0, to: bytes.count - columns, by: columns + 1) {
      var row = Array(bytes[start + 1..<start + 1 + columns])
      for index in row.indices {
        let left = index > 0 ? row[index - 1] : 0
        switch bytes[start] {
        case 0: break
        case 1: row[index] &+= left
        case 2: row[index] &+= above[index]
        case 3: row[index] &+= UInt8((Int(left) + Int(above[index])) / 2)
        case 4: row[index] &+= paeth(left, above[index], index > 0 ? above[index - 1] : 0)
        default: throw FormatError.malformed("a PDF with a row that is predicted by nothing")
        }
      }
      result += row
      above = row
    }
    return result
  }

  private static func paeth(_ left: UInt8, _ above: UInt8, _ corner: UInt8) -> UInt8 {
    let guess = Int(left) + Int(above) - Int(corner)
    let (a, b, c) = (abs(guess - Int(left)), abs(guess - Int(above)), abs(guess - Int(corner)))
    return a <= b && a <= c ? left : b <= c ? above : corner
  }
}
