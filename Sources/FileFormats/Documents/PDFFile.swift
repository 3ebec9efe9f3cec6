/// PDF ([ISO 32000-1](https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf)): how many
/// pages its catalog counts, and the title and author that its dictionary of information has, or its XMP.
///
/// Pages are not visited. Of an encrypted file what is told without a key counts.
struct PDFFile {
  /// How far from the beginning a file may say that it is one.
  private static let reach = 1024
  /// How many bytes of a stream of objects are looked at.
  private static let longestStream = 8 << 20
  /// How much of XMP is looked at.
  private static let longestPacket = 1 << 20
  private static let mostSteps = 8

  private let objects: PDFObjects

  /// - Returns: `nil` for what is no PDF.
  init?(_ source: ByteSource) throws {
    let mark = Array("%PDF-".utf8)
    let head = try source.prefix(Self.reach, at: 0)
    guard
      let start = head.indices.first(where: {
        head[$0] == mark[0] && head[$0...].starts(with: mark)
      })
    else { return nil }
    objects = PDFObjects(source, from: start - head.startIndex)
  }

  func properties() throws -> DocumentProperties {
    let references = try PDFCrossReferences(objects)
    let isEncrypted = references.trailer["Encrypt"].map { $0 != .null } ?? false
    var reader = Reader(objects: objects, references: references, isEncrypted: isEncrypted)
    var document = DocumentProperties()
    var catalog: [String: PDFObject]?
    do {
      catalog = try reader.dictionary(references.trailer["Root"])
      let pages = try reader.dictionary(catalog?["Pages"])
      guard let count = try reader.value(pages?["Count"])?.integer else {
        throw FormatError.malformed("a PDF that does not say how many pages it has")
      }
      // Each page is an object.
      guard (0...references.count).contains(count) else {
        throw FormatError.malformed("a PDF that says it has more pages than objects")
      }
      document.pages = count
    } catch is Reader.IsEncrypted {}
    guard !isEncrypted else { return document }
    (document.title, document.author) =
      try ignoringFormatErrors {
        let information = try reader.dictionary(references.trailer["Info"])
        return (try reader.text(information?["Title"]), try reader.text(information?["Author"]))
      } ?? (nil, nil)
    if document.title == nil || document.author == nil {
      let packet = try ignoringFormatErrors {
        try reader.content(of: catalog?["Metadata"], limit: Self.longestPacket).map(XMPPacket.init)
      }
      document.title = document.title ?? packet?.title
      document.author = document.author ?? packet?.author
    }
    return document
  }

  /// Follows references from object to object.
  private struct Reader {
    struct IsEncrypted: Error {}

    let objects: PDFObjects
    let references: PDFCrossReferences
    let isEncrypted: Bool
    /// The stream of objects that was read last, of which most files have all that is asked for here.
    private var stream: (number: Int, bytes: [UInt8], first: Int, count: Int)?

    init(objects: PDFObjects, references: PDFCrossReferences, isEncrypted: Bool) {
      self.objects = objects
      self.references = references
      self.isEncrypted = isEncrypted
    }

    mutating func dictionary(_ object: PDFObject?) throws -> [String: PDFObject]? {
      try value(object)?.dictionary
    }

    mutating func text(_ object: PDFObject?) throws -> String? {
      guard case .string(let bytes) = try value(object) else { return nil }
      return PDFText.text(bytes)
    }

    /// The first bytes of the stream that a reference leads to.
    func content(of object: PDFObject?, limit: Int) throws -> [UInt8]? {
      guard case .reference(let number) = object,
        case .offset(let place) = try references.place(of: number)
      else { return nil }
      return try objects.content(of: try objects.stream(number, at: place), limit: limit)
    }

    /// What a reference leads to, over others if need be.
    mutating func value(_ object: PDFObject?) throws -> PDFObject? {
      var object = object
      for _ in 0..<mostSteps {
        guard case .reference(let number) = object else { return object }
        switch try references.place(of: number) {
        case .offset(let place): object = try objects.object(number, at: place)
        case .stream(let stream, let index): object = try self.object(index, in: stream)
        case nil: return nil
        }
      }
      throw FormatError.malformed("a PDF with references that lead nowhere")
    }

    private mutating func object(_ index: Int, in number: Int) throws -> PDFObject {
      guard !isEncrypted else { throw IsEncrypted() }
      if stream?.number != number {
        guard case .offset(let place) = try references.place(of: number) else {
          throw FormatError.malformed("a PDF with a stream of objects that is in another")
        }
        let found = try objects.stream(number, at: place)
        guard let first = found.dictionary["First"]?.integer,
          let count = found.dictionary["N"]?.integer, first >= 0
        else { throw FormatError.malformed("a PDF with a stream of objects that makes no sense") }
        stream = (number, try objects.content(of: found, limit: longestStream), first, count)
      }
      guard let stream, index < stream.count else {
        throw FormatError.malformed("a PDF with an object that is not in its stream")
      }
      var header = PDFParser(stream.bytes[...])
      do {
        // Pairs of the number of an object and its place. The entries of most streams are few.
        for _ in 0..<index { _ = (try header.value(), try header.value()) }
        guard case .integer = try header.value(), case .integer(let offset) = try header.value(),
          offset >= 0, offset <= stream.bytes.count - stream.first
        else { throw FormatError.malformed("a PDF with an object that is not in its stream") }
        let rest = stream.bytes[(stream.first + offset)...].prefix(PDFObjects.large)
        var parser = PDFParser(rest + [0x0A])
        return try parser.value()
      } catch is PDFParser.BreaksOff {
        throw FormatError.endsEarly
      }
    }
  }
}
