internal import FileFormats
public import FileSystem

/// The built-in provider `document`: what documents say of themselves, without their text.
///
/// - `page_count`: how many pages or slides it has, by its own count.
/// - `title`, `author`.
///
/// It reads PDF, Office Open XML, OpenDocument and EPUB, whose pages nobody can count.
public struct DocumentDetails: ContentProvider {
  /// `document`.
  public let key = "document"
  /// The types of the four families.
  public let types = [
    "com.adobe.pdf", "org.openxmlformats.openxml", "org.oasis-open.opendocument",
    "org.idpf.epub-container",
  ]

  /// Makes the provider.
  public init() {}

  /// What the document says of itself.
  public func values(of file: ContentFile) throws -> [String: ResourceValue] {
    let document = try DocumentProperties(of: ByteSource(file, limit: DocumentProperties.limit))
    var values: [String: ResourceValue] = [:]
    values["page_count"] = document.pages.map { .integer(Int64($0)) }
    values["title"] = document.title.map { .text($0) }
    values["author"] = document.author.map { .text($0) }
    return values
  }
}
