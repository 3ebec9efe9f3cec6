import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

@Suite("Registered containers")
struct ContainerRegistryTests {
  @Test("a container is read as it was registered, with all directories that are elsewhere")
  func roundTrip() async throws {
    let environment = HostEnvironment(
      variables: ["HOME": "/home/me", "XDG_CACHE_HOME": "/fast/cache", "TMPDIR": "/scratch"],
      userDirectories: "XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n")
    let containers = [
      try Container(home: .xdg, of: environment),
      Container(.appleSandbox, root: "/data/app", identifier: "com.example.app")
        .setting(.resources, to: ["/bundles/App.app"]).setting(.temporary, to: []),
      Container(.snap, root: "/home/me/snap/thing", identifier: "thing"),
      Container(.appGroup, root: FilePath(bytes: [0x2F, 0xFF]), identifier: "group.x"),
    ]
    try await withTemporaryCatalog { catalog in
      try await catalog.register(containers)
      let known = try await catalog.containers()
      #expect(known.count == containers.count)
      for container in containers {
        let found = try #require(known.first { $0.container.root == container.root }).container
        #expect(found.style == container.style)
        #expect(found.identifier == container.identifier)
        for role in Role.standard {
          #expect(found.availability(of: role) == container.availability(of: role), "\(role)")
        }
        #expect(Set(found.rules) == Set(container.rules))
      }
      #expect(try await catalog.register(containers) == 0)
    }
  }

  @Test("containers go by their identifier, and by their path where another one has it")
  func names() async throws {
    try await withTemporaryCatalog { catalog in
      try await catalog.register([
        Container(.appleSandbox, root: "/a", identifier: "com.example"),
        Container(.appleSandbox, root: "/b", identifier: "com.example"),
        Container(.flatpak, root: "/c", identifier: "org.only"), Container(.xdg, root: "/d"),
      ])
      let names = try await catalog.containers().map(\.name)
      #expect(names == ["com.example", "/b", "org.only", "/d"])
      #expect(try await catalog.container(named: "org.only").container.root == "/c")
      #expect(try await catalog.container(named: "/b").container.root == "/b")
      try await expectError(.ambiguousContainer) {
        _ = try await catalog.container(named: "com.example")
      }
      try await expectError(.containerNotFound) {
        _ = try await catalog.container(named: "org.onyl")
      }
    }
  }

  @Test("an identifier that looks like a path takes no other container's name")
  func pathsAsIdentifiers() async throws {
    try await withTemporaryCatalog { catalog in
      try await catalog.register([
        Container(.appleSandbox, root: "/a", identifier: "/b"), Container(.xdg, root: "/b"),
        Container(.appleSandbox, root: "/c", identifier: ""),
      ])
      #expect(try await catalog.containers().map(\.name) == ["/a", "/b", "/c"])
      #expect(try await catalog.container(named: "/b").container.root == "/b")
    }
  }

  @Test("a home is found through symbolic links, and so is what its environment names")
  func links() async throws {
    let pieces: [Piece] = [
      .directory("real/data"), .file("fast/cache/x"), .directory("hhdocs"),
      .symlink("link", to: "real"), .symlink("quick", to: "fast"),
      .symlink("real/.config", to: "../fast"),
    ]
    try await withTree(pieces) { tree in
      let link = tree.path.appending("link")
      let environment = HostEnvironment(
        variables: [
          "HOME": link, "XDG_CACHE_HOME": tree.path.pushing("real/../quick/./cache/new"),
          "XDG_DATA_HOME": link.pushing("data/../data/more"),
        ], userDirectories: "XDG_DOCUMENTS_DIR=\"$HOME/../hhdocs\"\n")
      for path in [link, tree.path.appending("real")] {
        let home = try Container(at: path, style: .xdg, environment: environment)
        #expect(home.root == tree.path.appending("real"))
        #expect(home.availability(of: .applicationSupport) == .inside("data/more"))
        #expect(
          home.availability(of: .caches) == .outside(tree.path.pushing("fast/cache/new")))
        #expect(home.availability(of: .preferences) == .outside(tree.path.appending("fast")))
        #expect(home.availability(of: .documents) == .outside(tree.path.appending("hhdocs")))
        #expect(home.availability(of: .state) == .inside(".local/state"))
      }
    }
  }

  @Test("a container at the same path is replaced and keeps its number")
  func replacement() async throws {
    try await withLaboratory([.file("cache/x"), .file("Library/Caches/y")]) { lab in
      let root = lab.tree.path
      try await lab.scan([Container(.appleSandbox, root: root)])
      let id = try await lab.catalog.container(named: root).id
      try await lab.catalog.register([Container(.flatpak, root: root, identifier: "org.x")])
      #expect(try await lab.catalog.container(named: "org.x").id == id)
      #expect(try lab.column("role")["cache/x"] == .some("caches"))
      #expect(try lab.column("role")["Library/Caches/y"] == .some(nil))
    }
  }

  @Test(
    "a directory describes itself: a home by its user-dirs.dirs, a sandbox by its property list")
  func describing() async throws {
    let list = """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>MCMMetadataIdentifier</key><string>com.example.notes</string></dict></plist>
      """
    try await withTree([.directory("home/Papers"), .directory("box/Data"), .directory("app")]) {
      tree in
      try tree.write(
        Array("XDG_DOCUMENTS_DIR=\"$HOME/Papers\"\n".utf8), to: "home/.config/user-dirs.dirs")
      try tree.write(
        Array(list.utf8), to: "box/.com.apple.containermanagerd.metadata.plist")
      let home = try Container(at: tree.path.appending("home"), style: .xdg)
      #expect(home.availability(of: .documents) == .inside("Papers"))
      let box = try Container(at: tree.path.pushing("box/Data"), style: .appleSandbox)
      #expect(box.identifier == "com.example.notes")
      #expect(try Container(at: tree.path.appending("app"), style: .flatpak).identifier == "app")
      try await expectError(.rootNotFound) {
        _ = try Container(at: tree.path.appending("nowhere"), style: .xdg)
      }
    }
  }
}
