internal import CPlatform
internal import SystemPackage

/// Reads the names of sub-directories only, without asking for the values of a single entry.
final class SubdirectoryReader {
  private static let bufferSize = 64 * 1024
  private let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: bufferSize)

  deinit {
    buffer.deallocate()
  }

  /// The names of the directories in a directory; where the file system does not tell kinds, of all
  /// entries that may be directories.
  func names(in directory: OpenDirectory) throws(Errno) -> [[UInt8]] {
    var listing = cplatform_listing()
    let code = cplatform_listing_start(
      &listing, directory.descriptor, buffer, Self.bufferSize)
    guard code == 0 else { throw Errno(rawValue: code) }
    defer { cplatform_listing_end(&listing) }

    var names: [[UInt8]] = []
    while true {
      var start: UnsafePointer<CChar>?
      var length = 0
      var type: UInt8 = 0
      let outcome = cplatform_listing_next(&listing, &start, &length, &type)
      guard outcome == 1, let start else {
        if outcome < 0 { throw Errno(rawValue: -outcome) }
        return names
      }
      let kind = EntryKind(directoryEntryType: type)
      guard kind == .directory || kind == nil else { continue }
      names.append(Array(UnsafeRawBufferPointer(start: start, count: length)))
    }
  }
}
