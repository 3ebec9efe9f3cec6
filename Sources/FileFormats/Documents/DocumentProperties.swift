/// What a document says of itself.
package struct DocumentProperties: Hashable, Sendable {
  /// How many pages or slides it has, or had when it was last laid out.
  package var pages: Int?
  package var title: String?
  /// Who wrote it; several with commas between them.
  package var author: String?

  package init() {}

  /// How much of a document is read at most.
  package static let limit = 32 << 20

  /// What a document says of itself; nothing for what is none of the formats that are known here.
  ///
  /// - Throws: ``FormatError`` where it is one of them and breaks its rules, and what reading throws.
  package init(of source: ByteSource) throws {
    if let file = try PDFFile(source) {
      self = try file.properties()
    } else if try source.prefix(4, at: 0).begins(with: "PK") {
      self = try ArchivedDocument.properties(of: try ZIPArchive(source))
    } else {
      self.init()
    }
  }
}
