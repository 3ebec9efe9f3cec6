import CPlatform
import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import Testing
import UniformTypes

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Directories that a Mac has marked as packages")
struct BundleBitTests {
  /// The 32 bytes of a directory's FinderInfo with some flags.
  private static func finderInfo(flags: UInt16) -> [UInt8] {
    [UInt8](repeating: 0, count: 8) + [UInt8(flags >> 8), UInt8(flags & 0xFF)]
      + [UInt8](repeating: 0, count: 22)
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian, Array.init)
  }

  /// An AppleDouble file as macOS writes it: FinderInfo, then an empty resource fork.
  private static func appleDouble(_ info: [UInt8]) -> [UInt8] {
    let header =
      bigEndian(0x0005_1607) + bigEndian(0x0002_0000) + Array("Mac OS X        ".utf8) + [0, 2]
    let end = UInt32(header.count + 24 + info.count)
    return header + bigEndian(9) + bigEndian(50) + bigEndian(UInt32(info.count))
      + bigEndian(2) + bigEndian(end) + bigEndian(0) + info
  }

  private static let bundle = appleDouble(finderInfo(flags: 0x2000))

  private func kinds(_ lab: TypeLaboratory) async throws -> [String: String] {
    let catalog = try lab.catalog()
    _ = try await catalog.scan([lab.root])
    let typer = FileTyper(lab.sources())
    var kinds: [String: String] = [:]
    for entry in try await catalog.entries(matching: Query()) where entry.depth == 1 {
      kinds[entry.name] = "\(entry.kind) \(entry.type)"
      let file = try typer.type(ofFileAt: entry.path)
      #expect(file.kind == entry.kind && file.type.identifier == entry.type, "\(entry.name)")
    }
    #expect(try await catalog.check().isEmpty)
    return kinds
  }

  @Test("are packages by the AppleDouble file beside them")
  func companions() async throws {
    let lab = try TypeLaboratory()
    try lab.write("project.zzmac/inside")
    try lab.write("._project.zzmac", Self.bundle)
    try lab.write("My.service/inside")
    try lab.write("._My.service", Self.bundle)
    let kinds = try await kinds(lab)
    #expect(kinds["project.zzmac"] == "package com.apple.package")
    #expect(kinds["My.service"] == "package com.apple.service-application")
  }

  @Test(
    "are not those with other notes, or broken ones",
    arguments: [
      appleDouble(finderInfo(flags: 0xDFFF)), Array(bundle.prefix(58)), Array(bundle.prefix(20)),
      [0] + bundle, [], finderInfo(flags: 0x2000),
      bigEndian(0x0005_1607) + bigEndian(0x0002_0000) + [UInt8](repeating: 0xFF, count: 100),
    ])
  func others(_ companion: [UInt8]) async throws {
    let lab = try TypeLaboratory()
    try lab.write("project.zzmac/inside")
    try lab.write("._project.zzmac", companion)
    #expect(try await kinds(lab)["project.zzmac"] == "directory public.folder")
  }

  @Test("are not asked for where the name is a plain one, a version or declared to be a directory")
  func unasked() async throws {
    let lab = try TypeLaboratory()
    for name in ["plain", "v1.2", "Assets.xcassets", ".hidden"] {
      try lab.write("\(name)/inside")
      try lab.write("._\(name)", Self.bundle)
    }
    let kinds = try await kinds(lab)
    for name in ["plain", "v1.2", "Assets.xcassets", ".hidden"] {
      #expect(kinds[name]?.hasPrefix("directory ") == true, "\(name)")
    }
  }

  @Test("never make a scan wait: the companion may be a pipe")
  func pipe() async throws {
    let lab = try TypeLaboratory()
    try lab.write("project.zzmac/inside")
    let path = lab.root.appending("._project.zzmac").string
    try #require(mkfifo(path, 0o644) == 0)
    #expect(try await kinds(lab)["project.zzmac"] == "directory public.folder")
  }

  #if os(Linux)
    @Test(
      "are packages by an extended attribute",
      .enabled(if: ResourceValueTests.supportsAttributes),
      arguments: [
        ("user.com.apple.FinderInfo", finderInfo(flags: 0x2000)),
        ("user.org.netatalk.Metadata", bundle),
      ])
    func attributes(_ name: String, _ value: [UInt8]) async throws {
      let lab = try TypeLaboratory()
      try lab.write("project.zzmac/inside")
      let path = lab.root.appending("project.zzmac").string
      try #require(lsetxattr(path, name, value, value.count, 0) == 0)
      #expect(try await kinds(lab)["project.zzmac"] == "package com.apple.package")
    }
  #endif
}
