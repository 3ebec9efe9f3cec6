internal import Console
internal import SystemPackage

/// A place between two pages of a table.
///
/// It holds for one request: the pages that it leads to have neither gaps nor repeats. Where the catalog has
/// changed meanwhile, it leads on from where the last row before it stood.
public struct PageCursor: Sendable, Hashable, CustomStringConvertible {
  /// The state of the catalog that the pages show.
  let state: CatalogState
  /// The request without its page, so that a cursor is not used for another table.
  let request: UInt64
  /// Rows before the place.
  let offset: Int
  /// From when ages count on all pages, in nanoseconds since 1970.
  let now: Int64
  /// The last row before the place.
  let place: TablePlace

  /// The text to hand on. It means nothing but to the catalog it is from.
  public var description: String {
    Base64.encode(unpadded: "\(state.description)|\(request)|\(offset)|\(now)|\(place)".utf8)
  }

  /// Reads a cursor from its text.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidCursor`` for anything else.
  public init(parsing text: String) throws(CatalogError) {
    let parts = Base64.decode(text).map {
      String(decoding: $0, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
    }
    guard let parts, parts.count == 5, let request = UInt64(parts[1]), let offset = Int(parts[2]),
      offset >= 0, let now = Int64(parts[3]),
      let place = TablePlace(parsing: parts[4])
    else {
      throw CatalogError(.invalidCursor, "“\(text)” is no cursor")
    }
    state = CatalogState(String(parts[0]))
    self.request = request
    self.offset = offset
    self.now = now
    self.place = place
  }

  init(state: CatalogState, request: UInt64, offset: Int, now: Int64, place: TablePlace) {
    self.state = state
    self.request = request
    self.offset = offset
    self.now = now
    self.place = place
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
