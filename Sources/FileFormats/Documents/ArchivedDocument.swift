/// Documents that are ZIP archives with XML in them: Office Open XML
/// ([ECMA-376](https://ecma-international.org/publications-and-standards/standards/ecma-376/)), OpenDocument
/// ([1.3](https://docs.oasis-open.org/office/OpenDocument/v1.3/)) and
/// [EPUB](https://www.w3.org/TR/epub-33/).
enum ArchivedDocument {
  /// How long a member may be that is read.
  private static let limit = 4 << 20

  static func properties(of archive: ZIPArchive) throws -> DocumentProperties {
    if archive.contains("META-INF/container.xml") {
      return try publication(archive)
    }
    if archive.contains("[Content_Types].xml") {
      return try office(archive)
    }
    if archive.contains("meta.xml") {
      return try openDocument(archive)
    }
    return DocumentProperties()
  }

  private static func office(_ archive: ZIPArchive) throws -> DocumentProperties {
    var document = DocumentProperties()
    try forEachElement(of: "docProps/app.xml", in: archive) { name, _, text in
      // A presentation may have both: pages are those of its notes then.
      switch name {
      case "Slides": document.pages = count(text) ?? document.pages
      case "Pages" where document.pages == nil: document.pages = count(text)
      default: break
      }
    }
    try forEachElement(of: "docProps/core.xml", in: archive) { name, _, text in
      switch name {
      case "title": document.title = document.title ?? text.trimmed
      case "creator": document.author = document.author ?? text.trimmed
      default: break
      }
    }
    return document
  }

  private static func openDocument(_ archive: ZIPArchive) throws -> DocumentProperties {
    var document = DocumentProperties()
    var lastAuthor: String?
    try forEachElement(of: "meta.xml", in: archive) { name, attributes, text in
      switch name {
      case "document-statistic": document.pages = attributes["page-count"].flatMap(count)
      case "title": document.title = document.title ?? text.trimmed
      case "initial-creator": document.author = document.author ?? text.trimmed
      case "creator": lastAuthor = lastAuthor ?? text.trimmed
      default: break
      }
    }
    document.author = document.author ?? lastAuthor
    return document
  }

  private static func publication(_ archive: ZIPArchive) throws -> DocumentProperties {
    var package: String?
    try forEachElement(of: "META-INF/container.xml", in: archive) { name, attributes, _ in
      if name == "rootfile", package == nil { package = attributes["full-path"] }
    }
    var document = DocumentProperties()
    guard let package else {
      throw FormatError.malformed("an EPUB that does not say what is in it")
    }
    var authors: [String] = []
    try forEachElement(of: package, in: archive) { name, _, text in
      switch name {
      case "title": document.title = document.title ?? text.trimmed
      case "creator":
        if let author = text.trimmed, authors.count < 10 { authors.append(author) }
      default: break
      }
    }
    document.author = authors.joined(separator: ", ").trimmed
    return document
  }

  private static func count(_ text: String) -> Int? {
    text.trimmed.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Calls with each element of a member of the archive: its name, its attributes and the text directly in it.
  private static func forEachElement(
    of member: String, in archive: ZIPArchive,
    _ body: (_ name: String, _ attributes: [String: String], _ text: String) -> Void
  ) throws {
    guard let bytes = try archive.content(of: member, upTo: limit) else { return }
    var scanner = MarkupScanner(bytes[...])
    var open: [(name: String, attributes: [String: String], text: String)] = []
    while let token = try scanner.next() {
      switch token {
      case .start(let name, let attributes): open.append((name, attributes, ""))
      case .text(let text):
        if !open.isEmpty { open[open.count - 1].text += text }
      case .end:
        guard let element = open.popLast() else { continue }
        body(element.name, element.attributes, element.text)
      }
    }
  }
}
