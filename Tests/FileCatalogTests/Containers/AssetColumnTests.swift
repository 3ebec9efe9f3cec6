import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Variants of assets in the catalog")
struct AssetColumnTests {
  /// Names that have once been read wrongly, and what they say.
  private static let vectors: [(name: String, stem: String, scale: String?, idiom: String?)] = [
    ("foo.png", "foo", nil, nil), ("foo@2x.png", "foo", "2", nil),
    ("foo@2x~ipad.png", "foo", "2", "ipad"), ("foo@1.5x~ipad.png", "foo", "1.5", "ipad"),
    ("v1.2@2x~ipad.png", "v1.2", "2", "ipad"), ("user@box.txt", "user@box", nil, nil),
    ("foo@-2x.png", "foo@-2x", nil, nil), ("foo@x.png", "foo@x", nil, nil),
    ("Foo@2X.png", "Foo@2X", nil, nil), ("foo~ipad@2x.png", "foo~ipad", "2", nil),
    ("foo.tar.gz", "foo", nil, nil), ("foo@2x.tar.gz", "foo", "2", nil),
    ("foo.gz", "foo", nil, nil),
    (".hidden", ".hidden", nil, nil), (".tar.gz", ".tar", nil, nil),
    ("Mr. Smith", "Mr. Smith", nil, nil),
    ("a.b c.gz", "a.b c", nil, nil), ("dot.", "dot.", nil, nil), ("foo@1x", "foo", "1", nil),
    ("x~mac.nib", "x", nil, "mac"), ("...", "...", nil, nil), ("a..gz", "a.", nil, nil),
  ]

  @Test(
    "the columns of a name are what the library reads in it", .feature("SP-20"),
    arguments: Laboratory.Writing.allCases
  )
  func vectors(_ writing: Laboratory.Writing) async throws {
    let pieces = Self.vectors.map { Piece.file(FilePath("d").appending($0.name)) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan([], through: writing)
      for (name, stem, scale, idiom) in Self.vectors {
        #expect(try lab.column("asset_stem")["d/\(name)"] == .some(stem), "\(name)")
        #expect(try lab.column("asset_scale")["d/\(name)"] == .some(scale), "\(name)")
        #expect(try lab.column("asset_idiom")["d/\(name)"] == .some(idiom), "\(name)")
      }
      #expect(try lab.column("asset_stem")["d"] == .some(nil))
      #expect(try lab.column("asset_hd")["d"] == .some(nil))
    }
  }

  @Test(
    "random names, UTF-8 or not, have the columns that the library reads in them", .feature("SP-20")
  )
  func randomNames() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let parts: [[UInt8]] =
      [
        "a", "icon", "@2x", "@1.5x", "@3x", "~ipad", "~mac", "-hd", "-568h", ".", ".png", ".gz",
        ".tar", " ", "é", "\u{202E}", "\u{200F}", "x", "1", "日本",
      ].map { Array($0.utf8) } + [[0xFF], [0xE2], [0xE2, 0x80]]
    var names: Set<[UInt8]> = []
    while names.count < 300 {
      let count = Int.random(in: 1...6, using: &random)
      let name = (0..<count).flatMap { _ in parts.randomElement(using: &random) ?? [] }
      if name != [0x2E], name != [0x2E, 0x2E] { names.insert(name) }
    }
    let pieces = names.map { Piece.file(FilePath(bytes: Array("d/".utf8) + $0)) }
    for writing in Laboratory.Writing.allCases {
      try await withLaboratory(pieces) { lab in
        try await lab.scan([], through: writing)
        let rows = try FilesView(lab.catalog, where: "kind = 'file' AND directory LIKE '%/d'").rows
        #expect(rows.count == names.count)
        for row in rows {
          let name = row.name
          let parsed = AssetName(bytes: name)
          #expect(row["asset_stem"] == .shown(parsed.stemBytes), "\(name), seed \(seed)")
          let ending = parsed.extensionBytes
          let shown: ColumnValue = ending.isEmpty ? .null : .shown(ending)
          #expect(row["asset_ext"] == shown, "\(name), seed \(seed)")
          #expect(row["asset_idiom"].string == parsed.variant.idiom?.rawValue, "\(name)")
          #expect(row["asset_scale"].printed == parsed.variant.scale?.description, "\(name)")
          #expect(row["asset_height"].integer == parsed.variant.height.map { Int64($0) }, "\(name)")
          #expect(row["asset_hd"].integer == (parsed.variant.isHD ? 1 : 0), "\(name)")
        }
      }
    }
  }

  @Test("the report of gaps names what lacks a scale and what has only variants", .feature("X-03"))
  func gaps() async throws {
    let names = [
      "whole.png", "whole@2x.png", "whole@3x.png",  // nothing is missing
      "lone@2x.png",  // only a variant
      "hole.png", "hole@3x.png",  // no @2x
      "pad.png", "pad@2x.png", "pad~ipad.png",  // no @2x for the iPad
      "plain.png",  // no variants at all
    ]
    try await withLaboratory(names.map { .file(FilePath("art").appending($0)) }) { lab in
      try await lab.scan()
      let rows = try lab.catalog.rows("SELECT * FROM asset_gaps ORDER BY stem, idiom")
      let shown = rows.map { row in
        ["stem", "idiom", "scales", "missing_scales", "has_plain"]
          .map { row[$0]?.printed ?? "-" }.joined(separator: " ")
      }
      #expect(shown == ["hole - 1,3 2 1", "lone - 2 1 0", "pad ipad 1 2 1"])
    }
  }
}
