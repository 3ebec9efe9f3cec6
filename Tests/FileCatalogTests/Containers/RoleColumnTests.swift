import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Roles of entries")
struct RoleColumnTests {
  @Test(
    "a directory has its own role, and what is in it the same",
    arguments: ContainerTree.all, Laboratory.Writing.allCases)
  func rolesOfStyles(_ tree: ContainerTree, _ writing: Laboratory.Writing) async throws {
    try await withLaboratory(tree.pieces(at: "box")) { lab in
      let root = lab.tree.path.appending("box")
      try await lab.scan([Container(tree.style, root: root)], through: writing)
      let roles = try lab.column("role")
      let containers = try lab.column("container")
      for (path, role) in tree.roles {
        for name in ["", "/file", "/link", "/Notes.rtfd"] {
          #expect(roles["box/" + path + name] == .some(role?.name), "\(path)\(name)")
          #expect(containers["box/" + path + name] == .some(root.string), "\(path)\(name)")
        }
      }
      #expect(containers["box"] == .some(root.string))
      #expect(roles["box"] == .some(nil))
      let used = try Set(lab.catalog.texts("SELECT role FROM usage_by_role"))
      #expect(used.isSuperset(of: tree.roles.compactMap(\.role?.name)))
    }
  }

  @Test("a container that is registered later gives what is known its roles at once")
  func laterRegistration() async throws {
    let sandbox = ContainerTree.all[0]
    try await withLaboratory(sandbox.pieces(at: "box")) { lab in
      try await lab.scan()
      #expect(try lab.column("role").values.allSatisfy { $0 == nil })
      let container = Container(.appleSandbox, root: lab.tree.path.appending("box"))
      #expect(try await lab.catalog.register([container]) == 1)
      #expect(try await lab.catalog.register([container]) == 0)
      let roles = try lab.column("role")
      for (path, role) in sandbox.roles {
        #expect(roles["box/\(path)"] == .some(role?.name))
      }
      let id = try #require(try await lab.catalog.containers().first).id
      try await lab.catalog.unregister(id)
      #expect(try lab.column("role").values.allSatisfy { $0 == nil })
      #expect(try lab.column("container").values.allSatisfy { $0 == nil })
      try await expectError(.containerNotFound) { try await lab.catalog.unregister(id) }
    }
  }

  @Test("a container inside another one is subject to its own rules", .feature("AF-23"))
  func nestedContainers() async throws {
    let inner: FilePath = ".var/app/org.example.Notes"
    let pieces: [Piece] = [
      .file(".cache/x"), .file(inner.appending("cache").appending("y")),
      .file(inner.appending(".cache").appending("z")),
    ]
    try await withLaboratory(pieces) { lab in
      let app = lab.tree.path.pushing(inner)
      try await lab.scan([
        Container(.xdg, root: lab.tree.path),
        Container(.flatpak, root: app, identifier: "org.example.Notes"),
      ])
      let roles = try lab.column("role")
      #expect(roles[".cache/x"] == .some("caches"))
      #expect(roles["\(inner)/cache/y"] == .some("caches"))
      #expect(roles["\(inner)/.cache/z"] == .some(nil))
      #expect(try lab.column("container")["\(inner)/cache/y"] == .some("org.example.Notes"))
      #expect(try lab.column("container")[".var/app"] == .some(lab.tree.path.string))
    }
  }

  @Test("a package can be the directory of a role itself, until it moves away")
  func packageWithRole() async throws {
    let pieces: [Piece] = [.file("bundles/My.app/Info.plist", bytes: 7), .file("data/Documents/x")]
    try await withLaboratory(pieces) { lab in
      let bundle = lab.tree.path.pushing("bundles/My.app")
      let container = Container(.appleSandbox, root: lab.tree.path.appending("data"))
        .setting(.resources, to: [bundle])
      try await lab.scan([container])
      #expect(try lab.column("kind")["bundles/My.app"] == .some("package"))
      #expect(try lab.column("role")["bundles/My.app"] == .some("resources"))
      #expect(try lab.column("role")["bundles"] == .some(nil))
      let usage = try await lab.catalog.usageByRole()
      #expect(usage.first { $0.role == .resources }?.size == 7)

      try lab.tree.rename("bundles/My.app", to: "bundles/Old.app")
      try await lab.scan()
      #expect(try lab.column("role")["bundles/Old.app"] == .some(nil))
      try lab.tree.rename("bundles/Old.app", to: "bundles/My.app")
      try await lab.scan()
      #expect(try lab.column("role")["bundles/My.app"] == .some("resources"))
    }
  }

  @Test("the policies in the file are those of the library", .feature("SP-11"))
  func policies() async throws {
    try await withTemporaryCatalog { catalog in
      let rows = try catalog.rows("SELECT * FROM roles")
      #expect(Set(rows.map { $0["role"]?.string }) == Set(Role.standard.map(\.name)))
      for row in rows {
        let role = try #require(row["role"]?.string.flatMap(Role.init(standard:)))
        #expect(row["persists"]?.integer == (role.policy.persists ? 1 : 0))
        #expect(row["backup_policy"]?.string == role.policy.backup.rawValue)
        #expect(row["purge"]?.string == role.policy.purge.rawValue)
        #expect(row["purgeable"]?.integer == (role.policy.isPurgeable ? 1 : 0))
        #expect(row["writer"]?.string == role.policy.writer.rawValue)
      }
    }
  }
}
