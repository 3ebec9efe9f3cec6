internal import FileFormats
public import FileSystem

/// The built-in provider `image`: what the headers of images say of them, without their pixels.
///
/// - `pixel_width`, `pixel_height`: as stored, before the image is turned.
/// - `orientation`: how it is to be turned, from 1 to 8 as Exif counts.
/// - `color_depth`: bits of a pixel, with those of its opacity.
/// - `date_taken`: by the clock of the camera, such as `2026-01-31 12:34:56`.
/// - `camera`: its maker and model.
///
/// It reads PNG, JPEG, GIF, WebP, TIFF with what is built on it, HEIF and AVIF, and SVG. Of other images it says
/// nothing.
public struct ImageDetails: ContentProvider {
  /// `image`.
  public let key = "image"
  /// All images.
  public let types = ["public.image"]

  /// Makes the provider.
  public init() {}

  /// What the image says of itself.
  public func values(of file: ContentFile) throws -> [String: ResourceValue] {
    let image = try ImageProperties(of: ByteSource(file, limit: ImageProperties.limit))
    var values: [String: ResourceValue] = [:]
    values["pixel_width"] = image.width.map { .integer(Int64($0)) }
    values["pixel_height"] = image.height.map { .integer(Int64($0)) }
    values["orientation"] = image.orientation.map { .integer(Int64($0)) }
    values["color_depth"] = image.colorDepth.map { .integer(Int64($0)) }
    values["date_taken"] = image.dateTaken.map { .text($0) }
    values["camera"] = image.camera.map { .text($0) }
    return values
  }
}

extension ByteSource {
  /// The bytes of a file that a provider is asked about.
  convenience init(_ file: ContentFile, limit: Int) {
    self.init(size: Int(file.status.size), limit: limit) { range in
      if file.isCancelled() { throw CancellationError() }
      return try file.bytes(Int64(range.lowerBound)..<Int64(range.upperBound))
    }
  }
}
