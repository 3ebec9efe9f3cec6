import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Roles of one's own")
struct CustomRoleTests {
  private static func user() throws -> CustomRole {
    try CustomRole("user", in: .applicationSupport, directory: "User-{id}")
  }

  // MARK: - Directories

  @Test(
    "a role with a parameter has as many directories as the parameter has values", .feature("AF-09")
  )
  func parameters() throws {
    let user = try Self.user()
    let avatars = try CustomRole("avatars", in: .custom(user), directory: "Images/Avatars")
    let app = Container(.appleSandbox, root: "/data/app").adding([user, avatars])
    let support = "/data/app/Library/Application Support/"
    #expect(
      try app.resolve(.custom(user), parameters: ["id": "5"]) == FilePath(support + "User-5"))
    #expect(
      try app.resolve(.custom(avatars), "a.png", parameters: ["id": "5"])
        == FilePath(support + "User-5/Images/Avatars/a.png"))
    #expect(app.pattern(of: avatars) == support + "User-{id}/Images/Avatars")

    let map = RoleMap([app])
    let vectors: [(path: String, role: Role, id: FilePath.Component?)] = [
      ("User-5", .custom(user), "5"), ("User-5/deep/er", .custom(user), "5"),
      ("User-Ä b/Images", .custom(user), "Ä b"), ("User-7/Images/Avatars/x", .custom(avatars), "7"),
      ("User-", .applicationSupport, nil), ("user-5", .applicationSupport, nil),
      ("Users-5", .applicationSupport, nil), ("x/User-5", .applicationSupport, nil),
    ]
    for vector in vectors {
      let path = FilePath(support + vector.path)
      #expect(map.place(of: path).role == vector.role, "\(vector.path)")
      #expect(app.parameters(of: path)["id"] == vector.id, "\(vector.path)")
    }
  }

  @Test(
    "a role that has another style's directory around it follows it", .feature("AF-09"),
    arguments: [
      (Container.Style.xdg, "/c/.local/share/User-5"), (.flatpak, "/c/data/User-5"),
      (.snap, "/c/current/.local/share/User-5"),
    ])
  func styles(_ style: Container.Style, _ path: String) throws {
    let user = try Self.user()
    let container = Container(style, root: "/c", identifier: "app").adding([user])
    #expect(try container.resolve(.custom(user), parameters: ["id": "5"]) == FilePath(path))
    #expect(container.role(of: FilePath(String(path.dropFirst(3)))) == .custom(user))
  }

  @Test(
    "a name that is given when the program runs is taken as it is", .feature("AF-10"),
    arguments: [
      ("Custom", "Custom"), ("a_b", "a_b"), (" Hidden ", " Hidden "), ("   ", "   "),
      ("Фото Альбом", "Фото Альбом"), ("Box<Int>", "Box<Int>"), ("{{x}}", "{x}"),
    ])
  func verbatim(_ text: String, _ name: String) throws {
    let role = try CustomRole("mine", directory: text)
    #expect(try Container(.xdg, root: "/c").resolve(.custom(role)).lastComponent?.string == name)
    #expect(role.parameters.isEmpty)
    #expect(role.directory.components.map(\.text) == [text])
  }

  @Test(
    "a name that no directory can have is refused", .feature("AF-10"),
    arguments: [
      "", ".", "..", "a/..", "/a", "a//b", "a/", "a\0b", "{", "}", "{x", "x}", "{X}", "{}",
      "{a}{b}",
      "{a}-{a}", "{1a}", String(repeating: "a/", count: 20) + "a",
    ])
  func refusedNames(_ text: String) {
    #expect(throws: RoleError.self) { try CustomRole("mine", directory: text) }
  }

  @Test("values that would be read as others are refused, and so is what is missing or unknown")
  func refusedValues() throws {
    let user = Role.custom(try Self.user())
    let pair = Role.custom(try CustomRole("pair", directory: "{left}-{right}"))
    let whole = Role.custom(try CustomRole("whole", directory: "{name}"))
    let container = Container(.appleSandbox, root: "/c")
    #expect(throws: DirectoryError.missingParameter("id")) { try container.resolve(user) }
    #expect(throws: DirectoryError.unknownParameter("no", user)) {
      try container.resolve(user, parameters: ["id": "5", "no": "6"])
    }
    #expect(throws: DirectoryError.unknownParameter("id", .caches)) {
      try container.resolve(.caches, parameters: ["id": "5"])
    }
    #expect(throws: DirectoryError.refusedParameter("left", "a-b")) {
      try container.resolve(pair, parameters: ["left": "a-b", "right": "c"])
    }
    #expect(
      try container.resolve(pair, parameters: ["left": "a", "right": "b-c"]) == "/c/a-b-c")
    #expect(throws: DirectoryError.refusedParameter("name", "..")) {
      try container.resolve(whole, parameters: ["name": ".."])
    }
    #expect(throws: DirectoryError.refusedPath("../x")) {
      try container.resolve(user, "../x", parameters: ["id": "5"])
    }
  }

  @Test("what values make is read as the same values", arguments: [UInt64](1...20))
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let texts = ["User-{id}", "{a}-{b}", "x{a}.y{b}.z", "{a}x", "{only}", "{a}aa{b}aa"]
    for _ in 0..<200 {
      let text = texts.randomElement(using: &random) ?? "{only}"
      let pattern = try DirectoryPattern(text)
      var values: DirectoryPattern.Values = [:]
      for parameter in pattern.parameters {
        let letters = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          Array("ax-.z").randomElement(using: &random) ?? "a"
        }
        values[parameter] = FilePath.Component(String(letters))
      }
      guard let names = try? pattern.components(values) else { continue }
      #expect(pattern.components[0].values(in: names[0]) == values, "seed \(seed): \(text)")
    }
  }

  // MARK: - Names and policies

  @Test(
    "a role needs a name that is nobody's and that nobody takes for a standard one",
    arguments: [
      "caches", "cache", "cachse", "document", "app", "temp", "", "User", "1a", "a-b", "ä",
      String(repeating: "a", count: 65),
    ])
  func names(_ name: String) {
    #expect(throws: RoleError.self) { try CustomRole(name, directory: "x") }
  }

  @Test("policies are those of the role around it where nothing else is said")
  func policies() throws {
    #expect(try CustomRole("a", directory: "A").policy == .kept)
    #expect(try CustomRole("a", in: .caches, directory: "A").policy == Role.caches.policy)
    let policy = Role.Policy(backup: .excluded, purge: .never, writer: .application)
    let role = try CustomRole("a", in: .caches, directory: "A", policy: policy)
    #expect(Role.custom(role).policy == policy)
    #expect(BackupMark.unmarked.contradicts(policy))
    #expect(
      Role.standard.filter(\.policy.isReadOnly) == [.resources]
        && Role.standard.filter(\.policy.isProtected) == [.documents, .preferences, .resources]
        && Role.standard.filter(\.policy.isPurgeable) == [.caches, .temporary]
        && Role.standard.filter(\.policy.isExcludedByMark) == [.offlineData])
  }

  @Test("a registry has each name once and knows the roles around its own")
  func registry() throws {
    let user = try Self.user()
    let avatars = try CustomRole("avatars", in: .custom(user), directory: "Avatars")
    let registry = try RoleRegistry([user, avatars])
    #expect(try Role(named: "user", among: registry) == .custom(user))
    #expect(throws: DirectoryError.unknownRole("usr", suggestion: .custom(user))) {
      try Role(named: "usr", among: registry)
    }
    #expect(throws: RoleError.duplicate("user")) { try RoleRegistry([user, user]) }
    #expect(throws: RoleError.unknownParent("avatars", parent: "user")) {
      try RoleRegistry([avatars])
    }
    let many = try (0...RoleRegistry.limit).map { try CustomRole("zz\($0)", directory: "x") }
    #expect(throws: RoleError.tooMany(limit: RoleRegistry.limit)) { try RoleRegistry(many) }
    var deep = user
    #expect(throws: RoleError.self) {
      for number in 0..<20 {
        deep = try CustomRole("zz\(number)", in: .custom(deep), directory: "x")
      }
    }
  }

  // MARK: - Files

  private func read(
    _ files: [String: String], roles: [CustomRole] = []
  ) throws -> RoleSources.Declarations {
    try withTemporaryDirectory { directory in
      for (name, text) in files {
        try directory.write(Array(text.utf8), to: FilePath(name))
      }
      return RoleSources(directories: [directory.path], roles: roles).read()
    }
  }

  @Test("files declare roles in any order, beside those of the program", .feature("AF-09", "AF-10"))
  func files() throws {
    let declared = try read(
      [
        "a.conf": """
        # Below another file's role.
        [avatars]
          in = user
        directory=Avatars
        purge = low_space

        [mine]
        directory = Custom
        read_only = yes
        """,
        "b.conf":
          "[user]\r\nin = application_support\r\ndirectory = User-{id}\r\nbackup = excluded\r\n"
          + "persists = no\r\n",
        "c.txt": "nothing of ours", ".d.conf": "[",
      ], roles: [CustomRole("code", directory: "Code")])
    #expect(declared.faults == [])
    #expect(declared.registry.roles.map(\.name) == ["avatars", "code", "mine", "user"])
    let policy = Role.Policy(
      persists: false, backup: .excluded, purge: .never, writer: .application)
    let user = try CustomRole(
      "user", in: .applicationSupport, directory: "User-{id}", policy: policy)
    #expect(declared.registry["user"] == .custom(user))
    #expect(declared.registry["mine"]?.policy.isReadOnly == true)
    let avatars = try #require(declared.registry["avatars"])
    #expect(avatars.policy.purge == .lowSpace && avatars.policy.backup == .excluded)
    #expect(
      try Container(.xdg, root: "/h").resolve(avatars, parameters: ["id": "5"])
        == "/h/.local/share/User-5/Avatars")
  }

  @Test(
    "what is wrong with a file is told with its line",
    arguments: [
      ("[a]\nx", 2), ("directory = x", 1), ("[a\n", 1), ("[a]\ncolour = red", 2),
      ("[a]\ndirectory = x\ndirectory = y", 3), ("\n[a]", 2), ("[a]\n\ndirectory = ../x", 3),
      ("[a]\ndirectory = x\nbackup = maybe", 3), ("[a]\ndirectory = x\npurge = always", 3),
      ("[a]\ndirectory = x\npersists = true", 3), ("[a]\nin = nobody\ndirectory = x", 2),
      ("[a]\nin = a\ndirectory = x", 2),
      ("[a]\nin = b\ndirectory = x\n[b]\nin = a\ndirectory = y", 5),
      ("# x\n[caches]\ndirectory = x", 2), ("[a]\ndirectory = x\n[a]\ndirectory = y", 3),
      ("[a]\ndirectory = {x", 2), ("[code]\ndirectory = x", 1), ("\u{1B}[31m", 1),
    ])
  func faults(_ text: String, _ line: Int) throws {
    let code = try CustomRole("code", directory: "Code")
    let declared = try read(["a.conf": text], roles: [code])
    let fault = try #require(declared.faults.first)
    #expect(fault.line == line, "\(fault)")
    #expect(fault.file.lastComponent == "a.conf")
    #expect(!fault.description.contains("\n") && !fault.description.contains("\u{1B}"))
    #expect(fault.description.contains("a.conf:\(line): "))
    #expect(declared.registry["code"] == .custom(code))
  }

  @Test("a file that is too long, no text, or everybody's to write is refused as a whole")
  func refusedFiles() throws {
    try withTemporaryDirectory { directory in
      let sources = RoleSources(directories: [directory.path])
      let file = directory.path.appending("a.conf")
      func expectFault(_ reason: String) {
        let declared = sources.read()
        #expect(declared.faults.map(\.line) == [nil])
        #expect(declared.faults.first?.reason.contains(reason) == true, "\(declared.faults)")
        #expect(declared.registry == .standard)
      }
      try directory.write([UInt8](repeating: UInt8(ascii: "#"), count: 2 << 20), to: "a.conf")
      expectFault("more than")
      try directory.write([0x5B, 0xFF, 0x5D], to: "a.conf")
      expectFault("UTF-8")
      try directory.write(Array("[a]\ndirectory = x".utf8), to: "a.conf")
      #expect(sources.read().faults == [])
      #expect(file.withPlatformString { chmod($0, 0o666) } == 0)
      expectFault("everybody")
    }
    #expect(RoleSources(directories: ["/nowhere/at/all"]).read().faults == [])
  }
}
