public import FileSystem
internal import StandardDirectories

/// The built-in provider `origin`: where a file was loaded from, as browsers note it.
///
/// - `origin_url`, `referrer_url`: the address, and that of the page which led there:
///   [user.xdg.origin.url and user.xdg.referrer.url](https://www.freedesktop.org/wiki/CommonExtendedAttributes/), on
///   macOS the two texts of `kMDItemWhereFroms`.
/// - `quarantine`: what macOS keeps of a file that has come from elsewhere.
///
/// Attributes of macOS are known on Linux as well, where copies keep them with `user.` in front.
public struct FileOrigin: ContentProvider {
  /// `origin`.
  public let key = "origin"
  /// Attributes are none of the content.
  public let basis = ContentBasis.attributes

  /// Makes the provider.
  public init() {}

  /// Where the file has come from, as far as it is known.
  public func values(of file: ContentFile) throws -> [String: ResourceValue] {
    var values: [String: ResourceValue] = [:]
    func set(_ key: String, _ bytes: [UInt8]?) {
      guard let bytes, !bytes.isEmpty, values[key] == nil else { return }
      values[key] = .text(String(decoding: bytes, as: UTF8.self))
    }
    set("origin_url", try file.attribute("user.xdg.origin.url"))
    set("referrer_url", try file.attribute("user.xdg.referrer.url"))
    for prefix in ["", "user."] {
      set("quarantine", try file.attribute("\(prefix)com.apple.quarantine"))
      let places = try file.attribute("\(prefix)com.apple.metadata:kMDItemWhereFroms")
      guard let places, let list = try? PropertyList(decoding: places),
        case .array(let texts) = list
      else {
        continue
      }
      for (key, text) in zip(["origin_url", "referrer_url"], texts) {
        if case .string(let text) = text { set(key, Array(text.utf8)) }
      }
    }
    return values
  }
}
