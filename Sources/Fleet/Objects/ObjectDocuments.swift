/// A page of a bucket's listing, as
/// [ListObjectsV2](https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html) answers.
struct ObjectListing {
  var keys: [String] = []
  /// What the next page is asked for with; `nil` where this is the last one.
  var next: String?

  /// - Throws: ``XMLScanner/Malformed`` where it is none.
  init(_ document: [UInt8]) throws(XMLScanner.Malformed) {
    var isTruncated = false
    var token: String?
    try XMLScanner.forEachText(in: document) { path, text throws(XMLScanner.Malformed) in
      switch path {
      case ["ListBucketResult", "Contents", "Key"]: keys.append(text)
      case ["ListBucketResult", "IsTruncated"]: isTruncated = text == "true"
      case ["ListBucketResult", "NextContinuationToken"]: token = text
      case _ where path.first != "ListBucketResult": throw XMLScanner.Malformed()
      default: break
      }
    }
    guard !isTruncated || token?.isEmpty == false else { throw XMLScanner.Malformed() }
    if isTruncated { next = token }
  }
}

/// What a server says about a request that it has not done.
struct ObjectRefusal {
  private(set) var code = ""
  private(set) var message = ""

  /// Nothing where the document is none.
  init(_ document: [UInt8]) {
    try? XMLScanner.forEachText(in: document) { path, text throws(XMLScanner.Malformed) in
      switch path {
      case ["Error", "Code"]: code = Self.shown(text)
      case ["Error", "Message"]: message = Self.shown(text)
      default: break
      }
    }
  }

  /// In one line, and no longer than a person reads.
  private static func shown(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200).map { $0.properties.isWhitespace ? " " : Character($0) })
  }
}

extension XMLScanner {
  /// Calls `body` with the text of each element that has no others in it, and the names of those around it.
  fileprivate static func forEachText(
    in document: [UInt8], _ body: ([String], String) throws(Malformed) -> Void
  ) throws(Malformed) {
    var scanner = XMLScanner(document)
    var path: [String] = []
    var text = ""
    while let token = try scanner.next() {
      switch token {
      case .start(let name):
        path.append(name)
        text = ""
      case .text(let piece): text += piece
      case .end:
        try body(path, text)
        path.removeLast()
        text = ""
      }
    }
  }
}
