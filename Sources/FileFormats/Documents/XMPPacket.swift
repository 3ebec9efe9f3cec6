/// Metadata in XML ([XMP](https://developer.adobe.com/xmp/docs/XMPSpecifications/), ISO 16684-1), as PDF files hold
/// it: the title and the authors of the Dublin Core.
struct XMPPacket {
  private(set) var title: String?
  private(set) var author: String?

  private static let mostAuthors = 10

  /// What can be read of it before it breaks its rules.
  init(_ bytes: [UInt8]) {
    var scanner = MarkupScanner(bytes[...])
    var property: String?
    var isItem = false
    var text = ""
    var authors: [String] = []
    while let token = try? scanner.next() {
      switch token {
      case .start("title", _): property = "title"
      case .start("creator", _): property = "creator"
      case .start("li", _): (isItem, text) = (true, "")
      case .text(let part) where isItem && property != nil: text += part
      case .end("li"):
        isItem = false
        guard let item = text.trimmed else { continue }
        // The first title is that of no language in particular.
        if property == "title" { title = title ?? item }
        if property == "creator", authors.count < Self.mostAuthors { authors.append(item) }
      case .end("title"), .end("creator"): property = nil
      default: break
      }
    }
    author = authors.joined(separator: ", ").trimmed
  }
}
