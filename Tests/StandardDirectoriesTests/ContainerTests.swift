import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("A container")
struct ContainerTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let style: Container.Style
    /// The directory of each role below `/c`; absolute ones are elsewhere.
    let places: [Role: FilePath]
    var testDescription: String { style.rawValue }
  }

  static let apple: [Role: FilePath] = [
    .documents: "Documents", .library: "Library", .caches: "Library/Caches",
    .applicationSupport: "Library/Application Support", .preferences: "Library/Preferences",
    .offlineData: "Library/Application Support/Offline Data",
  ]

  static let answers = [
    Answer(style: .appleSandbox, places: apple.merging([.temporary: "tmp"]) { $1 }),
    Answer(style: .appGroup, places: apple.merging([.temporary: "tmp"]) { $1 }),
    Answer(style: .appleHome, places: apple.merging([.temporary: "/tmp"]) { $1 }),
    Answer(
      style: .xdg,
      places: [
        .documents: "Documents", .caches: ".cache", .applicationSupport: ".local/share",
        .preferences: ".config", .offlineData: ".local/share/Offline Data",
        .state: ".local/state", .temporary: "/tmp",
      ]),
    Answer(
      style: .flatpak,
      places: [
        .caches: "cache", .applicationSupport: "data", .preferences: "config",
        .offlineData: "data/Offline Data", .state: ".local/state", .temporary: "cache/tmp",
      ]),
    Answer(
      style: .snap,
      places: [
        .documents: "current/Documents", .caches: "common/.cache",
        .applicationSupport: "current/.local/share", .preferences: "current/.config",
        .offlineData: "current/.local/share/Offline Data", .state: "current/.local/state",
        .temporary: "/tmp/snap-private-tmp/snap.app/tmp",
      ]),
  ]

  @Test(
    "has directories where its style has them, and no others",
    .feature("AF-03", "AF-04", "AF-05", "AF-06", "AF-07", "SB-07", "SB-09"), arguments: answers)
  func styles(answer: Answer) throws {
    let container = Container(answer.style, root: "/c", identifier: "app")
    for role in Role.standard {
      if let place = answer.places[role] {
        #expect(try container.resolve(role) == FilePath("/c").pushing(place))
        #expect(
          container.availability(of: role)
            == (place.isAbsolute ? .outside(place) : .inside(place)))
      } else {
        #expect(container.availability(of: role) == .unavailable)
        #expect(throws: DirectoryError.unavailable(role, answer.style)) {
          try container.paths(for: role)
        }
      }
    }
  }

  @Test(
    "answers typed directories like roles", .feature("AF-13"), arguments: Container.Style.allCases)
  func typedDirectories(style: Container.Style) {
    let container = Container(style, root: "/c", identifier: "app")
    func check<F: DirectoryKind>(_ directory: StandardDirectories.Directory<F>, _ role: Role) {
      let typed = try? directory.path
      #expect(typed == (try? container.resolve(role)))
      #expect(directory.role == role)
    }
    check(container.documents, .documents)
    check(container.library, .library)
    check(container.library.caches, .caches)
    check(container.library.applicationSupport, .applicationSupport)
    check(container.library.preferences, .preferences)
    check(container.offlineData, .offlineData)
    check(container.state, .state)
    check(container.temporary, .temporary)
    check(container.resources, .resources)
  }

  @Test("has resources and other directories that are set for it", .feature("SP-06"))
  func setting() throws {
    let container = Container(.appleSandbox, root: "/c")
      .setting(.resources, to: ["/Applications/X.app", "Assets"]).setting(.documents, to: [])
    #expect(try container.paths(for: .resources) == ["/Applications/X.app", "/c/Assets"])
    #expect(try container.resources.appending("Images").path == "/Applications/X.app/Images")
    #expect(try container.resources.subpath == nil)
    #expect(container.availability(of: .documents) == .unavailable)
  }

  @Test(
    "narrowed to an application keeps support by name and caches by identifier",
    .feature("SP-02", "SP-03", "SP-05"))
  func narrowing() throws {
    let names = Container.Application(name: "My App", identifier: "com.x.myapp")
    let mac = try Container(.appleHome, root: "/u").narrowed(to: names)
    #expect(try mac.applicationSupport.path == "/u/Library/Application Support/My App")
    #expect(try mac.caches.path == "/u/Library/Caches/com.x.myapp")
    #expect(try mac.offlineData.path == "/u/Library/Application Support/My App/Offline Data")
    #expect(
      try mac.temporary.paths() == ["/tmp", "/u/Library/Caches/com.x.myapp/Temporary Files"])
    let linux = try Container(.xdg, root: "/u").narrowed(to: names)
    #expect(try linux.preferences.path == "/u/.config/My App")
    let sandbox = Container(.appleSandbox, root: "/u")
    #expect(try sandbox.narrowed(to: names) == sandbox)
    #expect(throws: DirectoryError.refusedName("../x")) {
      try Container(.xdg, root: "/u").narrowed(
        to: Container.Application(name: "../x", identifier: "x"))
    }
  }

  @Test("of a group that is not configured is an error that names it", .feature("AF-20"))
  func groups() throws {
    let groups = Container.AppGroups(["group.x": "/groups/x"])
    #expect(try groups.container("group.x").caches.path == "/groups/x/Library/Caches")
    #expect(throws: DirectoryError.unknownAppGroup("group.y")) { try groups.container("group.y") }
    #expect(DirectoryError.unknownAppGroup("group.y").description.contains("group.y"))
  }

  @Test("has roles by name only, and says which was likely meant", .feature("SB-08"))
  func roleNames() throws {
    #expect(try Role(named: "caches") == .caches)
    #expect(throws: DirectoryError.unknownRole("documentation", suggestion: .documents)) {
      try Role(named: "documentation")
    }
    #expect(throws: DirectoryError.unknownRole("Caches", suggestion: .caches)) {
      try Role(named: "Caches")
    }
    #expect(throws: DirectoryError.unknownRole("qqqqqqqq", suggestion: nil)) {
      try Role(named: "qqqqqqqq")
    }
    #expect(throws: DirectoryError.unknownStyle("dos")) { try Container.Style(named: "dos") }
  }

  @Test("fails in one line that says what is the case")
  func errors() {
    let errors: [DirectoryError] = [
      .refusedName("a\nb"), .refusedPath("../x"), .unavailable(.library, .xdg),
      .unknownRole("x", suggestion: nil), .unknownRole("cache", suggestion: .caches),
      .unknownStyle("dos"), .unknownAppGroup("g"), .unknownHome,
      .cannotCreate("/a", .permissionDenied),
    ]
    for error in errors {
      #expect(error.description.allSatisfy { !$0.isNewline }, "\(error)")
      #expect(!error.description.isEmpty)
    }
  }
}

@Suite("A home by its environment")
struct EnvironmentTests {
  private func home(
    _ variables: [String: FilePath], account: FilePath? = nil, userDirectories: String? = nil
  ) throws -> Container {
    try Container(
      home: .xdg,
      of: HostEnvironment(
        variables: variables, accountHome: account, userDirectories: userDirectories))
  }

  @Test("has the XDG directories that variables name", .feature("AF-07", "SP-05", "LX-11"))
  func variables() throws {
    let container = try home([
      "HOME": "/home/u", "XDG_CACHE_HOME": "/mnt/cache", "XDG_DATA_HOME": "/home/u/data",
      "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "TMPDIR": "/var/tmp/u/",
    ])
    #expect(try container.caches.path == "/mnt/cache")
    #expect(try container.caches.subpath == nil)
    #expect(try container.applicationSupport.subpath == "data")
    #expect(try container.offlineData.subpath == "data/Offline Data")
    #expect(try container.preferences.path == "/c")
    #expect(try container.state.path == "/s")
    #expect(try container.temporary.paths() == ["/var/tmp/u", "/mnt/cache/Temporary Files"])
    #expect(throws: DirectoryError.unavailable(.library, .xdg)) { try container.library.path }
    #expect(throws: DirectoryError.unavailable(.library, .xdg)) {
      try container.library.appending("x").path
    }
  }

  @Test(
    "ignores variables that are empty or relative", .feature("AF-07"),
    arguments: ["", "cache", "./c", "~/c", "$HOME/c"] as [FilePath])
  func ignored(value: FilePath) throws {
    let names = ["XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"]
    var variables = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
    variables["HOME"] = "/home/u"
    #expect(try home(variables) == home(["HOME": "/home/u"]))
    #expect(try home(variables).caches.path == "/home/u/.cache")
    #expect(try home(variables).temporary.path == "/tmp")
  }

  @Test(
    "is the account's where HOME is unset, empty or relative", .feature("LX-12"),
    arguments: [nil, "", "u"] as [FilePath?])
  func accountHome(value: FilePath?) throws {
    var variables: [String: FilePath] = [:]
    variables["HOME"] = value
    #expect(try home(variables, account: "/home/account").caches.path == "/home/account/.cache")
    #expect(throws: DirectoryError.unknownHome) { try home(variables) }
    #expect(throws: DirectoryError.unknownHome) { try home(variables, account: "relative") }
  }

  @Test("does not move with the environment after it was made", .feature("AF-01"))
  func stable() throws {
    var environment = HostEnvironment(variables: ["HOME": "/a"])
    let container = try Container(home: .appleHome, of: environment)
    environment.variables["HOME"] = "/b"
    #expect(try container.documents.path == "/a/Documents")
  }

  @Test("takes . and .. out of what variables say")
  func normalized() throws {
    let container = try home(["HOME": "/home/./x/../u", "XDG_CACHE_HOME": "/home/u/data/../cache"])
    #expect(container.root == "/home/u")
    #expect(container.availability(of: .caches) == .inside("cache"))
  }

  @Test("on a Mac takes nothing from XDG variables")
  func mac() throws {
    let environment = HostEnvironment(variables: [
      "HOME": "/Users/u", "XDG_CACHE_HOME": "/x", "TMPDIR": "/var/folders/t/",
    ])
    let container = try Container(home: .appleHome, of: environment)
    #expect(try container.caches.path == "/Users/u/Library/Caches")
    #expect(
      try container.temporary.paths()
        == ["/var/folders/t", "/Users/u/Library/Caches/Temporary Files"])
  }

  @Test(
    "has the documents that user-dirs.dirs names", .feature("LX-11"),
    arguments: [
      ("XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"", "/home/u/Dokumente"),
      ("# comment\n\n  XDG_DOCUMENTS_DIR = \"/mnt/docs\"  # more\n", "/mnt/docs"),
      ("XDG_DOCUMENTS_DIR=\"$HOME/Mes \\\"Docs\\\"\"", "/home/u/Mes \"Docs\""),
      ("XDG_DOCUMENTS_DIR=\"$HOME/a\"\nXDG_DOCUMENTS_DIR=\"$HOME/b\"", "/home/u/b"),
      ("XDG_DOCUMENTS_DIR=\"$HOME/../docs/./x\"", "/home/docs/x"),
      ("XDG_DOCUMENTS_DIR=\"/mnt/./a/../docs\"", "/mnt/docs"),
      ("XDG_DOCUMENTS_DIR=\"Documents2\"", "/home/u/Documents"),
      ("XDG_DOCUMENTS_DIR=$HOME/unquoted", "/home/u/Documents"),
      ("XDG_DOCUMENTS_DIR=\"$HOME/open", "/home/u/Documents"),
      ("XDG_DOCUMENTS_DIR=\"$HOMEWORK\"", "/home/u/Documents"),
      ("XDG_MUSIC_DIR=\"$HOME/Musik\"", "/home/u/Documents"),
      ("export XDG_DOCUMENTS_DIR=\"/x\"", "/home/u/Documents"),
      ("XDG_DOCUMENTS_DIR=\"$HOME/a\"\r\nXDG_MUSIC_DIR=\"/m\"\r\n", "/home/u/a"),
    ])
  func userDirectories(text: String, path: FilePath) throws {
    #expect(try home(["HOME": "/home/u"], userDirectories: text).documents.path == path)
  }

  @Test(
    "has directories inside of a root whatever user-dirs.dirs says",
    arguments: [1, UInt64.random(in: .min ... .max)])
  func damagedUserDirectories(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let text = Array(
      #"""
      # comment
      XDG_DOCUMENTS_DIR="$HOME/Mes \"Docs\""
      XDG_MUSIC_DIR = "/mnt/./a/../docs"

      """#.utf8)
    let tokens = ["$HOME", "\"", "\\", "=", "/..", "//", "\n", "\u{0}", "\u{301}", "XDG_", "_DIR"]
    for _ in 0..<500 {
      let damaged = String(decoding: random.damage(text, with: tokens), as: UTF8.self)
      let directories = try XDGDirectories(
        HostEnvironment(variables: ["HOME": "/home/u"], userDirectories: damaged))
      for directory in XDGDirectories.UserDirectory.allCases {
        let path = directories.user(directory)
        #expect(path?.isAbsolute != false, "seed \(seed): \(damaged)")
        #expect(path?.components.contains("..") != true, "seed \(seed): \(damaged)")
      }
    }
  }

  @Test(
    "has no documents where user-dirs.dirs switches them off",
    arguments: ["$HOME", "$HOME/", "/home/u/", "$HOME/x/.."])
  func switchedOff(value: String) throws {
    let container = try home(
      ["HOME": "/home/u"], userDirectories: "XDG_DOCUMENTS_DIR=\"\(value)\"")
    #expect(container.availability(of: .documents) == .unavailable)
  }

  @Test("has the other directories of the specifications")
  func directories() throws {
    let plain = try XDGDirectories(HostEnvironment(variables: ["HOME": "/u"]))
    #expect(plain.dataSearchPath == ["/usr/local/share", "/usr/share"])
    #expect(plain.configSearchPath == ["/etc/xdg"])
    #expect(plain.runtime == nil)
    #expect(plain.userDirectoriesFile == "/u/.config/user-dirs.dirs")
    #expect(plain.user(.videos) == "/u/Videos")
    let stated = try XDGDirectories(
      HostEnvironment(
        variables: [
          "HOME": "/u", "XDG_DATA_DIRS": "/a::b:/c", "XDG_RUNTIME_DIR": "/run/user/1",
        ], userDirectories: "XDG_VIDEOS_DIR=\"$HOME/Filme\""))
    #expect(stated.dataSearchPath == ["/a", "/c"])
    #expect(stated.runtime == "/run/user/1")
    #expect(stated.user(.videos) == "/u/Filme")
  }

  @Test("has the directories in which programs keep data and settings")
  func applications() throws {
    let stated = HostEnvironment(variables: [
      "HOME": "/u", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_DATA_DIRS": "/a:b:/e/../f",
    ])
    #expect(try stated.applicationData == "/d")
    #expect(try stated.applicationSettings == "/c")
    #expect(stated.sharedData == ["/d", "/a", "/f"])
    let plain = HostEnvironment(variables: ["XDG_DATA_HOME": "d"], accountHome: "/u")
    #if os(macOS)
      #expect(try plain.applicationData == "/u/Library/Application Support")
      #expect(try plain.applicationSettings == "/u/Library/Application Support")
    #else
      #expect(try plain.applicationData == "/u/.local/share")
      #expect(try plain.applicationSettings == "/u/.config")
    #endif
    #expect(plain.sharedData == ["/u/.local/share", "/usr/local/share", "/usr/share"])
    let homeless = HostEnvironment(variables: [:])
    #expect(throws: DirectoryError.unknownHome) { try homeless.applicationData }
    #expect(throws: DirectoryError.unknownHome) { try homeless.applicationSettings }
    #expect(homeless.sharedData == ["/usr/local/share", "/usr/share"])
  }

  @Test("is known of this process")
  func process() throws {
    let process = HostEnvironment.process
    #expect(try process.home.isAbsolute)
    #expect(process.userDirectories == nil)
    #expect(try HostEnvironment.ofThisProcess().home == process.home)
  }

  @Test("agrees with the system's answers, where that has some", .feature("AF-22"))
  func systemAnswers() {
    // The system asks the account and not HOME, so only the last names can be compared.
    for role in [Role.documents, .caches, .applicationSupport, .library, .temporary] {
      for path in SystemDirectories.paths(for: role) { #expect(path.isAbsolute, "\(role)") }
    }
    #expect(!SystemDirectories.paths(for: .temporary).isEmpty)
    #expect(SystemDirectories.paths(for: .offlineData).isEmpty)
    #if !canImport(Darwin)
      #expect(SystemDirectories.paths(for: .library).isEmpty)
    #endif
  }
}
