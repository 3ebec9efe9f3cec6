package import Console
internal import StandardDirectories
internal import SystemPackage

// How the answers of a lookup are printed, whoever prints them.

extension AssetMatch {
  /// The columns of a list of variants.
  package static let printedColumns: [Column] = [
    .path("path"), .number("scale"), .text("idiom"), .number("height"), Column("hd"),
    .number("rank"),
  ]

  /// A value for each of ``printedColumns``.
  package var cells: [Cell] {
    [
      .text(bytes: path.bytes), Self.cell(scale),
      variant.idiom.map { .text($0.rawValue) } ?? .null,
      variant.height.map { .integer(Int64($0)) } ?? .null, .boolean(variant.isHD),
      .integer(Int64(rank)),
    ]
  }

  private static func cell(_ scale: AssetScale) -> Cell {
    scale.millionths % 1_000_000 == 0
      ? .integer(Int64(scale.millionths / 1_000_000)) : .real(scale.value)
  }
}
