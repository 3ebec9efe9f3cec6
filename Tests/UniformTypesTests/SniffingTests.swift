import Foundation
import Testing
import UniformTypes

@Suite("Content")
struct SniffingTests {
  private func identifier(_ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      ContentSniffer(.builtIn).sniff(buffer).map {
        TypeRegistry.builtIn.type(at: $0).identifier
      }
    }
  }

  struct Vector: Sendable {
    let text: String
    let identifier: String?

    init(_ text: String, _ identifier: String?) {
      self.text = text
      self.identifier = identifier
    }
  }

  static let texts = [
    Vector("#!/bin/sh\necho\n", "public.shell-script"),
    Vector("#!/usr/bin/env python3.11\n", "public.python-script"),
    Vector("#!/usr/bin/env -S FOO=1 node\n", "com.netscape.javascript-source"),
    Vector("#! /usr/bin/perl -w\n", "public.perl-script"),
    Vector("#!/opt/strange\n", "public.script"),
    Vector("<?xml version=\"1.0\"?>\n<!-- c --><svg xmlns=\"x\"/>", "public.svg-image"),
    Vector("<?xml version=\"1.0\"?><unknown/>", "public.xml"),
    Vector("<!DOCTYPE HTML><html>", "public.html"),
    Vector("<html><body>", "public.html"),
    Vector("<not markup", "public.utf8-plain-text"),
    Vector("{\"a\": 1}", "public.json"),
    Vector("[1, 2]", "public.utf8-plain-text"),
    Vector("[{\"a\": 1}]", "public.json"),
    Vector("[Desktop Entry]\nName=x\n", "org.freedesktop.desktop-entry"),
    Vector("true story, begun as text", "public.utf8-plain-text"),
    Vector("MAC addresses in a text", "public.utf8-plain-text"),
    Vector("%PDF-1.7\n", "com.adobe.pdf"),
    Vector("{\\rtf1\\ansi}", "public.rtf"),
    Vector("grün und blau", "public.utf8-plain-text"),
    Vector("a\0b\u{1}", nil),
    Vector("", nil),
  ]

  @Test("that is text is told by its first line", arguments: texts)
  func textContent(_ vector: Vector) {
    #expect(identifier(Array(vector.text.utf8)) == vector.identifier)
  }

  static let binaries: [([UInt8], String)] = [
    (Array("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) }), "public.png"),
    ([0xFF, 0xD8, 0xFF, 0xE0], "public.jpeg"),
    (Array("GIF89a".utf8) + [0, 1, 0], "com.compuserve.gif"),
    (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), "org.webmproject.webp"),
    (Array("\0\0\0\u{18}ftypheic".utf8), "public.heic"),
    (Array("\0\0\0\u{18}ftypisom".utf8), "public.mpeg-4"),
    ([0x1F, 0x8B, 0x08, 0], "org.gnu.gnu-zip-archive"),
    (Array("SQLite format 3\0".utf8), "org.sqlite.database"),
    (Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 40), "public.zip-archive"),
    ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 0x34], "com.sun.java-class"),
    ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2], "com.apple.mach-o-binary"),
    (Array(repeating: 0, count: 257) + Array("ustar\0".utf8), "public.tar-archive"),
    ([0xFF, 0xFE, 0x41, 0], "public.utf16-external-plain-text"),
  ]

  @Test("that is binary is told by its signature", arguments: binaries)
  func binaryContent(_ bytes: [UInt8], _ expected: String) {
    #expect(identifier(bytes) == expected)
  }

  @Test("does not overrule a name that says more, and does one that is wrong")
  func refining() throws {
    let registry = TypeRegistry.builtIn
    let sniffer = ContentSniffer(registry)
    func refine(_ name: String, _ content: [UInt8]) throws -> String {
      let named = registry.type(ofName: name, as: .file)
      let index = named.isDynamic ? TypeIndex.none : try #require(registry.index(of: named))
      let result = content.withUnsafeBufferPointer { sniffer.refine(index, with: $0) }
      return result == .none ? "none" : registry.type(at: result).identifier
    }
    let script = Array("#!/bin/sh\n".utf8)
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    #expect(try refine("a.md", Array("text".utf8)) == "net.daringfireball.markdown")
    #expect(try refine("tool", script) == "public.shell-script")
    #expect(try refine("a.unknownext", png) == "public.png")
    #expect(try refine("a.jpg", png) == "public.png")
    #expect(try refine("a.jpg", Array("no picture".utf8)) == "public.utf8-plain-text")
    #expect(try refine("a.unknownext", [0, 1, 2]) == "none")
    var stream = [UInt8](repeating: 0, count: 400)
    for index in [0, 188, 376] { stream[index] = 0x47 }
    #expect(try refine("a.ts", stream) == "public.mpeg-2-transport-stream")
    #expect(try refine("a.ts", Array("let a = 1".utf8)) == "com.microsoft.typescript")
  }

  static let samples: [(String, String)] = [
    ("/usr/share/pixmaps", "png"), ("/usr/share/icons", "png"), ("/usr/share/icons", "svg"),
    ("/usr/share/doc", "gz"), ("/usr/share/fonts", "ttf"), ("/usr/share/xml", "xml"),
    ("/usr/share/locale", "mo"), ("/usr/share/doc", "html"),
  ]

  @Test("of real files agrees with their names", arguments: samples)
  func realFiles(_ directory: String, _ filenameExtension: String) throws {
    let registry = TypeRegistry.builtIn
    let sniffer = ContentSniffer(registry)
    let named = try #require(registry.type(filenameExtension: filenameExtension))
    guard let walk = FileManager.default.enumerator(atPath: directory) else { return }
    var checked = 0
    for case let path as String in walk where path.hasSuffix("." + filenameExtension) {
      guard checked < 50 else { break }
      guard let file = FileHandle(forReadingAtPath: "\(directory)/\(path)") else { continue }
      defer { try? file.close() }
      guard let data = try? file.read(upToCount: ContentSniffer.prefixLength), !data.isEmpty
      else { continue }
      checked += 1
      let sniffed = Array(data).withUnsafeBufferPointer { sniffer.sniff($0) }
      let type = sniffed.map { registry.type(at: $0) }
      let agrees = type.map { $0.conforms(to: named) || named.conforms(to: $0) } ?? false
      // A few documents are fragments without a root element: text is no contradiction.
      #expect(agrees || type?.conforms(to: .text) == true, "\(path): \(String(describing: type))")
    }
  }
}
