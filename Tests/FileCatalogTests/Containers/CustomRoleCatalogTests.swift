import FileCatalog
import FileCoordination
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Declared roles in a catalog")
struct CustomRoleCatalogTests {
  private static let support = "Library/Application Support/"

  private static let pieces: [Piece] = [
    .file(FilePath(support + "User-5/notes.txt"), bytes: 100),
    .file(FilePath(support + "User-5/Avatars/me.png"), bytes: 20),
    .file(FilePath(support + "User-5/Avatars/Sub.rtfd/TXT.rtf"), bytes: 4),
    .file(FilePath(support + "User-Zoë/notes.txt"), bytes: 1000),
    .file(FilePath(support + "Other/notes.txt"), bytes: 3),
    .file("Library/Caches/me.png", bytes: 7), .file("Custom/a", bytes: 10_000),
  ]

  private static func roles() throws -> [CustomRole] {
    let marked = Role.Policy(backup: .excluded, purge: .never, writer: .application)
    let user = try CustomRole(
      "user", in: .applicationSupport, directory: "User-{id}", policy: marked)
    return [
      user, try CustomRole("avatars", in: .custom(user), directory: "Avatars"),
      try CustomRole("custom", directory: "Custom"),
    ]
  }

  /// Scans the tree as a sandbox by a catalog with these declarations.
  private func scan(
    _ tree: TemporaryDirectory, _ roles: RoleSources, at path: FilePath,
    registering: Bool = true
  ) async throws -> Catalog {
    let catalog = try Catalog(at: path, roles: roles)
    var request = ScanRequest()
    if registering { request.containers = [Container(.appleSandbox, root: tree.path)] }
    _ = try await catalog.scan([tree.path], request: request)
    try await expectSound(catalog)
    return catalog
  }

  private func names(_ query: String, _ catalog: Catalog) async throws -> [String] {
    try await catalog.entries(matching: Query(parsing: query))
      .compactMap { $0.path.lastComponent?.string }.sorted()
  }

  @Test(
    "give directories their roles with the scan, for queries, reports and rows",
    .feature("AF-09", "AF-10"))
  func scanning() async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { place in
        let roles = RoleSources(roles: try Self.roles())
        let catalog = try await scan(tree, roles, at: place("c.sqlite"))
        #expect(
          try await catalog.roleRegistry().roles.map(\.name) == ["avatars", "custom", "user"])
        #expect(
          try await names("role:user", catalog)
            == ["User-5", "User-Zoë", "notes.txt", "notes.txt"])
        #expect(try await names("role:Avatars kind:file", catalog) == ["me.png"])
        #expect(try await names("role:custom", catalog) == ["Custom", "a"])
        #expect(try await names("backup:excluded notes", catalog) == ["notes.txt", "notes.txt"])

        let usage = try catalog.rows("SELECT * FROM usage_by_role WHERE role = 'user'")
        #expect(usage.map { $0["size"]?.integer } == [1100])
        #expect(usage.map { $0["backup_policy"]?.string } == ["excluded"])
        let sums = try await catalog.usageByRole()
        #expect(sums.first { $0.role?.name == "avatars" }?.size == 24)
        #expect(sums.reduce(0) { $0 + $1.size } == 11_134)
        #expect(sums.first { $0.role?.name == "user" }?.backedUp == 0)
        let told = try catalog.rows("SELECT * FROM roles WHERE role = 'avatars'")
        #expect(told.map { $0["parent_role"]?.string } == ["user"])
        #expect(told.map { $0["directory_pattern"]?.string } == ["Avatars"])

        let file = tree.path.pushing(FilePath(Self.support + "User-Zoë/notes.txt"))
        let entry = try #require(try await catalog.entry(at: file))
        #expect(entry.role == .custom(try Self.roles()[0]))
        #expect(entry.backupPolicy == .excluded)
        let details = try await catalog.details(of: file)
        #expect(details.roleParameters == ["id": "Zoë"])
        #expect(details.value(of: .role) == .text(Array("user".utf8)))
        let directory = file.removingLastComponent().removingLastComponent()
        #expect(try await catalog.details(of: directory).roleParameters.isEmpty)
        try catalog.close()
      }
    }
  }

  @Test(
    "a declaration that changes takes effect with the next scan, and one that goes leaves no trace",
    .feature("AF-09"), arguments: [true, false])
  func changes(quick: Bool) async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { place in
        let path = place("c.sqlite")
        try await scan(tree, .none, at: path).close()
        let declared = RoleSources(roles: try Self.roles())
        let catalog = try Catalog(at: path, roles: declared)
        #expect(try await catalog.count(of: Query(parsing: "role:user")) == 0)
        #expect(
          try await catalog.unknownWords(in: Query(parsing: "role:user OR role:tmp")).map(\.word)
            == ["user"])
        var request = ScanRequest()
        request.thoroughness = quick ? .quick : .full
        _ = try await catalog.scan([tree.path], request: request)
        try await expectSound(catalog)
        #expect(try await catalog.count(of: Query(parsing: "role:user")) == 4)
        let places = try catalog.rows("SELECT place_id FROM usage_by_container WHERE role = 'user'")
        try catalog.close()

        // The number of a place stays as long as its role is declared.
        var other = try Self.roles()
        other[0] = try CustomRole("user", in: .applicationSupport, directory: "User-{name}")
        other[1] = try CustomRole("pictures", in: .custom(other[0]), directory: "Avatars")
        let changed = try await scan(
          tree, RoleSources(roles: other), at: path, registering: false)
        #expect(
          try changed.rows("SELECT place_id FROM usage_by_container WHERE role = 'user'") == places)
        #expect(try await names("role:pictures kind:file", changed) == ["me.png"])
        #expect(try await changed.count(of: Query(parsing: "role:avatars")) == 0)
        #expect(try await changed.count(of: Query(parsing: "role:user backup:included")) == 4)
        try changed.close()

        let none = try await scan(tree, .none, at: path, registering: false)
        #expect(try await none.roleRegistry() == .standard)
        #expect(try await none.count(of: Query(parsing: "role:application_support notes")) == 3)
        #expect(try none.rows("SELECT * FROM roles WHERE directory_pattern IS NOT NULL").isEmpty)
        let fresh = try await scan(tree, .none, at: place("fresh.sqlite"))
        #expect(try await none.usageByRole().map(\.size) == fresh.usageByRole().map(\.size))
        try none.close()
        try fresh.close()
      }
    }
  }

  @Test("a fault in a declaration changes no role, and is told")
  func faults() async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { place in
        let sources = RoleSources(directories: [place("roles.d")])
        let good = "[user]\nin = application_support\ndirectory = User-{id}\n"
        try place.write(good, to: "roles.d/a.conf")
        let catalog = try await scan(tree, sources, at: place("c.sqlite"))
        #expect(catalog.roleFaults.isEmpty)
        try place.write(good + "[x]\ndirectory = ..\n", to: "roles.d/a.conf")
        _ = try await catalog.scan()
        #expect(catalog.roleFaults.map(\.line) == [5])
        #expect(try await catalog.count(of: Query(parsing: "role:user")) == 7)
        try place.write("[other]\ndirectory = Custom\n", to: "roles.d/a.conf")
        _ = try await catalog.scan()
        #expect(catalog.roleFaults.isEmpty)
        #expect(try await catalog.roleRegistry().roles.map(\.name) == ["other"])
        #expect(try await catalog.count(of: Query(parsing: "role:other")) == 2)
        try catalog.close()
      }
    }
  }

  @Test("a container that is registered later has the roles that were declared before")
  func laterContainer() async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { place in
        let catalog = try await scan(
          tree, RoleSources(roles: try Self.roles()), at: place("c.sqlite"), registering: false)
        #expect(try await catalog.count(of: Query(parsing: "role:user")) == 0)
        let container = Container(.appleSandbox, root: tree.path)
        #expect(try await catalog.register([container]) == 1)
        #expect(try await catalog.register([container]) == 0)
        #expect(try await catalog.count(of: Query(parsing: "role:user")) == 4)
        let registered = try #require(try await catalog.containers().first)
        #expect(registered.container == container.adding(try Self.roles()))
        try await expectSound(catalog)
        try catalog.close()
      }
    }
  }

  @Test("rows of declared roles that make no sense are left out")
  func damagedRows() async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { place in
        let catalog = try await scan(
          tree, RoleSources(roles: try Self.roles()), at: place("c.sqlite"))
        try catalog.close()
        for damage in [
          "UPDATE _role_policies SET directory = '../..' WHERE name = 'user'",
          "UPDATE _role_policies SET parent_id = id WHERE name = 'user'",
          "UPDATE _role_policies SET backup = 'perhaps' WHERE name = 'user'",
          "UPDATE _role_policies SET name = 'cachse' WHERE name = 'user'",
        ] {
          let copy = place("copy.sqlite")
          try place.write(place.bytes(of: "c.sqlite"), to: "copy.sqlite")
          let sqlite = try CommandRunner("sqlite3").run([copy.string, damage])
          #expect(sqlite.status == 0, "\(sqlite.errors)")
          let damaged = try Catalog(at: copy, roles: RoleSources(roles: try Self.roles()))
          #expect(try await damaged.roleRegistry().roles.map(\.name) == ["custom"], "\(damage)")
          _ = try await damaged.scan()
          #expect(try await damaged.roleRegistry().roles.count == 3, "\(damage)")
          #expect(try await damaged.count(of: Query(parsing: "role:user")) == 4, "\(damage)")
          try damaged.close()
        }
      }
    }
  }

  // MARK: - What is only read

  @Test(
    "what is only read is not written, moved, deleted or made through the catalog's coordinator",
    .feature("SP-06"))
  func readOnly() async throws {
    let pieces: [Piece] = [
      .file("app/Documents/a"), .file("app/Bundle/icon.png", bytes: 5),
      .file("app/Shared/templates/t"),
    ]
    try await withTree(pieces) { tree in
      try await withTemporaryDirectory { place in
        let policy = Role.Policy(backup: .excluded, purge: .never, writer: .installer)
        let templates = try CustomRole("templates", directory: "Shared/{kind}", policy: policy)
        let app = tree("app")
        let container = Container(.appleSandbox, root: app).setting(.resources, to: ["Bundle"])
        let catalog = try Catalog(
          at: place("c.sqlite"), roles: RoleSources(roles: [templates]))
        var request = ScanRequest()
        request.containers = [container]
        _ = try await catalog.scan([tree.path], request: request)
        let coordinator = catalog.coordinator()
        let icon = tree("app/Bundle/icon.png")
        func expectRefused(
          _ path: FilePath, sourceLocation: SourceLocation = #_sourceLocation,
          _ body: () async throws -> Void
        ) async {
          do {
            try await body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
          } catch {
            let error = error as? CoordinationError
            #expect(error?.code == .readOnly, sourceLocation: sourceLocation)
            #expect(error?.path == path, sourceLocation: sourceLocation)
          }
        }
        await expectRefused(icon) { try await coordinator.write([1], to: icon) }
        await expectRefused(icon) { try await coordinator.update(at: icon) { $0 + [1] } }
        let new = tree("app/Bundle/new")
        await expectRefused(new) { try await coordinator.write([1], to: new) }
        await expectRefused(new) { try await coordinator.createDirectory(at: new) }
        let template = tree("app/Shared/templates/t")
        await expectRefused(template) { try await coordinator.write([1], to: template) }
        await expectRefused(icon) {
          try await coordinator.move(icon, to: tree("app/Documents/icon.png"))
        }
        for path in [icon, tree("app/Bundle"), app] {
          let results = await coordinator.delete([path], .permanent)
          guard case .failed(let error)? = results.first?.outcome else {
            Issue.record("\(path): \(results)")
            continue
          }
          #expect(error.code == .readOnly, "\(path): \(error)")
        }
        #expect(try await coordinator.read(icon).count == 5)
        #expect(try tree.bytes(of: "app/Bundle/icon.png").count == 5)
        // What is beside it is the application's.
        try await coordinator.write([1], to: tree("app/Documents/a"))
        try await coordinator.createDirectory(at: tree("app/Bundles"))

        let table = try DirectoryTable(.resources, of: container)
        #expect(try table.items().map(\.name) == ["icon.png"])
        await #expect(throws: DirectoryError.readOnly(.resources)) {
          _ = try await table.deleteContents(.permanent)
        }
        #expect(throws: DirectoryError.readOnly(.resources)) {
          _ = try DirectoryTable(.resources, "more", of: container, ifMissing: .create)
        }
        try catalog.close()
      }
    }
  }

  // MARK: - Tables and lookups

  @Test("a table is that of a role with parameters and a part of it", .feature("JB-02"))
  func tables() async throws {
    try await withTree(Self.pieces) { tree in
      let user = Role.custom(try Self.roles()[0])
      let container = Container(.appleSandbox, root: tree.path)
      let table = try DirectoryTable(user, of: container, parameters: ["id": "5"])
      #expect(table.role == user)
      #expect(try table.items().map(\.name) == ["Avatars", "notes.txt"])
      let part = try DirectoryTable(user, "Avatars", of: container, parameters: ["id": "5"])
      #expect(try part.items().map(\.name).contains("me.png"))
      #expect(throws: DirectoryError.missingParameter("id")) {
        _ = try DirectoryTable(user, of: container)
      }
      let observed = try await ObservedDirectory(
        user, "New", of: container, parameters: ["id": "9"], ifMissing: .create)
      #expect(
        await observed.table.path == tree.path.pushing(FilePath(Self.support + "User-9/New")))
      await observed.stop()
    }
  }

  @Test(
    "a lookup is about a role, a container, a directory or an absolute path; ~ is a letter",
    .feature("SP-42"))
  func lookupScopes() async throws {
    let pieces: [Piece] = [
      .file("one/Documents/icon.png"), .file("one/Library/Caches/icon@2x.png"),
      .file("two/Documents/icon@3x.png"), .file("two/Documents/~icon.png"), .file("icon~ipad.png"),
      .file("one/Documents/in/icon.png"),
    ]
    try await withLaboratory(pieces) { lab in
      let containers = ["one", "two"].map {
        Container(.appleSandbox, root: lab.tree(FilePath($0)), identifier: $0)
      }
      try await lab.scan(containers)
      let catalog = lab.catalog
      let ids = try await catalog.containers().map(\.id)
      func found(
        _ name: FilePath, in directory: FilePath? = nil, role: Role? = nil,
        container: ContainerID? = nil
      ) async throws -> [String?] {
        try await catalog.assets(
          named: name, on: AssetLookup.Device(idiom: .pad, scale: .two), in: directory, role: role,
          container: container
        ).map { lab.relative($0.path.bytes) }
      }
      #expect(try await found("icon").count == 5)
      #expect(
        try await found("icon", role: .documents)
          == ["two/Documents/icon@3x.png", "one/Documents/icon.png", "one/Documents/in/icon.png"])
      #expect(
        try await found("icon", role: .caches) == ["one/Library/Caches/icon@2x.png"])
      #expect(try await found("icon", container: ids[1]) == ["two/Documents/icon@3x.png"])
      #expect(try await found("icon", role: .caches, container: ids[1]) == [])
      #expect(
        try await found("icon", in: lab.tree("one/Documents/in"), role: .documents)
          == ["one/Documents/in/icon.png"])
      let absolute = lab.tree("one/Documents/icon")
      #expect(try await found(absolute, role: .documents).first == "one/Documents/icon.png")
      #expect(try await found(absolute, role: .caches) == [])
      #expect(try await found("~icon", role: .documents) == ["two/Documents/~icon.png"])
      #expect(try await found("~/icon") == [])
    }
  }

  @Test(
    "what is found says where it is and how many pixels make a point: on phones -hd says two",
    .feature("SP-51"),
    arguments: [
      (Idiom?.some(.phone), 2.0, "b-hd.png", 2.0), (.pad, 2, "b-hd.png", 1),
      (nil, 2, "c@1.5x.png", 1.5), (.phone, 3, "c@1.5x.png", 1.5), (.desktop, 1, "b-hd.png", 1),
      (.phone, 1, "d-hd@3x.png", 3), (.pad, 1, "a.png", 1), (.phone, 2, "a.png", 1),
    ])
  func scales(_ idiom: Idiom?, _ scale: Double, _ name: String, _ expected: Double) async throws {
    let names = ["a.png", "b-hd.png", "c@1.5x.png", "d-hd@3x.png"]
    try await withLaboratory(names.map { .file(FilePath("art/" + $0)) }) { lab in
      try await lab.scan()
      let device = AssetLookup.Device(idiom: idiom, scale: try #require(AssetScale(scale)))
      let match = try #require(
        try await lab.catalog.assets(named: FilePath(name), on: device).first, "\(name)")
      #expect(match.path == lab.tree(FilePath("art/" + name)))
      #expect(match.scale.value == expected)
      #expect(match.variant.scale(on: idiom) == match.scale)
    }
  }
}
