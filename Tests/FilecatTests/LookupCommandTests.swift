import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("filecat lookup")
struct LookupCommandTests {
  private static let strace = "/usr/bin/strace"

  private func withAssets(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["icon.png", "icon@2x.png", "icon@2x~ipad.png", "icon-1024h@2x~ipad.png"] {
      try sandbox.makeFile("art/" + name, name)
    }
    try sandbox.makeFile("art/more/badge.png")
    #expect(try sandbox.run("scan", sandbox.tree).status == 0)
    try body(sandbox)
  }

  @Test("the best variant for a device is printed, with its scale", .feature("SP-51"))
  func best() throws {
    try withAssets { sandbox in
      func found(_ arguments: String...) throws -> String? {
        let run = try sandbox.run(["lookup", "--format", "paths"] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        return run.text.split(separator: "\n").first?.split(separator: "/").last.map(String.init)
      }
      let art = sandbox.tree + "/art"
      #expect(
        try found("icon", "--idiom", "pad", "--scale", "2", "--height", "1024", "--in", art)
          == "icon-1024h@2x~ipad.png")
      #expect(try found("icon", "--idiom", "ipad", "--scale", "2") == "icon@2x~ipad.png")
      #expect(try found("icon.png", "--scale", "2") == "icon@2x.png")
      #expect(try found("icon") == "icon.png")
      #expect(try found("badge", "--in", art) == "badge.png")
      let rows = try Rows.objects(
        try sandbox.run("lookup", "icon", "--all", "--scale", "2", "--format", "json"), "json")
      #expect(rows.map { $0["scale"] } == [.integer(2), .integer(1)])
    }
  }

  @Test("where case is ignored, two files that differ in nothing else are named", .feature("SP-50"))
  func ignoredCase() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["Icon.png", "icon.png", "icon@2x.png"] { try sandbox.makeFile("art/" + name) }
    #expect(try sandbox.run("scan", sandbox.tree).status == 0)
    let exact = try sandbox.run("lookup", "ICON")
    #expect(exact.status == 1)
    let found = try sandbox.run("lookup", "ICON", "--ignore-case", "--format", "paths")
    #expect(found.status == 0)
    #expect(Rows.lines(found) == [sandbox.tree + "/art/Icon.png"])
    #expect(found.errorLines.count == 1)
    #expect(found.errors.contains("“Icon.png” and “icon.png”"))
    let retina = try sandbox.run("lookup", "ICON", "--ignore-case", "--scale", "2")
    #expect(retina.errors.isEmpty)
  }

  @Test("nothing found is status 1, a device that cannot be is wrong usage", .feature("SP-43"))
  func failures() throws {
    try withAssets { sandbox in
      let missing = try sandbox.run("lookup", "nope")
      #expect(missing.status == 1)
      #expect(try sandbox.run("lookup", "icon", "--in", "/not/scanned").status == 1)
      for arguments in [
        ["--idiom", "watch"], ["--scale", "0"], ["--scale", "x"], ["--height", "0"],
      ] {
        #expect(try sandbox.run(["lookup", "icon"] + arguments).status == 64, "\(arguments)")
      }
    }
  }

  @Test(
    "a lookup asks the file system for nothing but the catalog", .feature("SP-49"),
    .enabled("strace is not installed, or may not trace") {
      guard let sandbox = try? Sandbox() else { return false }
      defer { sandbox.remove() }
      return (try? sandbox.run(program: strace, ["-o", sandbox.home + "/t", "true"]).status) == 0
    })
  func systemCalls() throws {
    try withAssets { sandbox in
      let arguments = ["icon", "--idiom", "pad", "--scale", "2", "--in", sandbox.tree + "/art"]
      // That a trace would show the tree is shown by a command that looks at it.
      #expect(try trace(["check", "--verify"], in: sandbox).contains { isOfTree($0, sandbox) })
      for extra in [[], ["--all"], ["--ignore-case"]] {
        let calls = try trace(["lookup", "--format", "paths"] + arguments + extra, in: sandbox)
        #expect(calls.contains { $0.contains(sandbox.catalog) })
        let ofTree = calls.filter { isOfTree($0, sandbox) }
        #expect(ofTree.isEmpty, "\(ofTree)")
        try expectOnlyCatalog(calls, sandbox)
      }
    }
  }

  /// The calls about files that the command makes.
  private func trace(_ arguments: [String], in sandbox: Sandbox) throws -> [Substring] {
    let trace = sandbox.home + "/trace"
    let run = try sandbox.run(
      program: Self.strace,
      ["-f", "-e", "trace=%file", "-o", trace, Sandbox.executable] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
  }

  /// The arguments of the program itself are in the call that starts it.
  private func isOfTree(_ call: Substring, _ sandbox: Sandbox) -> Bool {
    call.contains(sandbox.tree) && !call.contains("execve(")
  }

  /// From the catalog on, everything is about it, or about the directories on the way to it.
  private func expectOnlyCatalog(_ calls: [Substring], _ sandbox: Sandbox) throws {
    let opening = try #require(calls.firstIndex { $0.contains(sandbox.catalog) })
    let others = calls[opening...].compactMap { Self.path(in: String($0)) }.filter { path in
      !path.hasPrefix(sandbox.catalog) && !sandbox.catalog.hasPrefix(path)
        && !path.hasPrefix("/proc/") && !path.hasPrefix("/sys/")
    }
    #expect(others.isEmpty, "\(others)")
  }

  /// The path that a traced call is about; `nil` for a call about an open file.
  private static func path(in call: String) -> String? {
    let pieces = call.components(separatedBy: "\"")
    return pieces.count > 1 && !pieces[1].isEmpty ? pieces[1] : nil
  }
}
