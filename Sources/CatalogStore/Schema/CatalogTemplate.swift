internal import CCatalogTemplate
internal import CZstd
internal import Migrations
package import SystemPackage

/// The file that a new catalog begins as: the schema and the built-in types, with nothing scanned.
///
/// To make it by SQL takes longer than everything else in the scan of a small tree. It is no second
/// definition: `Scripts/template` makes it by SQL, a test compares it with what SQL makes today, and what it
/// lacks, a new catalog gets like any other.
package enum CatalogTemplate {
  /// Writes the template into an empty file, which stays empty where the template is of other tables.
  package static func write(to file: borrowing UnfinishedFile) throws(CatalogError) {
    do {
      let image = try image()
      guard version(of: image) == Migrations.currentVersion else { return }
      try file.descriptor.writeAll(toAbsoluteOffset: 0, image)
    } catch {
      throw CatalogError(creating: file.destination, error as? Errno ?? .ioError)
    }
  }

  /// What `PRAGMA user_version` says: four bytes of the
  /// [header](https://www.sqlite.org/fileformat2.html#the_database_header).
  private static func version(of image: [UInt8]) -> Int {
    image.dropFirst(60).prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The bytes of the template.
  package static func image() throws(Errno) -> [UInt8] {
    let (bytes, length) = (ccatalogtemplate_bytes(), ccatalogtemplate_length())
    let size = Int(clamping: ZSTD_getFrameContentSize(bytes, length))
    var image = [UInt8](repeating: 0, count: size)
    guard ZSTD_decompress(&image, size, bytes, length) == size else { throw .noMemory }
    return image
  }
}
