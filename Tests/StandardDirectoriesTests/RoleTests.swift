import StandardDirectories
import SystemPackage
import TestTraits
import Testing

@Suite("The role of a directory")
struct RoleMapTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let style: Container.Style
    let path: FilePath
    let role: Role?
    var testDescription: String { "\(style.rawValue) \(path)" }

    init(_ style: Container.Style, _ path: FilePath, _ role: Role?) {
      self.style = style
      self.path = path
      self.role = role
    }
  }

  static let vectors = [
    Vector(.appleSandbox, "", nil),
    Vector(.appleSandbox, "Documents", .documents),
    Vector(.appleSandbox, "Documents/a/b/c", .documents),
    Vector(.appleSandbox, "Documents2", nil),
    Vector(.appleSandbox, "documents", nil),
    Vector(.appleSandbox, "Library/Caches/x", .caches),
    Vector(.appleSandbox, "Library/Caches2/x", .library),
    Vector(.appleSandbox, "Library/Other", .library),
    Vector(.appleSandbox, "Library/Application Support/Offline Data/x", .offlineData),
    Vector(.appleSandbox, "Library/Application Support/App/Offline Data", .applicationSupport),
    Vector(.appleSandbox, "tmp/x", .temporary),
    Vector(.appleSandbox, "x/tmp", nil),
    Vector(.appGroup, "Library/Preferences", .preferences),
    Vector(.appleHome, "Library/Application Support/App/Offline Data/x", .offlineData),
    Vector(.appleHome, "Library/Application Support/Offline Data", .offlineData),
    Vector(.appleHome, "Library/Caches/com.x/Temporary Files", .temporary),
    Vector(.appleHome, "Library/Caches/com.x/Other", .caches),
    Vector(.appleHome, "tmp", nil),
    Vector(.xdg, ".cache/x", .caches),
    Vector(.xdg, ".local", nil),
    Vector(.xdg, ".local/share/app/Offline Data", .offlineData),
    Vector(.xdg, ".local/share/app/x", .applicationSupport),
    Vector(.xdg, ".local/state/x", .state),
    Vector(.xdg, ".config", .preferences),
    Vector(.xdg, "Documents/x", .documents),
    Vector(.flatpak, "cache/tmp/x", .temporary),
    Vector(.flatpak, "cache/x", .caches),
    Vector(.flatpak, "data/Offline Data", .offlineData),
    Vector(.flatpak, "config/x", .preferences),
    Vector(.snap, "common", .applicationSupport),
    Vector(.snap, "common/.cache/x", .caches),
    Vector(.snap, "current/.config", .preferences),
    Vector(.snap, "27", .applicationSupport),
    Vector(.snap, "27/.config/x", .preferences),
    Vector(.snap, "x1/.cache", .caches),
    Vector(.snap, "x1/.local/share/Offline Data", .offlineData),
    Vector(.snap, "27/Documents", .documents),
    Vector(.snap, "x/.config", nil),
    Vector(.snap, "27a/.config", nil),
  ]

  @Test("is that of the longest matching path of whole names", arguments: vectors)
  func roles(vector: Vector) {
    let container = Container(vector.style, root: "/srv/c", identifier: "app")
    #expect(container.role(of: vector.path) == vector.role)
    let place = RoleMap([container]).place(of: FilePath("/srv/c").pushing(vector.path))
    #expect(place.role == vector.role)
    #expect(place.container == 0)
    #expect(place.isContainerRoot == vector.path.isEmpty)
  }

  @Test("is found step by step, as a walk does, like by its path", arguments: vectors)
  func stepping(vector: Vector) {
    let map = RoleMap([Container(vector.style, root: "/srv/c", identifier: "app")])
    var place = map.place(of: "/srv/c")
    for component in vector.path.components {
      place = Array(component.string.utf8).withUnsafeBufferPointer {
        map.place(ofChild: $0, of: place)
      }
    }
    #expect(place == map.place(of: FilePath("/srv/c").pushing(vector.path)))
  }

  @Test("is none outside of all containers, and for a relative path")
  func outside() {
    let map = RoleMap([Container(.xdg, root: "/home/u")])
    for path in ["/", "/home", "/home/v/.cache", "/tmp", "home/u/.cache"] as [FilePath] {
      #expect(map.place(of: path).role == nil, "\(path)")
      #expect(map.place(of: path).container == nil, "\(path)")
    }
  }

  @Test("is that of the innermost container, whatever the one around it says")
  func nesting() {
    let home = Container(.xdg, root: "/home/u")
    let app = Container(.flatpak, root: "/home/u/.var/app/org.x", identifier: "org.x")
    let inCache = Container(.appleSandbox, root: "/home/u/.cache/simulator")
    for containers in [[home, app, inCache], [inCache, app, home]] {
      let map = RoleMap(containers)
      func role(_ path: FilePath) -> Role? { map.place(of: path).role }
      func owner(_ path: FilePath) -> Container? {
        map.place(of: path).container.map { map.containers[$0] }
      }
      #expect(role("/home/u/.var/app/org.x/cache/x") == .caches)
      #expect(owner("/home/u/.var/app/org.x/cache/x") == app)
      #expect(role("/home/u/.var/app/org.x/.cache") == nil)
      #expect(owner("/home/u/.var/app") == home)
      #expect(role("/home/u/.cache/other") == .caches)
      #expect(role("/home/u/.cache/simulator") == nil)
      #expect(role("/home/u/.cache/simulator/Temporary Files") == nil)
      #expect(role("/home/u/.cache/simulator/Documents") == .documents)
      #expect(map.place(of: "/home/u/.cache/simulator").isContainerRoot)
    }
  }

  @Test("of two containers with one root is the first's")
  func sameRoot() {
    let map = RoleMap([Container(.flatpak, root: "/c"), Container(.xdg, root: "/c")])
    #expect(map.place(of: "/c/cache").role == .caches)
    #expect(map.place(of: "/c/.cache").role == nil)
  }

  @Test("follows directories that the environment puts elsewhere")
  func elsewhere() throws {
    let container = try Container(
      home: .xdg,
      of: HostEnvironment(
        variables: ["HOME": "/home/u", "XDG_CACHE_HOME": "/mnt/cache", "TMPDIR": "/mnt/tmp"]))
    let map = RoleMap([container])
    #expect(map.place(of: "/mnt/cache/x").role == .caches)
    #expect(map.place(of: "/mnt/cache/x").container == 0)
    #expect(map.place(of: "/mnt/cache/app/Temporary Files").role == .temporary)
    #expect(map.place(of: "/home/u/.cache").role == nil)
    #expect(map.place(of: "/mnt/tmp").role == nil, "is shared by all programs")
    #expect(container.rules.contains { $0.pattern == "/mnt/cache" && $0.role == .caches })
  }

  @Test("compares names by bytes, also where they are not UTF-8")
  func bytes() {
    let map = RoleMap([Container(.appleSandbox, root: "/c")])
    let parent = map.place(of: "/c/Documents")
    let name: [UInt8] = [0xFF, 0xFE]
    let child = name.withUnsafeBufferPointer { map.place(ofChild: $0, of: parent) }
    #expect(child.role == .documents)
    let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    #expect(map.place(ofChild: empty, of: map.place(of: "/c")).role == nil)
  }

  @Test("is shown as a list of patterns")
  func patterns() {
    func shown(_ style: Container.Style) -> Set<String> {
      Set(
        Container(style, root: "/srv/c").rules.map {
          "\($0.pattern) \($0.role?.name ?? "-")"
        })
    }
    #expect(shown(.snap).contains("<revision>/.config preferences"))
    #expect(shown(.appleHome).contains("Library/Application Support/*/Offline Data offline_data"))
    #expect(
      shown(.appleSandbox).isSuperset(of: [
        " -", "Documents documents", "Library library", "Library/Caches caches",
        "Library/Application Support application_support", "Library/Preferences preferences",
        "Library/Application Support/Offline Data offline_data", "tmp tmp",
      ]))
  }

  @Test("is that of the rule which names every directory, before one with wildcards")
  func exactness() {
    let container = Container(.appleHome, root: "/u")
      .setting(.documents, to: ["Library/Caches/x/Temporary Files"])
    #expect(container.role(of: "Library/Caches/x/Temporary Files/y") == .documents)
    #expect(container.role(of: "Library/Caches/y/Temporary Files/y") == .temporary)
  }
}

@Suite("The policy of a role")
struct PolicyTests {
  @Test(
    "says what persists, what a backup holds and what may be purged",
    .feature("SP-01", "SP-04", "SP-06", "SB-02", "SB-03", "SB-04", "SB-05"),
    arguments: [
      (
        Role.documents, true, Role.Policy.Backup.included, Role.Policy.Purge.never,
        Role.Policy.Writer.user
      ),
      (.preferences, true, .included, .never, .settings),
      (.applicationSupport, true, .included, .never, .application),
      (.offlineData, true, .excluded, .never, .application),
      (.caches, true, .excluded, .lowSpace, .application),
      (.temporary, false, .excluded, .idle, .application),
      (.resources, true, .excluded, .never, .installer),
    ])
  func matrix(
    role: Role, persists: Bool, backup: Role.Policy.Backup, purge: Role.Policy.Purge,
    writer: Role.Policy.Writer
  ) {
    #expect(role.policy.persists == persists)
    #expect(role.policy.backup == backup)
    #expect(role.policy.purge == purge)
    #expect(role.policy.isPurgeable == (purge != .never))
    #expect(role.policy.writer == writer)
  }

  /// A file of 10, 100 … 1,000,000 bytes in each role.
  private static let sizes: [(role: Role, bytes: Int)] = [
    (.documents, 10), (.preferences, 100), (.applicationSupport, 1000), (.offlineData, 10_000),
    (.caches, 100_000), (.temporary, 1_000_000),
  ]

  @Test("adds up on the files of a container", arguments: Container.Style.allCases)
  func report(style: Container.Style) throws {
    try withDirectory { directory in
      var container = Container(style, root: directory.appending("c"), identifier: "app")
      // Nothing is written into the machine's own directory for temporary files.
      if container.availability(of: .temporary) != .inside("tmp") {
        container = container.setting(.temporary, to: ["tmp"])
      }
      if container.availability(of: .documents) == .unavailable {
        container = container.setting(.documents, to: ["docs"])
      }
      var largest = [FilePath: Int]()
      for (role, bytes) in Self.sizes {
        let file = try container.resolve(role, "some directory/file")
        try write(String(repeating: "x", count: bytes), to: file)
        largest[file] = bytes
      }
      var totals = Role.Policy.Totals()
      try add(container.root, RoleMap([container]), to: &totals)
      #expect(totals.reclaimable == 1_100_000)
      #expect(totals.backedUp == 1110)
      #expect(totals.total == 1_111_110)
      #expect(totals.contradicting == 10_000, "offline data without a mark would be backed up")
      for (role, bytes) in Self.sizes { #expect(totals.bytesByRole[role] == bytes) }
    }
  }

  private func add(_ directory: FilePath, _ map: RoleMap, to totals: inout Role.Policy.Totals)
    throws
  {
    let place = map.place(of: directory)
    for name in try LocalFiles().names(in: directory) {
      let path = directory.appending(name)
      if LocalFiles().isDirectory(path) {
        try add(path, map, to: &totals)
      } else {
        let size = try Int(path.stat(followTargetSymlink: false).size)
        totals.add(bytes: size, role: place.role, observed: .unmarked)
      }
    }
  }

  @Test("is overruled by marks on disk, which can contradict it")
  func marks() {
    var totals = Role.Policy.Totals()
    totals.add(bytes: 1, role: .documents, observed: .excluded)
    totals.add(bytes: 10, role: .documents, observed: .unmarked)
    totals.add(bytes: 100, role: .offlineData, observed: .excluded)
    totals.add(bytes: 1000, role: nil, observed: .unmarked)
    totals.add(bytes: 10_000, role: nil, observed: .excluded)
    totals.add(bytes: 100_000, role: .caches, observed: .excluded)
    #expect(totals.backedUp == 1010)
    #expect(totals.contradicting == 1)
    #expect(totals.reclaimable == 100_000)
    #expect(totals.total == 111_111)
  }

  @Test("is compared with the marks of each system")
  func attributes() {
    let apple = "com.apple.metadata:com_apple_backup_excludeItem"
    #expect(BackupMark(attribute: apple, value: []) == .excluded)
    #expect(BackupMark(attribute: "user.\(apple)", value: [1]) == .excluded)
    #expect(BackupMark(attribute: "com.apple.MobileBackup", value: [1]) == .excluded)
    #expect(BackupMark(attribute: "com.apple.MobileBackup", value: [0]) == .unmarked)
    #expect(BackupMark(attribute: "user.xdg.robots.backup", value: "false\n".utf8) == .excluded)
    #expect(BackupMark(attribute: "user.xdg.robots.backup", value: "true".utf8) == .unmarked)
    #expect(BackupMark(attribute: "user.mime_type", value: "false".utf8) == nil)
  }

  @Test("knows cache directories by the tag's beginning, not by its name")
  func cacheTag() {
    let text = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a test\n"
    #expect(CacheDirectoryTag.isTag(beginning: Array(text.utf8)))
    #expect(!CacheDirectoryTag.isTag(beginning: Array(text.utf8.prefix(42))))
    #expect(!CacheDirectoryTag.isTag(beginning: Array("\(" " + text)".utf8)))
  }
}
