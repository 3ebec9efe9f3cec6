import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import Testing
import UniformTypes

@Suite("Typing a file on the disk")
struct FileTyperTests {
  @Test("agrees with what a scan says")
  func agreement() async throws {
    let lab = try TypeLaboratory()
    for name in ["a.jpg", "Makefile", "what.zzunknown", "c.tar.gz", ".hidden", "no"] {
      try lab.write(name)
    }
    try lab.write("tool", mode: 0o755)
    try lab.write("Notes.rtfd/TXT.rtf")
    try lab.write("node.js/file")
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    let typer = FileTyper(.builtIn)
    for entry in try await catalog.entries(matching: Query()) where entry.depth > 0 {
      let file = try typer.type(ofFileAt: entry.path)
      #expect(file.type.identifier == entry.type, "\(entry.name)")
      #expect(file.kind == entry.kind)
    }
  }

  @Test("reads the content only when asked")
  func content() throws {
    let lab = try TypeLaboratory()
    try lab.write("program", Array("#!/usr/bin/env python3\n".utf8), mode: 0o755)
    let path = lab.root.appending("program")
    #expect(
      try FileTyper(.builtIn).type(ofFileAt: path).type.identifier == "public.unix-executable")
    #expect(
      try FileTyper(.builtIn, evidence: .content).type(ofFileAt: path).type.identifier
        == "public.python-script")
  }

  @Test("of something that is not there says so")
  func missing() throws {
    #expect(throws: FileError(.status, "/no/such/file", .noSuchFileOrDirectory)) {
      try FileTyper(.builtIn).type(ofFileAt: "/no/such/file")
    }
  }
}
