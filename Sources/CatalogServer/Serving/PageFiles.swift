internal import CCatalogPage
internal import HTTPTypes

/// The files of the page, as they are sent.
struct PageFiles: Sendable {
  struct File: Sendable {
    let media: String
    let bytes: [UInt8]
    let compressed: [UInt8]?
    let tag: String
  }

  private let files: [String: File]

  init() {
    var files: [String: File] = [:]
    for index in 0..<ccatalogpage_count() {
      let file = ccatalogpage_at(index)
      let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.length))
      let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      files[String(cString: file.path)] = File(
        media: String(cString: file.media_type), bytes: bytes,
        compressed: bytes.count > Gzip.threshold ? Gzip.compressed(bytes, level: 9) : nil,
        tag: "\"\(String(hash, radix: 16))\"")
    }
    self.files = files
  }

  /// The file at a path; `nil` where there is none.
  subscript(path: String) -> File? { files[path] }
}
