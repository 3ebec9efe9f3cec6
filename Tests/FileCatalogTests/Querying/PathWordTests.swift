import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

/// What words with a slash find, and where `path:` looks.
@Suite("Paths in queries")
struct PathWordTests {
  static let files: [FilePath] = [
    "src/main.c", "src/lib/a.h", "src/lib/b.c", "mysrc/main.c", "src2/main.c", "x/src/main.cpp",
    "x/a*b/c",
  ]

  /// Queries in which `TREE` is the root, and the paths below it that they find.
  static let queries: [(String, Set<String>)] = [
    ("src/main.c", ["src/main.c", "x/src/main.cpp"]),
    ("src/main", ["src/main.c", "x/src/main.cpp"]),
    ("rc/main", []), ("SRC/Main.C", ["src/main.c", "x/src/main.cpp"]),
    ("case:yes SRC/Main.C", []),
    ("name:=src/main.c", ["src/main.c"]), ("src/*.c", ["src/main.c"]),
    ("name:src/*.c", ["src/main.c"]), ("src/*.{c,cpp}", ["src/main.c", "x/src/main.cpp"]),
    ("src/**.c", ["src/main.c", "src/lib/b.c"]),
    ("src/**/*.[ch]", ["src/main.c", "src/lib/a.h", "src/lib/b.c"]),
    ("**/lib/*.h", ["src/lib/a.h"]), ("*/lib/*.h", ["src/lib/a.h"]),
    ("src/lib/", ["src/lib/a.h", "src/lib/b.c"]),
    ("src/l*/", ["src/lib"]), (#"a\*b/c"#, ["x/a*b/c"]), (#"x/a\*b/*"#, ["x/a*b/c"]),
    ("TREE/src/main.c", ["src/main.c"]),
    ("TREE/*/main.c", ["src/main.c", "mysrc/main.c", "src2/main.c"]),
    ("TREE/x", ["x", "x/src", "x/src/main.cpp", "x/a*b", "x/a*b/c"]), ("/src/main.c", []),
    ("name:=TREE/src/lib", ["src/lib"]), ("TREE/x/*/", ["x/src", "x/a*b"]),
    ("path:main", ["src/main.c", "mysrc/main.c", "src2/main.c", "x/src/main.cpp"]),
    ("path:rc/main", ["src/main.c", "mysrc/main.c", "x/src/main.cpp"]),
    ("path:src/*", ["src/main.c", "src/lib"]),
    ("path:src/**", ["src/main.c", "src/lib", "src/lib/a.h", "src/lib/b.c"]),
    ("path:TREE/src/lib", ["src/lib", "src/lib/a.h", "src/lib/b.c"]), ("path:TREE/*.c", []),
    ("path:=src/lib", ["src/lib"]), ("path:=TREE/src/lib", ["src/lib"]), ("path:/src", []),
    ("src/main.c !x/src", ["src/main.c"]), ("regex:src/main", []),
    ("pathregex:^src/main", ["src/main.c"]), (#"{src,x}/"main.c""#, ["src/main.c"]),
  ]

  @Test("find what they name, and print as they are meant")
  func query() async throws {
    try await withLaboratory(Self.files.map { .file($0) }) { lab in
      try await lab.scan()
      let root = lab.tree.path.string
      for (text, expected) in Self.queries {
        let query = try Query(parsing: text.replacing("TREE", with: root))
        let found = try await lab.catalog.entries(matching: query).map(\.path)
        #expect(Set(found.compactMap { lab.relative($0.bytes) }) == expected, "\(query)")
        #expect(try Query(parsing: query.description) == query)
      }
    }
  }

  @Test("several directories are looked in together, down to a level")
  func scopes() async throws {
    try await withLaboratory(Self.files.map { .file($0) }) { lab in
      try await lab.scan()
      func found(_ directories: [FilePath], _ levels: Int?) async throws -> Set<String> {
        let scope = TableRequest.Scope.subtrees(
          of: directories.map { lab.tree.path.pushing($0) },
          levels: levels.map { .atMost(Int64($0)) })
        let paths = try await lab.catalog.entries(matching: Query(), in: scope).map(\.path)
        let count = try await lab.catalog.count(of: Query(), in: scope)
        #expect(count == paths.count)
        return Set(paths.map { lab.relative($0.bytes) ?? "" })
      }
      #expect(
        try await found(["src2", "mysrc"], nil) == ["src2", "src2/main.c", "mysrc", "mysrc/main.c"])
      #expect(
        try await found(["src", "src/lib"], 1) == [
          "src", "src/main.c", "src/lib", "src/lib/a.h", "src/lib/b.c",
        ])
      #expect(try await found(["src", "x/src"], 0) == ["src", "x/src"])
      #expect(try await found([""], 1) == ["", "src", "mysrc", "src2", "x"])
      #expect(try await found(["src"], .max).count == 5)
      #expect(try await found([], nil).isEmpty)
    }
  }

  @Test(
    "words for what the catalog does not know are told, with the nearest",
    arguments: [
      ("type:public.jpg", "type", "public.jpeg"), ("is:jpeg", "is", "public.jpeg"),
      ("a OR !(is:public.imgae b)", "is", "public.image"), ("type:x.y.z", "type", nil),
      ("owner:unheard-of", "owner", nil), ("group:unheard-of", "group", nil),
      ("container:none", "container", nil),
    ] as [(String, String, String?)])
  func unknownWords(_ text: String, _ term: String, _ nearest: String?) async throws {
    try await withLaboratory([.file("a.txt")]) { lab in
      try await lab.scan()
      let words = try await lab.catalog.unknownWords(in: Query(parsing: text))
      #expect(words.map(\.term) == [term])
      #expect(words.first?.nearest == nearest)
      let owner = try await lab.entry("a.txt").owner ?? ""
      let known = try Query(
        parsing: "type:Public.Plain-Text is:public.text owner:\(owner) a.txt role:caches")
      #expect(try await lab.catalog.unknownWords(in: known).isEmpty)
    }
  }

  @Test("a path that is not in the catalog comes with the nearest that is")
  func nearestPath() async throws {
    try await withLaboratory(Self.files.map { .file($0) }) { lab in
      try await lab.scan()
      for (path, nearest) in [("scr", "src"), ("src/lbi", "src/lib"), ("unheard-of", nil)]
        as [(FilePath, String?)]
      {
        let error = await #expect(throws: CatalogError.self) {
          try await lab.catalog.count(of: Query(), in: .subtree(of: lab.tree.path.pushing(path)))
        }
        #expect(error?.code == .notInCatalog)
        #expect(error?.nearest == nearest.map { lab.tree.path.string + "/" + $0 })
      }
    }
  }
}
