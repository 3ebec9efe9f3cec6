internal import SystemPackage

/// A place between two pages of a table.
///
/// It holds for one request on one state of the catalog: the pages that it leads to have neither gaps
/// nor repeats. After a scan it is too old, and says so.
public struct PageCursor: Sendable, Hashable, CustomStringConvertible {
  /// The state of the catalog that the pages show.
  let state: CatalogState
  /// The request without its page, so that a cursor is not used for another table.
  let request: UInt64
  /// Rows before the place.
  let offset: Int
  /// From when ages count on all pages, in nanoseconds since 1970.
  let now: Int64

  /// The text to hand on. It means nothing but to the catalog it is from.
  public var description: String {
    Base64.encode("\(state.description)|\(request)|\(offset)|\(now)".utf8)
  }

  /// Reads a cursor from its text.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidCursor`` for anything else.
  public init(parsing text: String) throws(CatalogError) {
    let parts = Base64.decode(text).map {
      String(decoding: $0, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
    }
    guard let parts, parts.count == 4, let request = UInt64(parts[1]), let offset = Int(parts[2]),
      offset >= 0, let now = Int64(parts[3])
    else {
      throw CatalogError(.invalidCursor, "“\(text)” is no cursor")
    }
    state = CatalogState(String(parts[0]))
    self.request = request
    self.offset = offset
    self.now = now
  }

  init(state: CatalogState, request: UInt64, offset: Int, now: Int64) {
    self.state = state
    self.request = request
    self.offset = offset
    self.now = now
  }
}

extension TableRequest {
  /// The same for the same table on any day: the hashes of Swift differ from run to run.
  var fingerprint: UInt64 {
    let scope =
      switch scope {
      case .everything: "everything"
      case .children(let path): "children \(path.absolute.string)"
      case .subtree(let path): "subtree \(path.absolute.string)"
      case .entry(let path): "entry \(path.absolute.string)"
      case .subtrees(let paths, let levels):
        "subtrees \(levels.map { Query(.depth($0)).description } ?? "") \(paths.map(\.absolute.string).joined(separator: "\u{1e}"))"
      }
    let text = [query.description, scope, order.description].joined(separator: "\u{1f}")
    // FNV-1a (isthe.com/chongo/tech/comp/fnv).
    return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

/// Bytes as letters and digits (RFC 4648), without padding.
private enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var pending: (bits: UInt32, count: Int) = (0, 0)
    for byte in bytes {
      pending = (pending.bits << 8 | UInt32(byte), pending.count + 8)
      while pending.count >= 6 {
        pending.count -= 6
        text.append(digits[Int(pending.bits >> UInt32(pending.count) & 63)])
      }
    }
    if pending.count > 0 {
      text.append(digits[Int(pending.bits << UInt32(6 - pending.count) & 63)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `nil` for anything that is not such a text.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending: (bits: UInt32, count: Int) = (0, 0)
    for character in text.utf8 {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      pending = (pending.bits << 6 | UInt32(digit), pending.count + 6)
      guard pending.count >= 8 else { continue }
      pending.count -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending.bits >> UInt32(pending.count)))
    }
    return pending.count < 6 ? bytes : nil
  }
}
