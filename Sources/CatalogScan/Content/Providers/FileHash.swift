internal import CPlatform
public import FileSystem
internal import SystemPackage

/// The built-in provider `hash`: the SHA-256 of the content as `sha256`, in hexadecimal digits as `sha256sum`
/// prints it.
///
/// The system's library makes it: libcrypto of OpenSSL on Linux, CommonCrypto on macOS.
public struct FileHash: ContentProvider {
  /// `hash`.
  public let key = "hash"
  /// None: a long file takes long.
  public let timeLimit: Duration? = nil

  private static let step = 1 << 20

  /// Makes the provider.
  public init() {}

  /// The key of the hash.
  public static let valueKey = "sha256"

  /// The hash of a regular file.
  public func values(of file: ContentFile) throws -> [String: ResourceValue] {
    [Self.valueKey: .text(try Self.hash(of: file))]
  }

  /// The hash of a file in hexadecimal digits.
  ///
  /// - Throws: `Errno`, `CancellationError`, ``MissingRequirement``.
  package static func hash(of file: ContentFile) throws -> String {
    guard let hash = cplatform_sha256_begin() else {
      throw MissingRequirement("libcrypto (OpenSSL)")
    }
    var digest: [UInt8]?
    defer { if digest == nil { cplatform_sha256_end(hash, nil) } }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 64)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      if file.isCancelled() { throw CancellationError() }
      let count = try file.descriptor.read(fromAbsoluteOffset: offset, into: buffer)
      if count == 0 { break }
      cplatform_sha256_update(hash, buffer.baseAddress, count)
      offset += Int64(count)
    }
    var bytes = [UInt8](repeating: 0, count: 32)
    cplatform_sha256_end(hash, &bytes)
    digest = bytes
    return bytes.map { Self.digits[Int($0)] }.joined()
  }

  private static let digits = (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
}
