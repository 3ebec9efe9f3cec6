import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("filecat containers")
struct ContainersCommandTests {
  private func withSandbox(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try body(sandbox)
  }

  @Test("a scan registers a container, and everything knows of roles then")
  func scanWithContainer() throws {
    try withSandbox { sandbox in
      try sandbox.makeFile("Documents/a", "12345")
      try sandbox.makeFile("Library/Caches/b", "123")
      try sandbox.makeFile("tmp/c", "1")
      #expect(try sandbox.run("scan", "--container", "apple-sandbox", sandbox.tree).status == 0)
      let found = try sandbox.run("find", "purgeable:yes kind:file")
      #expect(
        Rows.lines(found)
          == [sandbox.tree + "/Library/Caches/b", sandbox.tree + "/tmp/c"])
      let policy = try Rows.objects(
        try sandbox.run("containers", "policy", "--format", "json"), "json")
      let reclaimable = policy.compactMap { row -> Int64? in
        if case .integer(let bytes)? = row["reclaimable"] { bytes } else { nil }
      }
      #expect(reclaimable.sum == 4)
      let shown = try Rows.objects(
        try sandbox.run("show", sandbox.tree + "/tmp/c", "--format", "json"), "ndjson")
      #expect(shown.first?["role"] == .string("tmp"))
      #expect(shown.first?["purgeable"] == .truth(true))
      #expect(shown.first?["backup_mark"] == .null)
      let stale = try sandbox.run("containers", "policy", "--stale", "1")
      #expect(stale.status == 1)
      for days in ["128000", "1000000"] {
        #expect(try sandbox.run("containers", "policy", "--stale", days).status == 1, "\(days)")
      }
      #expect(try sandbox.run("containers", "policy", "--contradictions").status == 1)
      let report = try Rows.parse(
        try sandbox.run("report", "usage_by_role", "--format", "csv"), "csv")
      #expect(report.contains { $0["role"] == "caches" && $0["size"] == "3" })
    }
  }

  @Test("metadata that means harm costs the identifier, a line and the status")
  func hostileMetadata() throws {
    try withSandbox { sandbox in
      let metadata = ".com.apple.mobile_container_manager.metadata.plist"
      let apps = "device/Containers/Data/Application/"
      let hostile = Corpus.files("PropertyLists/hostile").filter { !$0.name.hasSuffix(".json") }
      func name(_ number: Int) -> String { "0A1B2C3D-0000-4000-8000-\(100_000_000_000 + number)" }
      for (number, file) in hostile.enumerated() {
        try sandbox.directory.write(
          file.bytes, to: FilePath("tree/\(apps)\(name(number))/\(metadata)"))
      }
      let good = try #require(
        Corpus.files("PropertyLists/good").first { $0.name == "container-metadata.plist" })
      try sandbox.directory.write(
        good.bytes, to: FilePath("tree/\(apps)\(name(hostile.count))/\(metadata)"))
      let result = try sandbox.run(
        "containers", "discover", sandbox.tree + "/device", "--format", "json")
      #expect(result.status == 3)
      #expect(result.errorLines.count == hostile.count, "\(result.errors)")
      #expect(result.errors.contains("it contains itself"))
      let found = try Rows.objects(result, "json")
      #expect(found.count == hostile.count + 1)
      #expect(found.last?["identifier"] == .string("com.example.app"))
      #expect(found.dropLast().allSatisfy { $0["identifier"] == .null })

      let box = sandbox.tree + "/" + apps + name(0)
      let scan = try sandbox.run("scan", "--container", "apple-sandbox", box)
      #expect(scan.status == 0)
      #expect(scan.errorLines.count == 1 && scan.errors.contains(metadata), "\(scan.errors)")
      let added = try sandbox.run(
        "containers", "add", "apple-sandbox", sandbox.tree + "/" + apps + name(1))
      #expect(added.status == 0 && added.errorLines.count == 1, "\(added.errors)")
    }
  }

  @Test("the policy says in one line where marks on disk are not known, and how to know them")
  func unknownMarks() throws {
    try withSandbox { sandbox in
      try sandbox.makeFile("box/Documents/a", "12345")
      try sandbox.makeFile("box/Library/Application Support/Offline Data/b", "123")
      try sandbox.makeFile("other/c", "1")
      let box = sandbox.tree + "/box"
      #expect(try sandbox.run("scan", "--container", "apple-sandbox", box).status == 0)
      #expect(try sandbox.run("scan", sandbox.tree + "/other").status == 0)
      for arguments in [[], ["--contradictions"], [box]] {
        let run = try sandbox.run(["containers", "policy", "--format", "json"] + arguments)
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(run.errors.contains("filecat scan --xattrs \(box)"), "\(run.errors)")
        #expect(try Rows.objects(run, "json").isEmpty == arguments.contains("--contradictions"))
      }
      #expect(try sandbox.run("containers", "policy", "--stale", "1").errors.isEmpty)

      #expect(try sandbox.run("scan", "--xattrs", box).status == 0)
      #expect(try sandbox.run("containers", "policy").errors.isEmpty)
      let shown = try sandbox.run("show", box + "/Documents/a", "--format", "json")
      #expect(try Rows.objects(shown, "ndjson").first?["backup_mark"] == .string("unmarked"))
      // Known not to be marked, offline data would be in backups.
      let run = try sandbox.run("containers", "policy", "--contradictions", "--format", "paths")
      #expect(Rows.lines(run) == [box + "/Library/Application Support/Offline Data"])
      #expect(run.errors.isEmpty)
    }
  }

  @Test("the report of a container adds up, role by role", .feature("SB-03", "X-01"))
  func matrix() throws {
    try withSandbox { sandbox in
      let sizes = [
        ("Documents/a", "documents", 10), ("Library/Preferences/b", "preferences", 100),
        ("Library/Application Support/c", "application_support", 1000),
        ("Library/Application Support/Offline Data/d", "offline_data", 10_000),
        ("Library/Caches/e", "caches", 100_000), ("tmp/f", "tmp", 1_000_000),
      ]
      for (path, _, bytes) in sizes {
        try sandbox.makeFile(path, String(repeating: "x", count: bytes))
      }
      #expect(try sandbox.run("scan", "--container", "apple-sandbox", sandbox.tree).status == 0)
      let rows = try Rows.objects(
        try sandbox.run("containers", "policy", "--format", "json"), "json")
      func sum(_ column: String) -> Int64 {
        rows.compactMap { if case .integer(let value)? = $0[column] { value } else { nil } }.sum
      }
      #expect(sum("size") == 1_111_110)
      #expect(sum("reclaimable") == 1_100_000)
      #expect(sum("backed_up") == 1110)
      for (_, role, bytes) in sizes {
        let row = rows.first { $0["role"] == .string(role) }
        #expect(row?["size"] == .integer(Int64(bytes)), "\(role)")
      }
      let total = try sandbox.run(
        "sql", "SELECT role, sum(size) AS size FROM files WHERE kind = 'file' GROUP BY role",
        "--format", "json")
      let sums = try Rows.objects(total, "json")
      for (_, role, bytes) in sizes {
        let row = sums.first { $0["role"] == .string(role) }
        #expect(row?["size"] == .integer(Int64(bytes)), "\(role)")
      }
    }
  }

  @Test("the list has the home and compares it with what the system says", .feature("AF-22"))
  func list() throws {
    try withSandbox { sandbox in
      let rows = try Rows.objects(try sandbox.run("containers", "list", "--format", "json"), "json")
      #expect(rows.count == 1)
      #expect(rows.first?["path"] == .string(sandbox.home))
      #expect(rows.first?["registered"] == .truth(false))
      // Foundation on Linux takes documents from the account's home, whatever HOME says.
      let system = try #require(rows.first?["system"]?.text)
      #expect(["agrees", "differs: documents"].contains(system))
      let relative = try sandbox.run(
        "containers", "show", "home", "--format", "json", environment: ["XDG_CACHE_HOME": "rel"])
      let caches = try Rows.objects(relative, "json").first { $0["role"] == .string("caches") }
      #expect(caches?["path"] == .string(sandbox.home + "/.cache"))
    }
  }

  @Test("without any environment it says what it can and does not crash", .feature("SP-12"))
  func emptyEnvironment() throws {
    try withSandbox { sandbox in
      func run(_ arguments: String...) throws -> CommandResult {
        try sandbox.run(program: "/usr/bin/env", ["-i", Sandbox.executable] + arguments)
      }
      let resolved = try run("containers", "resolve", "caches", "--format", "json")
      #expect(resolved.status == 0, "\(resolved.errors)")
      // Not the user's own, which is found by the system's word for where the home is.
      let catalog = sandbox.home + "/c.sqlite"
      try sandbox.makeFile("Documents/x", "1")
      #expect(
        try run(
          "scan", "--catalog", catalog, "--container", "apple-sandbox", sandbox.tree
        ).status == 0)
      let list = try run("containers", "list", "--format", "json", "--catalog", catalog)
      #expect(list.status == 0, "\(list.errors)")
      #expect(try run("containers", "policy", "--catalog", catalog).status == 0)
      #expect(try run("lookup", "x", "--default-extension", "", "--catalog", catalog).status == 0)
      #expect(try run("containers", "show", sandbox.tree, "--catalog", catalog).status == 0)
      #expect(try run("containers", "discover", sandbox.tree, "--catalog", catalog).status == 1)
    }
  }

  @Test("user-dirs.dirs names the documents", .feature("LX-11"))
  func userDirectories() throws {
    try withSandbox { sandbox in
      let config = sandbox.home + "/config"
      try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
      try Data("XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n".utf8)
        .write(to: URL(fileURLWithPath: config + "/user-dirs.dirs"))
      let run = try sandbox.run("containers", "resolve", "documents", "a/b", "--format", "paths")
      #expect(run.text == sandbox.home + "/Dokumente/a/b\n")
    }
  }

  @Test("discovery finds containers of all kinds and registers them when asked", .feature("AF-20"))
  func discovery() throws {
    try withSandbox { sandbox in
      for name in [
        ".var/app/org.example.Notes/cache/x", "snap/thing/42/y", ".config/z",
        "Library/Containers/com.example.notes/Data/Documents/n",
        "Library/Group Containers/group.g/f",
      ] {
        try sandbox.makeFile(name)
      }
      let run = try sandbox.run("containers", "discover", sandbox.tree, "--format", "json")
      #expect(run.status == 0)
      let found = try Rows.objects(run, "json")
      let styles = Set(found.compactMap { $0["style"]?.text })
      #expect(styles == ["xdg", "flatpak", "snap", "apple-sandbox", "app-group"])
      #expect(found.allSatisfy { $0["registered"] == .truth(false) })
      #expect(!FileManager.default.fileExists(atPath: sandbox.catalog))
      let registered = try Rows.objects(
        try sandbox.run("containers", "discover", "--register", sandbox.tree, "--format", "json"),
        "json")
      #expect(registered.allSatisfy { $0["registered"] == .truth(true) })
      #expect(try sandbox.run("scan", sandbox.tree).status == 0)
      let caches = try sandbox.run("find", "role:caches container:org.example.Notes kind:file")
      #expect(Rows.lines(caches) == [sandbox.tree + "/.var/app/org.example.Notes/cache/x"])
      let group = try sandbox.run(
        "containers", "resolve", "--app-group", "group.g", "caches", "--format", "paths")
      #expect(group.text == sandbox.tree + "/Library/Group Containers/group.g/Library/Caches\n")
      #expect(try sandbox.run("containers", "forget", "group.g").status == 0)
      let gone = try sandbox.run("containers", "resolve", "--app-group", "group.g", "caches")
      #expect(gone.status == 1)
      #expect(gone.errors.contains("group.g"))
      try sandbox.makeDirectory("nothing")
      #expect(try sandbox.run("containers", "discover", sandbox.tree + "/nothing").status == 1)
    }
  }

  @Test(
    "resolving makes nothing, and refuses what leads out",
    .feature("AF-21", "SP-07", "SB-06", "SB-08"))
  func resolve() throws {
    try withSandbox { sandbox in
      let root = sandbox.home + "/none"
      let run = try sandbox.run(
        "containers", "resolve", "--style", "apple-sandbox", "--root", root, "documents",
        "items.archive", "--format", "paths")
      #expect(run.text == root + "/Documents/items.archive\n")
      #expect(!FileManager.default.fileExists(atPath: root))
      for path in ["../x", "/etc", "a/../../b"] {
        #expect(try sandbox.run("containers", "resolve", "caches", path).status == 64, "\(path)")
      }
      let typo = try sandbox.run("containers", "resolve", "documentation")
      #expect(typo.status == 64)
      #expect(typo.errors.contains("documents"))
      #expect(try sandbox.run("containers", "resolve", "library").status == 1)
      #expect(try sandbox.run("containers", "add", "windows", sandbox.home).status == 64)
      #expect(try sandbox.run("scan", "--container", "windows", sandbox.home).status == 64)
      #expect(!FileManager.default.fileExists(atPath: sandbox.catalog))
    }
  }

  @Test("directories that are not where the style has them can be named", .feature("AF-02"))
  func overrides() throws {
    try withSandbox { sandbox in
      try sandbox.makeFile("Store/a", "1")
      try sandbox.run("scan", sandbox.tree)
      let add = try sandbox.run(
        "containers", "add", "apple-sandbox", sandbox.tree, "--identifier", "com.x",
        "--directory", "caches=Store")
      #expect(add.status == 0, "\(add.errors)")
      #expect(Rows.lines(try sandbox.run("find", "role:caches kind:file")).count == 1)
      let show = try Rows.parse(
        try sandbox.run("containers", "show", "com.x", "--format", "csv"), "csv")
      #expect(show.first { $0["role"] == "caches" }?["path"] == sandbox.tree + "/Store")
      #expect(try sandbox.run("containers", "show", "com.y").status == 1)
    }
  }

  @Test(
    "directories of roles have names in each place; several for one role are kept in order",
    .feature("SB-07"))
  func rolePaths() throws {
    try withSandbox { sandbox in
      try sandbox.makeFile("x/a", "1")
      try sandbox.makeFile("y/b", "1")
      try sandbox.run("scan", sandbox.tree)
      for path in ["./x", "../outside", "", "x/../y", "/", "x/.", sandbox.home + "/../z"] {
        let run = try sandbox.run(
          "containers", "add", "apple-sandbox", sandbox.tree, "--directory", "caches=" + path)
        #expect(run.status == 64, "\(path): \(run.errors)")
      }
      let add = try sandbox.run(
        "containers", "add", "apple-sandbox", sandbox.tree, "--directory", "caches=x",
        "--directory", "caches=y/")
      #expect(add.status == 0, "\(add.errors)")
      #expect(
        Rows.lines(try sandbox.run("find", "role:caches kind:file"))
          == [sandbox.tree + "/x/a", sandbox.tree + "/y/b"])
      let all = try sandbox.run(
        "containers", "resolve", "--container", sandbox.tree, "--all", "caches", "--format",
        "paths")
      #expect(Rows.lines(all) == [sandbox.tree + "/x", sandbox.tree + "/y"])
    }
  }

  @Test("a home behind a symbolic link is one home")
  func linkedHome() throws {
    try withSandbox { sandbox in
      try sandbox.makeFile("real/.cache/x", "1")
      let link = sandbox.tree + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
      let environment: [String: String?] = ["HOME": link, "XDG_CONFIG_HOME": nil]
      func rows(_ arguments: String...) throws -> [[String: JSONValue]] {
        let run = try sandbox.run(arguments + ["--format", "json"], environment: environment)
        return try Rows.objects(run, "json")
      }
      for isRegistered in [false, true] {
        let list = try rows("containers", "list")
        #expect(list.count == 1)
        #expect(list.first?["path"] == .string(sandbox.tree + "/real"))
        #expect(list.first?["registered"] == .truth(isRegistered))
        #expect(list.first?["system"] != .null)
        let shown = try rows("containers", "show", "home")
        let caches = shown.first { $0["role"] == .string("caches") }
        #expect(caches?["path"] == .string(sandbox.tree + "/real/.cache"))
        #expect(caches?["files"] == (isRegistered ? .integer(1) : .null))
        let scan = try sandbox.run("scan", "--container", "xdg", link, environment: environment)
        #expect(scan.status == 0, "\(scan.errors)")
      }
      let byLink = try rows("containers", "show", link)
      #expect(byLink.contains { $0["path"] == .string(sandbox.tree + "/real/.cache") })
    }
  }

  @Test("paths of a container's directories are printed where there are any")
  func pathsOfDirectories() throws {
    try withSandbox { sandbox in
      let shown = try sandbox.run("containers", "show", "home", "--format", "paths")
      #expect(Rows.lines(shown).allSatisfy { $0.hasPrefix("/") })
      let ended = try sandbox.run("containers", "show", "home", "-0")
      #expect(
        !ended.output.split(separator: 0, omittingEmptySubsequences: false).dropLast()
          .contains { $0.isEmpty })
      #expect(!ended.output.isEmpty)
    }
  }

  @Test("what cannot be a container is refused before anything is done")
  func refusals() throws {
    try withSandbox { sandbox in
      try sandbox.makeFile("a/x", "1")
      let (a, missing) = (sandbox.tree + "/a", sandbox.tree + "/missing")
      let shown = try sandbox.run("containers", "show", "nope")
      #expect(shown.status == 4)
      #expect(shown.errors.contains("filecat scan"))
      #expect(try sandbox.run("containers", "resolve", "--container", "nope", "caches").status == 4)
      #expect(try sandbox.run("scan", "--container", "xdg", a, missing).status == 4)
      #expect(!FileManager.default.fileExists(atPath: sandbox.catalog))
      for identifier in ["", "a/b", missing] {
        let add = try sandbox.run(
          "containers", "add", "apple-sandbox", a, "--identifier", identifier)
        #expect(add.status == 64, "\(identifier): \(add.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: sandbox.catalog))
    }
  }
}

/// SP-10, SP-04.
@Suite("filecat containers mark and policy --fix")
struct ContainersMarkCommandTests {
  @Test(
    "what roles promise is made so on the disk", .feature("SP-04"),
    .enabled(if: ContainersMarkCommandTests.attributesAreStored))
  func fix() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("Documents/letter", "1")
    try sandbox.makeFile("Library/Application Support/Offline Data/map", "22")
    #expect(
      try sandbox.run("scan", "--xattrs", "--container", "apple-sandbox", "tree").status == 0)
    #expect(try sandbox.run("containers", "mark", "tree/Documents/letter").status == 0)
    func contradictions() throws -> [String] {
      let run = try sandbox.run("containers", "policy", "--contradictions", "--format", "ndjson")
      return try Rows.parse(run, "ndjson").compactMap { $0["path"] ?? nil }
    }
    #expect(try contradictions().count == 2)
    let told = try sandbox.run("containers", "policy", "--fix", "--dry-run", "--format", "ndjson")
    #expect(told.status == 0 && told.text.contains("would be"), "\(told.text) \(told.errors)")
    #expect(try contradictions().count == 2)
    let run = try sandbox.run("containers", "policy", "--fix", "--format", "ndjson")
    let states = try Rows.parse(run, "ndjson").compactMap { $0["state"] ?? nil }
    #expect(run.status == 0 && Set(states) == ["marked", "unmarked"], "\(run.text) \(run.errors)")
    #expect(try contradictions().isEmpty)
    #expect(try sandbox.run("containers", "policy", "--fix").status == 1)
    #expect(try sandbox.run("check").status == 0)
  }

  @Test("each path is told, and one that is not there does not keep the others")
  func paths() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a", "1")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let missing = try sandbox.run("containers", "mark", "--dry-run", "tree/a", "tree/none")
    #expect(missing.status == 3 && missing.errorLines.count == 1, "\(missing.errors)")
    #expect(try sandbox.run("containers", "unmark", "tree/none").status == 4)
    #expect(try sandbox.run("containers", "policy", "--dry-run").status == 64)
    #expect(try sandbox.run("containers", "mark").status == 64)
  }

  /// Whether files for tests can have extended attributes.
  static let attributesAreStored: Bool = {
    (try? withTemporaryDirectory { directory in
      try directory.write("", to: "f")
      return try CommandRunner("python3").run([
        "-c", "import os, sys; os.setxattr(sys.argv[1], 'user.x', b'1')", directory("f").string,
      ]).status == 0
    }) ?? false
  }()
}
