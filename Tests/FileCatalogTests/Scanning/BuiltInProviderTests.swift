import FileCatalog
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What images, films and documents say of themselves, in catalogs", .timeLimit(.minutes(20)))
struct BuiltInProviderTests {
  private static let program = CommandRunner.built("filecat").map {
    ContentHost.program(FilePath($0.program), arguments: ["read-content"])
  }

  private func options(_ keys: String...) -> ScanOptions {
    var options = ScanOptions()
    options.contentValues = keys
    return options
  }

  private func copy(_ corpus: FilePath, to lab: Laboratory) throws {
    for file in Corpus.files(corpus) { try lab.tree.write(file.bytes, to: FilePath(file.name)) }
  }

  @Test(
    "are columns of views, the same wherever they were read", .feature("FS-16", "P-49"),
    arguments: [ContentHost.thisProcess, program])
  func views(_ host: ContentHost?) async throws {
    try await withLaboratory(contentHost: try #require(host)) { lab in
      try copy("Images", to: lab)
      try copy("Documents", to: lab)
      let summary = try await lab.scan(options("image", "document"))
      #expect(summary.errors == 0)
      let images = try lab.catalog.rows(
        """
        SELECT pixel_width, pixel_height, orientation, color_depth, date_taken, camera FROM values_image
        WHERE path LIKE '%/exif.jpg'
        """)
      #expect(
        images.map { row in
          [
            row["pixel_width"]?.integer, row["pixel_height"]?.integer,
            row["orientation"]?.integer, row["color_depth"]?.integer,
          ]
        } == [[24, 18, 6, 24]])
      #expect(images.first?["date_taken"]?.string == "2026-01-31 12:34:56")
      #expect(images.first?["camera"]?.string == "Kamerawerk K 1")
      #expect(
        try lab.catalog.number("SELECT count(*) FROM values_image")
          == Int64(Corpus.files("Images").count))
      let documents = try lab.catalog.rows(
        "SELECT page_count, title, author FROM values_document WHERE path LIKE '%/streams.pdf'")
      #expect(documents.first?["page_count"]?.integer == 3)
      #expect(documents.first?["title"]?.string == "Größe — 3")
      #expect(documents.first?["author"]?.string == "Ann, Bob")
      // Nothing was read but what they are about.
      #expect(try lab.catalog.number("SELECT count(*) FROM values_media") == 0)
    }
  }

  @Test(
    "bad input: every entry keeps its row, what is wrong is told once, and the scan goes on",
    .feature("FS-16"), arguments: [ContentHost.thisProcess, program])
  func badInput(_ host: ContentHost?) async throws {
    try await withLaboratory(contentHost: try #require(host)) { lab in
      try copy("Images", to: lab)
      let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]
      let bad: [(String, [UInt8])] = [
        (
          "short.png",
          Array(Corpus.files("Images").first { $0.name == "plain.png" }?.bytes.prefix(20) ?? [])
        ),
        // A segment that is longer than the file, and a directory of 65,535 fields.
        ("long.jpg", jpeg + [0xE0, 0xFF, 0xFF]),
        ("fields.tiff", Array("II".utf8) + [42, 0, 8, 0, 0, 0, 0xFF, 0xFF]),
        ("lost.pdf", Array("%PDF-1.7\nstartxref\n99999999\n%%EOF".utf8)),
        ("empty.docx", Array("PK\u{3}\u{4} and no more".utf8)),
      ]
      for (name, bytes) in bad { try lab.tree.write(bytes, to: FilePath(name)) }
      // A file in the form of none of them is nothing wrong.
      try lab.tree.write("words", to: "words.png")
      let summary = try await lab.scan(options("image", "document"))
      #expect(summary.state == .complete && summary.errors == bad.count)
      let failures = try await lab.catalog.failures(ofScan: summary.scanID)
      #expect(Set(failures.compactMap { $0.path.lastComponent?.string }) == Set(bad.map(\.0)))
      #expect(
        failures.allSatisfy {
          $0.message.hasPrefix("image: ") || $0.message.hasPrefix("document: ")
        })
      #expect(try lab.paths().isSuperset(of: bad.map(\.0)))
      #expect(
        try lab.catalog.number("SELECT count(*) FROM values_image")
          == Int64(Corpus.files("Images").count))
      #expect(try await lab.scan().errors == 0)
    }
  }

  @Test(
    "films and recordings are read by ffprobe", .feature("FS-16", "P-49"),
    .enabled(if: CommandRunner.exists("ffprobe")),
    arguments: [ContentHost.thisProcess, program])
  func media(_ host: ContentHost?) async throws {
    try await withLaboratory(contentHost: try #require(host)) { lab in
      try copy("Media", to: lab)
      // Lists of what is elsewhere are not followed, and what is broken is told.
      try lab.tree.write("ffconcat version 1.0\nfile film.mp4\n", to: "list.mp4")
      try lab.tree.write(
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1\nfile:///etc/passwd\n", to: "list.mkv")
      try lab.tree.write("", to: "empty.mp3")
      let film = try #require(Corpus.files("Media").first { $0.name == "film.mp4" })
      try lab.tree.write(film.bytes.prefix(300), to: "cut.mp4")
      let summary = try await lab.scan(options("media"))
      let failures = try await lab.catalog.failures(ofScan: summary.scanID)
      #expect(failures.map { $0.path.lastComponent?.string } == ["cut.mp4"])
      let rows = try lab.catalog.rows("SELECT * FROM values_media ORDER BY path")
      func texts(_ key: String) -> [String?] { rows.map { $0[key]?.string } }
      func numbers(_ key: String) -> [Int64?] { rows.map { $0[key]?.integer } }
      // film.mkv, film.mp4, tune.flac, tune.mp3, tune.ogg, tune.wav
      #expect(texts("audio_codec") == ["opus", "aac", "flac", "mp3", "vorbis", "pcm_u8"])
      #expect(texts("video_codec") == ["vp8", "h264", nil, nil, nil, nil])
      #expect(numbers("pixel_width") == [32, 32, nil, nil, nil, nil])
      #expect(numbers("pixel_height") == [16, 16, nil, nil, nil, nil])
      #expect(numbers("sample_rate") == [48000, 8000, 8000, 8000, 8000, 8000])
      #expect(numbers("channels") == [1, 1, 1, 1, 1, 1])
      #expect(texts("title").allSatisfy { $0 == "Tune" } && rows.count == 6)
      #expect(texts("artist").allSatisfy { $0 == "Ann" })
      #expect(texts("album").allSatisfy { $0 == "Disc" })
      #expect(
        try lab.catalog.number(
          "SELECT count(*) FROM values_media WHERE duration BETWEEN 0.35 AND 0.65") == 6)
    }
  }
}
