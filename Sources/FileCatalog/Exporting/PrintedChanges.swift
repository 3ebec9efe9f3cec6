package import CatalogStore
package import Console
internal import FileSystem
internal import SystemPackage

// How a change is printed, whoever prints it.

extension Change {
  /// The columns of a list of changes.
  package static let printedColumns: [Column] = [
    .number("scan_id", title: "SCAN"), Column("at"), .text("kind"), .path("path"),
    .otherPath("old_path"), .number("entry_id").whereItFits, .text("entry_kind").whereItFits,
    .text("fields").whereItFits, .number("size"), .number("old_size").whereItFits,
  ]

  /// A value for each of ``printedColumns``.
  package var cells: [Cell] {
    [
      scanID.map { .integer($0.rawValue) } ?? .null,
      at.map { Cell(.integer($0), .seconds) } ?? .null,
      .text(kind.rawValue), .text(bytes: path.bytes),
      oldPath.map { .text(bytes: $0.bytes) } ?? .null,
      entryID.map { .integer($0.rawValue) } ?? .null, .text(entryKind.name),
      .list(fields.map { .text($0.rawValue) }),
      size.map { .byteCount($0) } ?? .null, oldSize.map { .byteCount($0) } ?? .null,
    ]
  }
}
