import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Looking assets up in the index")
struct AssetSearchTests {
  /// The pictures of the library that the rules come from.
  private static let pictures = [
    "Image1.png", "Image1@2x.png", "Image1-568h@2x.png", "Image1-667h@2x.png",
    "Image1-736h@3x.png", "Image1~ipad.png", "Image1@2x~ipad.png", "Image1~mac.png",
    "Image1@2x~mac.png", "Image2.png", "Image2-hd.png", "Image2-hd@2x.png", "Default-568h@2x.png",
  ]
  private static let mac = AssetLookup.Device(idiom: .desktop, scale: .two)
  private static let pad = AssetLookup.Device(idiom: .pad, height: 1024)
  private static let phone = AssetLookup.Device(idiom: .phone, height: 480)
  private static let retina = AssetLookup.Device(idiom: .phone, scale: .two, height: 480)
  private static let tall = AssetLookup.Device(idiom: .phone, scale: .two, height: 568)

  @Test(
    "the variants of a fixture resolve as their table says", .feature("SP-40", "SP-43"),
    arguments: [
      (mac, ["Image1@2x~mac.png", "Image2-hd@2x.png", nil]),
      (pad, ["Image1~ipad.png", "Image2-hd.png", nil]),
      (phone, ["Image1.png", "Image2.png", nil]),
      (retina, ["Image1@2x.png", "Image2-hd.png", nil]),
      (tall, ["Image1-568h@2x.png", "Image2-hd.png", "Default-568h@2x.png"]),
    ])
  func fixture(_ device: AssetLookup.Device, _ expected: [String?]) async throws {
    try await withLaboratory(Self.pictures.map { .file(FilePath("art").appending($0)) }) { lab in
      try await lab.scan()
      for (name, expected) in zip(["Image1", "Image2", "Default"], expected) {
        for spelling in [name, name + ".png"] {
          let found = try await lab.catalog.assets(named: FilePath(spelling), on: device)
          #expect(found.first?.path.lastComponent?.string == expected, "\(spelling)")
        }
      }
      #expect(try await lab.catalog.assets(named: "Nope.png", on: device).isEmpty)
    }
  }

  @Test("the index answers, whatever has become of the files", .feature("SP-48", "SP-51", "X-03"))
  func filesThatAreGone() async throws {
    try await withLaboratory([.file("art/icon@2x.png"), .file("art/icon.png")]) { lab in
      try await lab.scan()
      try lab.tree.remove("art")
      let device = AssetLookup.Device(scale: .two)
      let found = try await lab.catalog.assets(
        named: "icon", on: device, in: lab.tree.path.appending("art"))
      #expect(found.map(\.path.lastComponent?.string) == ["icon@2x.png", "icon.png"])
      #expect(found.map(\.scale) == [.two, .one])
      try await lab.scan(loss: .accepted)
      #expect(try await lab.catalog.assets(named: "icon", on: device).isEmpty)
      try lab.tree.make(.file("art/icon.png"))
      try await lab.scan()
      #expect(try await lab.catalog.assets(named: "icon", on: device).count == 1)
    }
  }

  @Test(
    "what lies in the directory itself comes before better variants below it", .feature("SP-42"))
  func nearestDirectory() async throws {
    let pieces: [Piece] = [
      .file("art/icon.png"), .file("art/deep/icon@2x.png"), .file("icon@3x.png"),
      .file("artistic/icon@2x.png"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let device = AssetLookup.Device(scale: .two)
      func paths(_ name: String, in directory: FilePath?) async throws -> [String?] {
        try await lab.catalog.assets(
          named: FilePath(name), on: device, in: directory.map { lab.tree.path.pushing($0) }
        ).map { lab.relative($0.path.bytes) }
      }
      #expect(try await paths("icon", in: "art") == ["art/icon.png", "art/deep/icon@2x.png"])
      #expect(
        try await paths("icon", in: nil)
          == ["artistic/icon@2x.png", "art/deep/icon@2x.png", "icon@3x.png", "art/icon.png"])
      #expect(try await paths("deep/icon", in: "art") == ["art/deep/icon@2x.png"])
      let absolute = lab.tree.path.pushing("art/icon.png").string
      #expect(try await paths(absolute, in: nil).first == "art/icon.png")
      try await expectError(.notInCatalog) { _ = try await paths("icon", in: "nowhere") }
    }
  }

  @Test("names are bytes: their case counts, and a tilde is no home", .feature("SP-42", "SP-52"))
  func names() async throws {
    let pieces: [Piece] = [
      .file("Image1.png"), .file("image1.png"), .file("~foo.png"), .directory("dir@2x.png"),
      .file("data.json"), .file("data.tiff"), .file("View-568h.nib"), .file("View.nib"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      func names(_ name: String, _ device: AssetLookup.Device = AssetLookup.Device()) async throws
        -> [String?]
      {
        try await lab.catalog.assets(named: FilePath(name), on: device).map {
          $0.path.lastComponent?.string
        }
      }
      #expect(try await names("Image1") == ["Image1.png"])
      #expect(try await names("~foo.png") == ["~foo.png"])
      #expect(try await names("dir.png", AssetLookup.Device(scale: .two)).isEmpty)
      #expect(try await names("data.json", Self.mac) == ["data.json"])
      #expect(try await names("View.nib", Self.tall).first == "View-568h.nib")
    }
  }

  /// Names that differ in case only, in the stem, in marks and in the extension.
  private static let collisions = [
    "Icon.png", "icon.png", "ICON@2x.png", "icon@2x~ipad.png", "Icon@2X~ipad.png", "icon~IPAD.png",
    "icon.PNG", "Icon-HD.png",
  ]

  @Test(
    "names that differ in case only are different names, in the order of every device",
    .feature("SP-50"),
    arguments: [
      ("icon", mac, ["icon.png"]), ("Icon", mac, ["Icon.png"]), ("ICON", mac, ["ICON@2x.png"]),
      ("icon.png", pad, ["icon@2x~ipad.png", "icon.png"]), ("Icon.png", pad, ["Icon.png"]),
      ("icon.PNG", pad, ["icon.PNG"]), ("icon@2X.png", retina, []),
      ("Icon@2X~ipad.png", retina, ["Icon@2X~ipad.png"]), ("iCON", tall, []),
    ])
  func caseCounts(_ name: String, _ device: AssetLookup.Device, _ expected: [String]) async throws {
    try await withLaboratory(Self.collisions.map { .file(FilePath($0)) }) { lab in
      try await lab.scan()
      let found = try await lab.catalog.assets(named: FilePath(name), on: device)
      #expect(found.map(\.path.lastComponent?.string) == expected)
    }
  }

  @Test(
    "without regard to case they compete by the order of the device, and share its ranks",
    .feature("SP-50"),
    arguments: [
      (
        mac,
        [
          ["ICON@2x.png"], ["Icon-HD.png"], ["Icon.png", "icon.PNG", "icon.png"],
        ]
      ),
      (
        pad,
        [
          ["icon~IPAD.png"], ["Icon@2X~ipad.png", "icon@2x~ipad.png"], ["Icon-HD.png"],
          ["Icon.png", "icon.PNG", "icon.png"], ["ICON@2x.png"],
        ]
      ),
      (phone, [["Icon.png", "icon.PNG", "icon.png"], ["ICON@2x.png"]]),
      (retina, [["ICON@2x.png"], ["Icon-HD.png"], ["Icon.png", "icon.PNG", "icon.png"]]),
    ])
  func caseIgnored(_ device: AssetLookup.Device, _ expected: [[String]]) async throws {
    try await withLaboratory(Self.collisions.map { .file(FilePath($0)) }) { lab in
      try await lab.scan()
      for name in ["icon", "ICON", "iCoN.pNg"] {
        let found = try await lab.catalog.assets(
          named: FilePath(name), on: device, caseSensitivity: .insensitive)
        var groups: [(rank: Int, names: [String])] = []
        for match in found {
          if groups.last?.rank != match.rank { groups.append((match.rank, [])) }
          groups[groups.count - 1].names.append(match.path.lastComponent?.string ?? "")
        }
        #expect(groups.map(\.names) == expected, "\(name)")
      }
    }
  }

  @Test("the best ones are those that come first of all")
  func limit() async throws {
    var pieces = Self.pictures.map { Piece.file(FilePath("art").appending($0)) }
    for directory in 0..<20 {
      pieces += ["Image1.png", "Image1@2x.png", "image1.png", "Image1@2x~ipad.png"].map {
        .file(FilePath("more").appending("\(directory)").appending($0))
      }
    }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      for device in [Self.mac, Self.pad, Self.retina] {
        for caseSensitivity in [CaseSensitivity.sensitive, .insensitive] {
          let all = try await lab.catalog.assets(
            named: "Image1", on: device, caseSensitivity: caseSensitivity)
          #expect(all.count > 20)
          for limit in [0, 1, 2, 7, all.count + 1] {
            let best = try await lab.catalog.assets(
              named: "Image1", on: device, caseSensitivity: caseSensitivity, limit: limit)
            #expect(best == Array(all.prefix(limit)))
          }
        }
      }
    }
  }

  @Test("a lookup reads the index of variants and no other table as a whole", .feature("SP-49"))
  func queryPlan() async throws {
    try await withLaboratory([.file("a.png")]) { lab in
      try await lab.scan()
      let plan = try lab.catalog.rows(
        """
        EXPLAIN QUERY PLAN
        SELECT e.id, e.name, d.path, d.depth
        FROM _entries e JOIN _directory_paths d ON d.id = e.parent_id
        WHERE e.asset_key = 1 AND e.kind IN (1, 3, 4)
        """
      ).compactMap { $0["detail"]?.string }
      #expect(plan.contains { $0.contains("entries_by_asset") }, "\(plan)")
      #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }
  }
}
