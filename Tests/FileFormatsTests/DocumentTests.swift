import FileFormats
import TestSupport
import TestTraits
import Testing

@Suite("What documents say of themselves", .feature("FS-16"))
struct DocumentTests {
  private static func document(
    _ pages: Int?, _ title: String? = nil, _ author: String? = nil
  ) -> DocumentProperties {
    var document = DocumentProperties()
    (document.pages, document.title, document.author) = (pages, title, author)
    return document
  }

  private static let samples: [String: DocumentProperties] = [
    "table.pdf": document(3, "Größe — 3", "Ann, Bob"),
    "streams.pdf": document(3, "Größe — 3", "Ann, Bob"),
    "linearized.pdf": document(3, "Größe — 3", "Ann, Bob"),
    "shifted.pdf": document(3, "Größe — 3", "Ann, Bob"),
    "xmp.pdf": document(3, "Only in XMP", "Ann, Bob"),
    // What a key is needed for is not told.
    "encrypted.pdf": document(3), "encrypted-streams.pdf": document(nil),
    "text.docx": document(7, "Bread & butter", "Zoë"), "slides.pptx": document(12),
    "sheet.xlsx": document(nil), "text.odt": document(4, "Ode", "Ann"),
    "book.epub": document(nil, "A long book", "Ann, Bob"),
  ]

  @Test("is what their programs have written", arguments: Format.document.samples)
  func samples(_ file: Corpus.File) throws {
    #expect(try DocumentProperties(of: ByteSource(file.bytes)) == Self.samples[file.name])
  }

  @Test("every sample is there")
  func all() {
    #expect(Set(Format.document.samples.map(\.name)) == Set(Self.samples.keys))
  }

  /// A PDF with a table, whose first object is the catalog, the second the pages, the third the information.
  private static func pdf(count: String, information: String = "<<>>") -> [UInt8] {
    let bodies = ["<</Type/Catalog/Pages 2 0 R>>", "<</Count \(count)>>", information]
    var text = "%PDF-1.4\n"
    var lines = "0000000000 65535 f \n"
    for (number, body) in zip(1..., bodies) {
      let offset = String(text.utf8.count)
      lines += String(repeating: "0", count: 10 - offset.count) + offset + " 00000 n \n"
      text += "\(number) 0 obj\n\(body)\nendobj\n"
    }
    let start = text.utf8.count
    text +=
      "xref\n0 4\n\(lines)trailer\n<</Size 4/Root 1 0 R/Info 3 0 R>>\nstartxref\n\(start)\n%%EOF"
    return Array(text.utf8)
  }

  @Test(
    "Texts of PDF are read in all their forms",
    arguments: [
      ("(plain)", "plain"), (#"(a\(b\)\\c(d)e)"#, #"a(b)\c(d)e"#), (#"(\101\7b)"#, "A\u{7}b"),
      ("<FEFF00C40042>", "ÄB"), ("<FFFEC4004200>", "ÄB"), ("<EFBBBFC384>", "Ä"),
      ("<8490A0>", "\u{2014}\u{2019}€"), ("<41 4>", "A@"), ("(two\\\nlines)", "twolines"),
      ("( \t )", nil), ("/Name", nil), ("<FEFF001B0065006E001B0041>", "A"),
    ] as [(String, String?)])
  func texts(_ written: String, _ title: String?) throws {
    let bytes = Self.pdf(
      count: "1", information: "<</Title \(written) % more\n /A[1 .5 true null]>>")
    #expect(try DocumentProperties(of: ByteSource(bytes)) == Self.document(1, title))
  }

  @Test(
    "a PDF that lies about its pages is told so",
    arguments: ["-1", "5", "1000000000", "99999999999999999999", "(3)", "9 0 R", "2 0 R"])
  func lies(_ count: String) {
    #expect(throws: FormatError.self) {
      try DocumentProperties(of: ByteSource(Self.pdf(count: count)))
    }
  }

  @Test(
    "what is no document that is known here says nothing", arguments: ["", "P", "%PD", "words"])
  func unknown(_ text: String) throws {
    #expect(try DocumentProperties(of: ByteSource(Array(text.utf8))) == DocumentProperties())
  }
}
