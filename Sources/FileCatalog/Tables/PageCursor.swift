internal import Foundation
internal import GRDB
internal import SystemPackage

/// A place between two pages of a table.
///
/// It holds for one request on one state of the catalog: the pages that it leads to have neither gaps
/// nor repeats. After a scan it is too old, and says so.
public struct PageCursor: Sendable, Hashable, CustomStringConvertible {
  /// The state of the catalog that the pages show.
  let generation: String
  /// The request without its page, so that a cursor is not used for another table.
  let request: UInt64
  /// Rows before the place.
  let offset: Int

  /// The text to hand on. It means nothing but to the catalog it is from.
  public var description: String {
    Data("\(generation)|\(request)|\(offset)".utf8).base64EncodedString()
      .replacingOccurrences(of: "=", with: "")
  }

  /// Reads a cursor from its text.
  ///
  /// - Throws: ``CatalogError/Code/invalidArgument`` for anything else.
  public init(parsing text: String) throws(CatalogError) {
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    let parts = Data(base64Encoded: text + padding)
      .map { String(decoding: $0, as: UTF8.self).split(separator: "|") }
    guard let parts, parts.count == 3, let request = UInt64(parts[1]), let offset = Int(parts[2]),
      offset >= 0
    else {
      throw CatalogError(
        .invalidArgument,
        "“\(text)” is no cursor; take the one that the page before printed, or “start”")
    }
    generation = String(parts[0])
    self.request = request
    self.offset = offset
  }

  init(generation: String, request: UInt64, offset: Int) {
    self.generation = generation
    self.request = request
    self.offset = offset
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
      }
    let text = [query.description, scope, order.description].joined(separator: "\u{1f}")
    // FNV-1a (isthe.com/chongo/tech/comp/fnv).
    return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension Catalog {
  /// The cursor of the first page of a table.
  public func firstPage(of request: TableRequest) throws -> PageCursor {
    PageCursor(generation: try generation(), request: request.fingerprint, offset: 0)
  }

  /// The request for the page at a cursor.
  ///
  /// - Throws: ``CatalogError/Code/cursorTooOld`` when the catalog has changed since, and
  ///   ``CatalogError/Code/invalidArgument`` for a cursor of another table.
  public func request(_ request: TableRequest, at cursor: PageCursor) throws -> TableRequest {
    guard cursor.request == request.fingerprint else {
      throw CatalogError(
        .invalidArgument,
        "the cursor belongs to another table; repeat the query, the directory and the order")
    }
    guard cursor.generation == (try generation()) else {
      throw CatalogError(
        .cursorTooOld,
        "the cursor is too old: the catalog has been changed since; begin again with “start”")
    }
    var page = request
    page.offset += cursor.offset
    return page
  }

  /// The cursor behind a page of `count` rows.
  public func page(after cursor: PageCursor, count: Int) -> PageCursor {
    PageCursor(
      generation: cursor.generation, request: cursor.request, offset: cursor.offset + count)
  }

  /// Differs whenever the entries of the catalog may differ.
  private func generation() throws -> String {
    try translatingErrors {
      try store.reader.read { db in
        try String.fetchOne(
          db,
          sql: """
            SELECT ifnull(max(last_scan_id), 0) || '.' || ifnull(group_concat(id, '.'), '')
            FROM (SELECT id, last_scan_id FROM roots ORDER BY id)
            """) ?? ""
      }
    }
  }
}
