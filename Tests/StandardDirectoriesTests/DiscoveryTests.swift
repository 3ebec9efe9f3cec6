import Foundation
import StandardDirectories
import SystemPackage
import TestTraits
import Testing

@Suite("Discovering containers")
struct DiscoveryTests {
  private let first = "0A1B2C3D-0000-4000-8000-00000000000A"
  private let second = "0A1B2C3D-0000-4000-8000-00000000000b"
  private let discovery = ContainerDiscovery()

  private func plist(
    _ identifier: String, _ format: PropertyListSerialization.PropertyListFormat
  ) throws -> Data {
    try PropertyListSerialization.data(
      fromPropertyList: ["MCMMetadataIdentifier": identifier, "MCMMetadataContentClass": 2]
        as [String: Any],
      format: format, options: 0)
  }

  private let metadata = ".com.apple.mobile_container_manager.metadata.plist"

  @Test("finds Flatpak applications")
  func flatpak() throws {
    try withDirectory { home in
      try make(home.pushing(".var/app/org.x.B/config"))
      try make(home.pushing(".var/app/org.x.A"))
      try write("", to: home.pushing(".var/app/file"))
      try makeLink(home.pushing(".var/app/link"), to: "org.x.A")
      let report = discovery.search(home)
      #expect(
        report.containers == [
          Container(.flatpak, root: home.pushing(".var/app/org.x.A"), identifier: "org.x.A"),
          Container(.flatpak, root: home.pushing(".var/app/org.x.B"), identifier: "org.x.B"),
        ])
      #expect(report.failures.isEmpty)
      #expect(try report.containers.first?.caches.path == home.pushing(".var/app/org.x.A/cache"))
    }
  }

  @Test("finds snaps in both of their places, and no other directories there")
  func snap() throws {
    try withDirectory { home in
      try make(home.pushing("snap/firefox/common"))
      try make(home.pushing("snap/hello/29"))
      try makeLink(home.pushing("snap/hello/current"), to: "29")
      try make(home.pushing("snap/notes/texts"))
      try make(home.pushing(".snap/data/code/x1"))
      let found = discovery.search(home).containers
      #expect(found.map(\.identifier) == ["firefox", "hello", "code"])
      #expect(found.allSatisfy { $0.style == .snap })
      #expect(found.last?.root == home.pushing(".snap/data/code"))
    }
  }

  @Test(
    "finds sandboxes and groups of a Mac, by their metadata where there is one", .feature("AF-23"))
  func mac() throws {
    try withDirectory { home in
      try make(home.pushing("Library/Containers/com.x.app/Data/Library/Caches"))
      try make(home.pushing(FilePath("Library/Containers/\(first)/Data")))
      try write(
        plist("com.x.second", .binary),
        to: home.pushing(
          FilePath("Library/Containers/\(first)/.com.apple.containermanagerd.metadata.plist")))
      try make(home.pushing("Library/Containers/without.data"))
      try make(home.pushing("Library/Group Containers/group.x"))
      try make(home.appending("Desktop"))
      let found = discovery.search(home).containers
      #expect(
        found
          == [
            try Container(
              home: .appleHome, of: HostEnvironment(variables: ["HOME": home])),
            Container(
              .appleSandbox, root: home.pushing(FilePath("Library/Containers/\(first)/Data")),
              identifier: "com.x.second"),
            Container(
              .appleSandbox, root: home.pushing("Library/Containers/com.x.app/Data"),
              identifier: "com.x.app"),
            Container(
              .appGroup, root: home.pushing("Library/Group Containers/group.x"),
              identifier: "group.x"),
          ].filter { $0.style != .appleHome })
    }
  }

  @Test(
    "finds those of simulators with the identifiers of binary and XML property lists",
    arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func simulator(format: PropertyListSerialization.PropertyListFormat) throws {
    try withDirectory { home in
      let data = home.pushing(
        FilePath("Library/Developer/CoreSimulator/Devices/\(first)/data/Containers"))
      let app = data.pushing(FilePath("Data/Application/\(first)"))
      try write(plist("com.x.app", format), to: app.pushing(FilePath(metadata)))
      try make(data.pushing(FilePath("Data/Application/\(second)")))
      try write("no list", to: data.pushing(FilePath("Data/Application/\(second)/\(metadata)")))
      try write(
        plist("group.x", format), to: data.pushing(FilePath("Shared/AppGroup/\(first)/\(metadata)"))
      )
      let bundle = data.pushing(FilePath("Bundle/Application/\(second)"))
      try write(plist("com.x.app", format), to: bundle.pushing(FilePath(metadata)))
      try make(bundle.pushing("X.app"))
      let found = discovery.search(home).containers
      #expect(found.map(\.style) == [.appleSandbox, .appleSandbox, .appGroup])
      #expect(found.map(\.identifier) == ["com.x.app", nil, "group.x"])
      #expect(found.first?.root == app)
      #expect(try found.first?.resources.path == bundle.pushing("X.app"))
      #expect(found.last?.availability(of: .resources) == .unavailable)
    }
  }

  @Test("finds those on a device's disk once, though /var is a link")
  func device() throws {
    try withDirectory { disk in
      let mobile = disk.pushing("private/var/mobile/Containers")
      try write(
        plist("com.x.app", .binary),
        to: mobile.pushing(FilePath("Data/Application/\(first)/\(metadata)")))
      try write(
        plist("com.x.app.share", .binary),
        to: mobile.pushing(FilePath("Data/PluginKitPlugin/\(second)/\(metadata)")))
      try makeLink(disk.appending("var"), to: "private/var")
      let found = discovery.search(disk).containers
      #expect(found.map(\.identifier) == ["com.x.app", "com.x.app.share"])
    }
  }

  @Test("finds those of an unpacked backup by the names of its domains")
  func backup() throws {
    try withDirectory { backup in
      for name in ["AppDomain-com.x", "AppDomainGroup-group.x", "AppDomainPlugin-com.x.p"] {
        try make(backup.pushing(FilePath(name)).appending("Documents"))
      }
      for name in ["HomeDomain", "AppDomain-"] { try make(backup.pushing(FilePath(name))) }
      let found = discovery.search(backup).containers
      #expect(found.map(\.identifier) == ["com.x", "group.x", "com.x.p"])
      #expect(found.map(\.style) == [.appleSandbox, .appGroup, .appleSandbox])
    }
  }

  @Test("finds homes, with the documents that their user-dirs.dirs names")
  func homes() throws {
    try withDirectory { homes in
      try make(homes.pushing("anna/.cache"))
      try write(
        "XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n",
        to: homes.pushing("berta/.config/user-dirs.dirs"))
      try make(homes.pushing("carl/Library/Preferences"))
      try make(homes.pushing("carl/Desktop"))
      try make(homes.pushing("lost+found"))
      let found = discovery.homes(in: homes).containers
      #expect(found.map(\.root.lastComponent) == ["anna", "berta", "carl"])
      #expect(found.map(\.style) == [.xdg, .xdg, .appleHome])
      #expect(try found[1].documents.path == homes.pushing("berta/Dokumente"))
      #expect(try found[0].documents.path == homes.pushing("anna/Documents"))
    }
  }

  @Test("takes the environment for the home whose it is, and for no other")
  func environment() throws {
    try withDirectory { homes in
      try make(homes.pushing("me/.config"))
      try make(homes.pushing("you/.config"))
      let environment = HostEnvironment(variables: [
        "HOME": homes.appending("me"), "XDG_CACHE_HOME": "/mnt/cache",
      ])
      let mine = discovery.search(homes.appending("me"), environment: environment).containers
      let yours = discovery.search(homes.appending("you"), environment: environment).containers
      #expect(try mine.first?.caches.path == "/mnt/cache")
      #expect(try yours.first?.caches.path == homes.pushing("you/.cache"))
    }
  }

  @Test("finds nothing in an empty or missing directory, and nothing is wrong with that")
  func nothing() throws {
    try withDirectory { root in
      #expect(discovery.search(root) == ContainerDiscovery.Report())
      #expect(discovery.search(root.appending("missing")) == ContainerDiscovery.Report())
    }
  }

  /// The disk, on which a directory becomes a link right after it was looked at.
  private struct Exchanging: ContainerDiscovery.FileReader {
    let looked: FilePath
    let directory: FilePath
    let target: FilePath

    func names(in directory: FilePath) throws(Errno) -> [FilePath.Component] {
      try LocalFiles().names(in: directory)
    }

    func isDirectory(_ path: FilePath) -> Bool {
      let answer = LocalFiles().isDirectory(path)
      if path == looked {
        rename(directory.string, directory.string + "-before")
        symlink(target.string, directory.string)
      }
      return answer
    }

    func contents(of file: FilePath, atMost limit: Int) throws(Errno) -> [UInt8] {
      try LocalFiles().contents(of: file, atMost: limit)
    }

    func contents(
      of name: FilePath.Component, in directory: FilePath, atMost limit: Int
    ) throws(Errno) -> [UInt8] {
      try LocalFiles().contents(of: name, in: directory, atMost: limit)
    }
  }

  @Test("reads no metadata behind a link that a directory was exchanged for")
  func exchanged() throws {
    try withDirectory { home in
      let sandbox = home.pushing("Library/Containers/com.example.inside")
      let outside = home.pushing("outside")
      try make(sandbox.pushing("Data"))
      try make(outside.pushing("Data"))
      try write(plist("com.example.outside", .xml), to: outside.appending(metadata))
      let disk = Exchanging(
        looked: sandbox.appending("Data"), directory: sandbox, target: outside)
      let found = ContainerDiscovery(disk).search(home).containers
      #expect(found.map(\.identifier).contains("com.example.inside"))
      #expect(!found.map(\.identifier).contains("com.example.outside"))
    }
  }

  @Test("does not wait for a pipe in place of a file")
  func pipe() throws {
    try withDirectory { home in
      try make(home.pushing(".config"))
      let pipe = home.pushing(".config/user-dirs.dirs")
      try #require(pipe.withPlatformString { mkfifo($0, 0o600) } == 0)
      #expect(throws: Errno.invalidArgument) { try LocalFiles().contents(of: pipe, atMost: 9) }
      #expect(discovery.search(home).containers.map(\.style) == [.xdg])
    }
  }

  @Test("reports what could not be read, and finds the rest")
  func failure() {
    let files = BrokenFiles(
      directories: ["/h", "/h/.var/app", "/h/.var/app/org.x", "/h/snap"],
      broken: ["/h/snap": .permissionDenied])
    let report = ContainerDiscovery(files).search("/h")
    #expect(report.containers.map(\.identifier) == ["org.x"])
    #expect(report.failures.map(\.path) == ["/h/snap"])
    #expect(report.failures.first?.problem == .unsearchable(.permissionDenied))
    #expect(report.failures.first?.description.hasPrefix("/h/snap: ") ?? false)
  }
}

/// Directories that exist in thought only; some cannot be read.
private struct BrokenFiles: ContainerDiscovery.FileReader {
  let directories: Set<FilePath>
  let broken: [FilePath: Errno]

  func names(in directory: FilePath) throws(Errno) -> [FilePath.Component] {
    if let errno = broken[directory] { throw errno }
    guard directories.contains(directory) else { throw .noSuchFileOrDirectory }
    return directories.filter { $0.removingLastComponent() == directory }.compactMap(
      \.lastComponent)
  }

  func isDirectory(_ path: FilePath) -> Bool { directories.contains(path) }

  func contents(of file: FilePath, atMost limit: Int) throws(Errno) -> [UInt8] {
    throw .noSuchFileOrDirectory
  }
}
