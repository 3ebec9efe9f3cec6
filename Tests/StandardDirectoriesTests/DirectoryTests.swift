import StandardDirectories
import SystemPackage
import TestTraits
import Testing

private struct John: DirectoryKind {}
private struct John_Doe: DirectoryKind {}
private struct Images_Cache: ParameterlessDirectoryKind {}
private struct CoreData: ParameterlessDirectoryKind {}
private struct _Hidden: DirectoryKind {}
private struct ___: DirectoryKind {}
private struct User2_Files: DirectoryKind {}
private struct Фото_Альбом: DirectoryKind {}
private struct Box<Content>: DirectoryKind {}
private struct My_Type {}
private struct Directory: DirectoryKind {}
private enum Alba { struct Belba: DirectoryKind {} }
private enum Library { struct Caches: DirectoryKind {} }
private class Movies: DirectoryKind, @unchecked Sendable {}
private final class Science_Fiction: Movies, @unchecked Sendable {}
private struct Henry: DirectoryKind { let directoryName = "Henry Goals Collection" }
private struct UserDirectory: DirectoryKind {
  let id: Int
  var directoryName: String { "User-\(id)" }
}

@Suite("The name of a directory")
struct DirectoryNameTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let kind: any DirectoryKind
    let name: String
    var testDescription: String { name }

    init(_ kind: any DirectoryKind, _ name: String) {
      self.kind = kind
      self.name = name
    }
  }

  @Test(
    "is the one of its type, with spaces for underscores, unless it is stated",
    .feature("AF-09", "AF-10", "AF-14", "AF-15", "AF-24"),
    arguments: [
      Vector(John(), "John"), Vector(John_Doe(), "John Doe"),
      Vector(Container.ApplicationSupport(), "Application Support"),
      Vector(Images_Cache(), "Images Cache"), Vector(CoreData(), "CoreData"),
      Vector(Library.Caches(), "Caches"), Vector(Alba.Belba(), "Belba"),
      Vector(_Hidden(), " Hidden"), Vector(___(), "   "), Vector(User2_Files(), "User2 Files"),
      Vector(Фото_Альбом(), "Фото Альбом"), Vector(Box<Int>(), "Box<Int>"),
      Vector(Box<My_Type>(), "Box<My Type>"), Vector(Directory(), "Directory"),
      Vector(Movies(), "Movies"), Vector(Science_Fiction(), "Science Fiction"),
      Vector(Henry(), "Henry Goals Collection"), Vector(Container.Temporary(), "tmp"),
      Vector(Container.Subdirectory("Custom"), "Custom"),
      Vector(Container.Subdirectory("a_b"), "a_b"),
      Vector(Container.Subdirectory(""), ""), Vector(UserDirectory(id: 5), "User-5"),
    ])
  func naming(vector: Vector) {
    #expect(vector.kind.directoryName == vector.name)
  }

  @Test("derived from a type's name ends at the first space", .feature("AF-14"))
  func firstSpace() {
    #expect(DirectoryName.derived(fromTypeName: "Pair<A_B, C>") == "Pair<A B,")
    #expect(DirectoryName.derived(fromTypeName: "Application_Support") == "Application Support")
  }

  @Test(
    "is refused when it would lead elsewhere", .feature("AF-16"),
    arguments: ["", ".", "..", "a/b", "/", "a\0b"])
  func refusal(name: String) {
    let container = Container(.appleSandbox, root: "/data")
    #expect(throws: DirectoryError.refusedName(name)) { try DirectoryName.check(name) }
    #expect(throws: DirectoryError.refusedName(name)) {
      try container.caches.appending(name).path
    }
    #expect(throws: DirectoryError.refusedName(name)) {
      try container.appending(name).appending("inner").subpath
    }
  }

  @Test(
    "keeps spaces at its ends, and bytes as they are", .feature("AF-16"),
    arguments: [" a ", "...", "é", "e\u{301}"])
  func kept(name: String) throws {
    let path = try Container(.xdg, root: "/home/u").caches.appending(name).path
    #expect(Array(path.string.utf8) == Array("/home/u/.cache/\(name)".utf8))
  }
}

@Suite("A directory of a container")
struct DirectoryTests {
  private let home = Container(.appleHome, root: "/home/u")

  @Test(
    "is named by the directories on the way",
    .feature("AF-03", "AF-04", "AF-05", "AF-06", "AF-09", "AF-10", "AF-11", "AF-12", "AF-16"))
  func subpaths() throws {
    #expect(try home.documents.subpath == "Documents")
    #expect(try home.library.subpath == "Library")
    #expect(try home.library.caches.subpath == "Library/Caches")
    #expect(try home.library.applicationSupport.subpath == "Library/Application Support")
    #expect(try home.library.preferences.subpath == "Library/Preferences")
    #expect(try home.offlineData.subpath == "Library/Application Support/Offline Data")
    #expect(
      try home.applicationSupport.appending(UserDirectory(id: 5)).subpath
        == "Library/Application Support/User-5")
    #expect(
      try home.applicationSupport.appending("Custom").subpath
        == "Library/Application Support/Custom")
    #expect(
      try home.appending("Dir1").appending("Dir2").appending("Dir3").subpath == "Dir1/Dir2/Dir3")
    #expect(
      try home.applicationSupport.appending(CoreData.self).path
        == "/home/u/Library/Application Support/CoreData")
  }

  @Test("remembers what is around it, by type", .feature("AF-08", "AF-11", "AF-18"))
  func ancestors() {
    let comedy = home.appending(Movies()).appending("Comedy").appending(Henry())
    #expect(comedy.ancestors.count == 2)
    #expect(comedy.ancestors.first is Movies)
    #expect(comedy.name == "Henry Goals Collection")
    #expect(home.library.caches.ancestors.last is Container.Library)
  }

  @Test("has a URL in which everything but plain characters is escaped", .feature("AF-17", "AF-19"))
  func url() throws {
    let images = home.caches.appending(Images_Cache.self)
    #expect(try images.path == "/home/u/Library/Caches/Images Cache")
    #expect(try images.url == "file:///home/u/Library/Caches/Images%20Cache/")
    #expect(try Container(.xdg, root: "/").appending("ä%#?").url == "file:///%C3%A4%25%23%3F/")
  }

  @Test("has the role of the innermost standard directory")
  func role() {
    #expect(home.caches.appending("x").role == .caches)
    #expect(home.library.role == .library)
    #expect(home.appending("x").role == nil)
  }

  @Test("contains what a relative path leads to", .feature("SP-07", "SB-06"))
  func resolving() throws {
    #expect(try home.documents.resolving("items.archive") == "/home/u/Documents/items.archive")
    #expect(try home.resolve(.documents, "a/b.txt") == "/home/u/Documents/a/b.txt")
    #expect(try home.resolve(.documents, "./a//b.txt") == "/home/u/Documents/a/b.txt")
    #expect(try home.resolve(.caches) == "/home/u/Library/Caches")
  }

  @Test(
    "contains nothing that a path leads to that leaves it", .feature("SP-07"),
    arguments: ["", ".", "/etc/passwd", "..", "../x", "a/../../x", "a/.."] as [FilePath])
  func escaping(path: FilePath) {
    #expect(throws: DirectoryError.refusedPath(path)) { try home.resolve(.documents, path) }
    #expect(throws: DirectoryError.refusedPath(path)) { try home.documents.resolving(path) }
  }

  @Test("is found in any root", .feature("AF-02"))
  func anyRoot() throws {
    let local = Container(.appleSandbox, root: "/usr/local/bin/")
    #expect(try local.documents.path == "/usr/local/bin/Documents")
    #expect(try local.caches.path == "/usr/local/bin/Library/Caches")
  }
}

@Suite("Making a directory")
struct CreationTests {
  @Test("makes those around it, for the owner only, and may be repeated", .feature("SP-08"))
  func creation() throws {
    try withDirectory { root in
      let images = Container(.appleSandbox, root: root.appending("new")).caches.appending("Images")
      let path = try images.create()
      #expect(path == root.pushing("new/Library/Caches/Images"))
      #expect(LocalFiles().isDirectory(path))
      #expect(try path.stat().permissions == .ownerReadWriteExecute)
      #expect(try images.create() == path)
    }
  }

  @Test("is not done by naming one", .feature("AF-21"))
  func noSideEffect() throws {
    try withDirectory { root in
      let container = Container(.appleSandbox, root: root)
      _ = try container.caches.appending("Images").path
      _ = try container.resolve(.documents, "a/b")
      _ = container.rules
      #expect(try LocalFiles().names(in: root).isEmpty)
    }
  }

  @Test("fails with the system's reason where a file is in the way", .feature("SP-02"))
  func obstacle() throws {
    try withDirectory { root in
      try write("x", to: root.appending("Library"))
      let caches = Container(.appleSandbox, root: root).caches
      #expect(throws: DirectoryError.cannotCreate(root.pushing("Library"), .fileExists)) {
        try caches.create()
      }
    }
  }

  @Test("accepts a link to a directory")
  func linkToDirectory() throws {
    try withDirectory { root in
      try make(root.appending("elsewhere"))
      try makeLink(root.appending("Documents"), to: "elsewhere")
      #expect(
        try Container(.appleSandbox, root: root).documents.create() == root.pushing("Documents"))
    }
  }
}
