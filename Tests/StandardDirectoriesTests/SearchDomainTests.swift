import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Search domains and resources")
struct SearchDomainTests {
  private func environment(_ variables: [String: FilePath] = [:]) -> HostEnvironment {
    HostEnvironment(variables: variables.merging(["HOME": "/home/u"]) { own, _ in own })
  }

  private func paths(
    _ role: Role, _ environment: HostEnvironment, style: Container.Style = .xdg,
    parameters: DirectoryPattern.Values = [:]
  ) throws -> [String] {
    try environment.searchPath(for: role, parameters: parameters, style: style)
      .map { "\($0.domain.rawValue) \($0.path)" }
  }

  @Test("without variables they are those of the specification and of the system's hierarchy")
  func defaults() throws {
    let plain = environment()
    #expect(
      try paths(.applicationSupport, plain)
        == ["user /home/u/.local/share", "local /usr/local/share", "system /usr/share"])
    #expect(try paths(.preferences, plain) == ["user /home/u/.config", "local /etc/xdg"])
    #expect(try paths(.caches, plain) == ["user /home/u/.cache", "system /var/cache"])
    #expect(try paths(.state, plain) == ["user /home/u/.local/state", "system /var/lib"])
    #expect(try paths(.resources, plain) == ["local /usr/local/share", "system /usr/share"])
    #expect(try paths(.documents, plain) == ["user /home/u/Documents"])
    #expect(try paths(.library, plain) == [])
    #expect(
      try paths(.temporary, environment(["TMPDIR": "/run/t"]))
        == [
          "user /run/t", "user /home/u/.cache/Temporary Files", "system /tmp", "system /var/tmp",
        ])
    #expect(try paths(.temporary, plain).first == "system /tmp")
  }

  @Test("variables are taken in their order, and what is empty or relative in them is not")
  func variables() throws {
    let stated = environment([
      "XDG_DATA_HOME": "/data/u", "XDG_CONFIG_HOME": "relative",
      "XDG_DATA_DIRS": "/usr/share::relative:/home/u/exports/share:/net/all/share:/opt/x/../y",
      "XDG_CONFIG_DIRS": "",
    ])
    #expect(
      try paths(.applicationSupport, stated)
        == [
          "user /data/u", "system /usr/share", "user /home/u/exports/share",
          "network /net/all/share", "local /opt/y",
        ])
    #expect(try paths(.preferences, stated) == ["user /home/u/.config", "local /etc/xdg"])
    #expect(
      try paths(.preferences, environment(["XDG_CONFIG_DIRS": "a:b"]))
        == ["user /home/u/.config", "local /etc/xdg"])
    #expect(throws: DirectoryError.unknownHome) {
      try HostEnvironment(variables: [:]).searchPath(for: .caches, style: .xdg)
    }
  }

  @Test("on a Mac they are the libraries of the user, the machine, the network and the system")
  func apple() throws {
    #expect(
      try paths(.caches, environment(["XDG_CACHE_HOME": "/x"]), style: .appleHome)
        == [
          "user /home/u/Library/Caches", "local /Library/Caches",
          "network /Network/Library/Caches", "system /System/Library/Caches",
        ])
  }

  @Test("a declared role has its directory in each of those of the role around it")
  func declared() throws {
    let user = try CustomRole("user", in: .applicationSupport, directory: "User-{id}/x")
    #expect(
      try paths(.custom(user), environment(), parameters: ["id": "5"])
        == [
          "user /home/u/.local/share/User-5/x", "local /usr/local/share/User-5/x",
          "system /usr/share/User-5/x",
        ])
    #expect(throws: DirectoryError.missingParameter("id")) {
      try paths(.custom(user), environment())
    }
    let own = try CustomRole("own", directory: "x")
    #expect(try paths(.custom(own), environment()) == [])
  }

  // MARK: - Resources

  @Test(
    "resources are beside the program, as it was installed or built", .feature("SP-06"),
    arguments: [
      ("/usr/local/bin/notes", ["/usr/local/share/notes", "/usr/local/bin/notes.resources"]),
      ("/usr/sbin/notes", ["/usr/share/notes", "/usr/sbin/notes.resources"]),
      ("/usr/libexec/x/notes", ["/usr/share/notes", "/usr/libexec/x/notes.resources"]),
      ("/src/.build/debug/notes", ["/src/.build/debug/notes.resources"]),
      ("/Applications/N.app/Contents/MacOS/N", ["/Applications/N.app/Contents/Resources"]),
      ("/a/../usr/bin/./notes", ["/usr/share/notes", "/usr/bin/notes.resources"]),
    ])
  func resources(_ executable: String, _ expected: [String]) throws {
    let application = try Container.Application(executable: FilePath(executable))
    #expect(application.resources == expected.map { FilePath($0) })
    let home = try Container(.xdg, root: "/home/u").narrowed(to: application)
    #expect(try home.paths(for: .resources) == application.resources)
    #expect(home.role(of: "../../usr") == nil)
    let map = RoleMap([home])
    #expect(map.place(of: FilePath(expected[0] + "/a")).role == .resources)
  }

  @Test("of several places the one that is there comes first", .feature("SP-06"))
  func found() throws {
    try withTemporaryDirectory { directory in
      let program = directory.path.pushing("bin/notes")
      let beside = directory.path.pushing("bin/notes.resources")
      let shared = directory.path.pushing("share/notes")
      let application = try Container.Application(executable: program)
      #expect(application.withFoundResources().resources == [shared, beside])
      try directory.write([], to: "bin/notes.resources/a")
      #expect(application.withFoundResources().resources == [beside, shared])
      try directory.write([], to: "share/notes/a")
      #expect(application.withFoundResources().resources == [shared, beside])
    }
    let own = try Container.Application.ofThisProcess()
    #expect(!own.name.isEmpty && !own.resources.isEmpty)
    #expect(throws: DirectoryError.refusedPath("bin/x")) {
      try Container.Application(executable: "bin/x")
    }
  }

  @Test("resources are not resolved for writing, nor made", .feature("SP-06"))
  func readOnly() throws {
    let container = Container(.appleSandbox, root: "/c").setting(.resources, to: ["/r"])
    #expect(try container.resolve(.resources, "a") == "/r/a")
    #expect(throws: DirectoryError.readOnly(.resources)) {
      try container.resolve(.resources, "a", for: .writing)
    }
    #expect(throws: DirectoryError.readOnly(.resources)) {
      try container.resources.appending("Images").create()
    }
    for role in Role.standard where role != .resources && role != .offlineData {
      guard let path = try? container.resolve(role, "a") else { continue }
      #expect(try container.resolve(role, "a", for: .writing) == path)
    }
  }

  @Test(
    "a relative path is put behind the directory, whether or not anything is there",
    .feature("SP-07"),
    arguments: Role.standard)
  func relative(_ role: Role) throws {
    let container = Container(.appleSandbox, root: "/c")
      .setting(.resources, to: ["/r"]).setting(.state, to: ["s"])
    let base = try container.resolve(role)
    #expect(try container.resolve(role, "a/b.txt") == base.pushing("a/b.txt"))
    for refused: FilePath in ["/a", "../a", "a/../../b", ""] {
      #expect(throws: DirectoryError.refusedPath(refused)) { try container.resolve(role, refused) }
    }
    #expect(try container.resolve(role, "~a") == base.appending("~a"))
  }
}
