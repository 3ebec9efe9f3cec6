import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Declared roles on the command line")
struct RolesCommandTests {
  private static let declarations = """
    [user]
    in = application_support
    directory = User-{id}
    backup = excluded

    [avatars]
    in = user
    directory = Avatars
    purge = low_space
    """

  private func withRoles(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let file = sandbox.home + "/config/filecat/roles.d/app.conf"
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Self.declarations.write(toFile: file, atomically: true, encoding: .utf8)
    try sandbox.makeFile("Library/Application Support/User-5/a.txt", "12345")
    try sandbox.makeFile("Library/Application Support/User-5/Avatars/me.png", "123")
    try sandbox.makeFile("Library/Caches/me.png", "1")
    #expect(try sandbox.run("scan", "--container", "apple-sandbox", sandbox.tree).status == 0)
    try body(sandbox)
  }

  @Test("queries, reports and commands about containers know them", .feature("AF-09", "AF-10"))
  func known() throws {
    try withRoles { sandbox in
      let support = sandbox.tree + "/Library/Application Support"
      #expect(
        Rows.lines(try sandbox.run("find", "role:user kind:file")) == [support + "/User-5/a.txt"])
      let misspelt = try sandbox.run("find", "role:usr")
      #expect(misspelt.status == 1 && misspelt.errors.contains("user"))
      let report = try Rows.parse(
        try sandbox.run("report", "usage_by_role", "--format", "csv"), "csv")
      #expect(report.contains { $0["role"] == "user" && $0["size"] == "5" })
      let roles = try Rows.parse(
        try sandbox.run("containers", "roles", "--format", "csv"), "csv")
      #expect(
        roles.contains { $0["role"] == "avatars" && $0["parent_role"] == "user" })
      let shown = try Rows.parse(
        try sandbox.run("containers", "show", sandbox.tree, "--format", "csv"), "csv")
      #expect(
        shown.contains { $0["role"] == "user" && $0["path"] == support + "/User-{id}" })
      let entry = try Rows.objects(
        try sandbox.run("show", support + "/User-5/a.txt", "--format", "json"), "ndjson")
      #expect(entry.first?["parameter:id"] == .string("5"))
      #expect(entry.first?["backup_policy"] == .string("excluded"))
    }
  }

  @Test("paths are resolved with their parameters")
  func resolving() throws {
    try withRoles { sandbox in
      func resolve(_ arguments: String...) throws -> CommandResult {
        try sandbox.run(["containers", "resolve", "--format", "paths"] + arguments)
      }
      #expect(
        Rows.lines(
          try resolve("avatars", "x.png", "--parameter", "id=7", "--container", sandbox.tree))
          == [sandbox.tree + "/Library/Application Support/User-7/Avatars/x.png"])
      for (arguments, hint) in [
        (["user"], "--parameter id=VALUE"), (["user", "--parameter", "no=5"], "there are: id"),
        (["user", "--parameter", "id=a/b"], "a/b"), (["user", "--parameter", "id"], "NAME=VALUE"),
        (["usr", "--parameter", "id=5"], "user"),
      ] {
        let run = try sandbox.run(["containers", "resolve"] + arguments)
        #expect(run.status == 64, "\(arguments)")
        #expect(run.errors.contains(hint) && run.errorLines.count == 1, "\(run.errors)")
      }
      #expect(
        Rows.lines(try resolve("resources", "--executable", "/usr/bin/notes", "--all"))
          == ["/usr/share/notes", "/usr/bin/notes.resources"])
      let refused = try resolve("resources", "--executable", "/usr/bin/notes", "--for-writing")
      #expect(refused.status == 4 && refused.errors.contains("only read"))
      let domains = try Rows.parse(
        try sandbox.run(
          "containers", "resolve", "caches", "x", "--domain", "all", "--format", "csv"), "csv")
      #expect(domains.map { $0["domain"] } == ["user", "system"])
      #expect(domains.last?["path"] == "/var/cache/x")
      #expect(try resolve("documents", "--domain", "network").status == 1)
      #expect(try resolve("caches", "--domain", "user", "--all").status == 64)
    }
  }

  @Test("a lookup is narrowed by a role and a container", .feature("SP-42", "SP-51"))
  func lookup() throws {
    try withRoles { sandbox in
      func found(_ arguments: String...) throws -> [String] {
        Rows.lines(try sandbox.run(["lookup", "me", "--all", "--format", "paths"] + arguments))
      }
      #expect(try found().count == 2)
      #expect(try found("--role", "caches") == [sandbox.tree + "/Library/Caches/me.png"])
      #expect(
        try found("--role", "avatars", "--container", sandbox.tree)
          == [sandbox.tree + "/Library/Application Support/User-5/Avatars/me.png"])
      #expect(try sandbox.run("lookup", "me", "--role", "documents").status == 1)
      #expect(try sandbox.run("lookup", "me", "--role", "avatar").status == 64)
      #expect(try sandbox.run("lookup", "me", "--container", "nobody").status == 1)
      let home = try sandbox.run("lookup", "~/me")
      #expect(home.status == 1)
    }
  }

  @Test("a fault is told with file and line, and all roles stay")
  func faults() throws {
    try withRoles { sandbox in
      let file = sandbox.home + "/config/filecat/roles.d/app.conf"
      try "[user]\ncolour = red\n".write(toFile: file, atomically: true, encoding: .utf8)
      let scan = try sandbox.run("scan", sandbox.tree)
      #expect(scan.status == 0)
      #expect(scan.errors.contains("app.conf:2: "))
      #expect(scan.errors.contains("have not changed"))
      #expect(Rows.lines(try sandbox.run("find", "role:user kind:file")).count == 1)
      let roles = try sandbox.run("containers", "roles")
      #expect(roles.status == 64 && roles.errors.contains("app.conf:2: "))
    }
  }
}
