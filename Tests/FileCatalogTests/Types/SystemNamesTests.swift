import FileCatalog
import FileSystem
import Foundation
import StandardDirectories
import SystemPackage
import Testing
import UniformTypes

@Suite("Names that only the system knows")
struct SystemNamesTests {
  private static let globs = """
    # made up
    50:application/x-zz-novel:*.zznovel
    60:application/x-zz-novel:zznovelfile
    50:application/x-zz-volume:*.zzvol.zzpart
    50:image/x-zz-shot:*.zzshot[0-9]
    50:image/x-zz-shot:zzraw-*
    10:text/x-zz-notes:zznotes*
    40:text/x-zz-weak:*.zzboth
    60:text/x-zz-strong:*.zzboth
    50:text/x-zz-case:*.ZZCASE:cs
    50:inode/directory:zzdirectory
    50:image/jpeg:*.zzjpeg
    50:image/jpeg:zzphoto
    50:application/x-zz-pictures:*.zzpics.jpg
    50:text/x-zz-build:makefile
    """

  /// A name, how it is made, and its type.
  private static let vectors: [(name: String, mode: Int, type: String)] = [
    ("a.zznovel", 0o644, "org.freedesktop.application.x-zz-novel"),
    ("b.ZZNovel", 0o755, "org.freedesktop.application.x-zz-novel"),
    ("ZZNovelFile", 0o644, "org.freedesktop.application.x-zz-novel"),
    // A program without an extension is a program, whatever it is called.
    ("zznovelfile", 0o755, "public.unix-executable"),
    ("c.zzvol.zzpart", 0o644, "org.freedesktop.application.x-zz-volume"),
    ("d.zzshot7", 0o644, "org.freedesktop.image.x-zz-shot"),
    ("zzraw-1", 0o644, "org.freedesktop.image.x-zz-shot"),
    ("zznotes.zzunknown", 0o644, "org.freedesktop.text.x-zz-notes"),
    // An extension that the system knows says more than a pattern.
    ("zznotes.zznovel", 0o644, "org.freedesktop.application.x-zz-novel"),
    ("e.zzboth", 0o644, "org.freedesktop.text.x-zz-strong"),
    ("zzdirectory", 0o644, "public.data"),
    // Types of the table may get new names.
    ("f.zzjpeg", 0o644, "public.jpeg"),
    ("zzphoto", 0o644, "public.jpeg"),
    // What the table declares stays as it is.
    ("g.zzpics.jpg", 0o644, "public.jpeg"),
    ("Makefile", 0o644, "public.make-source"),
    ("zznotes.txt", 0o644, "public.plain-text"),
    ("nothing", 0o644, "public.data"),
  ]

  private static func fill(_ lab: TypeLaboratory) throws {
    for vector in vectors { try lab.write(vector.name, mode: vector.mode) }
    try lab.write("h.zzpart")
    try lab.write("i.zzshot")
    try lab.write("j.zzshot10")
    try lab.write("k.ZZCASE")
    try lab.write("zzraw-program", mode: 0o755)
    try lab.write("l.zznovel/inside")
    try FileManager.default.createSymbolicLink(
      atPath: lab.root.appending("zznotes-link").string, withDestinationPath: "a.zznovel")
  }

  /// The directories as the environment of a process would name them.
  private static func mimeDirectories(_ lab: TypeLaboratory) throws -> [FilePath] {
    _ = try lab.systemTypes(globs)
    return SharedMimeInfo.systemDirectories(
      of: HostEnvironment(variables: [
        "XDG_DATA_HOME": "/nonexistent", "XDG_DATA_DIRS": lab.dataDirectory,
      ]))
  }

  @Test("give files their types during a scan, now and the next time")
  func scanning() async throws {
    let lab = try TypeLaboratory()
    try Self.fill(lab)
    let mime = try Self.mimeDirectories(lab)
    // The second catalog value finds the answers in the file, the third scan finds it all anew.
    for _ in 1...2 {
      let catalog = try lab.catalog(mime: mime)
      _ = try await catalog.scan([lab.root])
      let types = try catalog.types()
      for vector in Self.vectors { #expect(types[vector.name] == vector.type, "\(vector.name)") }
      #expect(types["j.zzshot10"]?.hasPrefix("dyn.") == true)
      #expect(types["zzraw-program"] == "public.unix-executable")
      #expect(try await catalog.names("kind:image").isSuperset(of: ["d.zzshot7", "zzraw-1"]))
      #expect(try await catalog.check().isEmpty)
    }
  }

  @Test("mean the same to a scan and to whoever types one file", arguments: [1, 2])
  func agreement(_ scans: Int) async throws {
    let lab = try TypeLaboratory()
    try Self.fill(lab)
    let mime = try Self.mimeDirectories(lab)
    let catalog = try lab.catalog(mime: mime)
    for _ in 1...scans { _ = try await catalog.scan([lab.root]) }
    let typer = FileTyper(lab.sources(mime: mime))
    for entry in try await catalog.entries(matching: Query()) where entry.depth > 0 {
      let file = try typer.type(ofFileAt: entry.path)
      #expect(file.type.identifier == entry.type, "\(entry.name)")
      #expect(file.kind == entry.kind, "\(entry.name)")
    }
  }

  @Test("settle a type, so that nothing is read for it")
  func settled() async throws {
    let lab = try TypeLaboratory()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    for name in ["zznovelfile", "unknown"] { try lab.write(name, png) }
    let mime = try Self.mimeDirectories(lab)
    let catalog = try lab.catalog(mime: mime)
    var options = ScanOptions()
    options.typing = .byContent
    _ = try await catalog.scan([lab.root], options: options)
    let typer = FileTyper(lab.sources(mime: mime), evidence: .content)
    for (name, type) in [
      "zznovelfile": "org.freedesktop.application.x-zz-novel", "unknown": "public.png",
    ] {
      #expect(try catalog.types()[name] == type)
      #expect(try typer.type(ofFileAt: lab.root.appending(name)).type.identifier == type)
    }
  }

  @Test("reach the files of all roots when the system learns new ones")
  func learning() async throws {
    let lab = try TypeLaboratory()
    let other = try lab.otherRoot()
    try lab.write("zzlater", in: other)
    let mime = try lab.systemTypes("50:image/x-zz:*.zz\n")
    let catalog = try lab.catalog(mime: [mime])
    _ = try await catalog.scan([lab.root, other])
    #expect(try catalog.types()["zzlater"] == "public.data")
    _ = try lab.systemTypes("50:image/x-zz:*.zz\n50:image/x-zz:zzlater\n")
    #expect(try await catalog.scan([lab.root]).first?.modified == 0)
    #expect(try catalog.types()["zzlater"] == "org.freedesktop.image.x-zz")
  }
}
