import SystemPackage
import Testing

@testable import CatalogScan

@Suite("The directories of another catalog")
struct ForeignTreeTests {
  private func row(_ id: Int64, _ parent: Int64?, _ depth: Int64, _ path: String) -> ForeignTree.Row
  {
    ForeignTree.Row(id: id, parent: parent, depth: depth, path: Array(path.utf8))
  }

  @Test(
    "are put below any other directory",
    arguments: [
      ("", ["/a", "/a/b", "/"], ["/a", "/"]),
      ("/hosts/x", ["/hosts/x/a", "/hosts/x/a/b", "/hosts/x"], ["/hosts/x/a", "/hosts/x"]),
      ("/", ["/a", "/a/b", "/"], ["/a", "/"]),
    ] as [(String, Set<String>, Set<String>)])
  func places(_ place: String, _ expected: Set<String>, _ roots: Set<String>) throws {
    let tree = try ForeignTree(
      [row(9, 3, 1, "/a/b"), row(3, nil, 0, "/a"), row(1, nil, 0, "/")], below: FilePath(place))
    let paths = (0..<Int32(tree.count)).map { String(decoding: tree.path($0), as: UTF8.self) }
    #expect(Set(paths) == expected)
    #expect(Set(tree.rootPaths.map(\.string)) == roots)
    #expect(tree.position(of: 9).map { String(decoding: tree.name($0), as: UTF8.self) } == "b")
  }

  @Test("of the root of a machine have its path before theirs once")
  func machine() throws {
    let rows = [row(1, nil, 0, "/"), row(2, 1, 1, "/a"), row(3, 2, 2, "/a/b")]
    for place in ["", "/h"] as [FilePath] {
      let tree = try ForeignTree(rows, below: place)
      #expect(tree.count == 3 && tree.counts == [3])
    }
  }

  @Test(
    "are refused where they are no trees",
    arguments: [
      [(1, nil, 0, "a")], [(1, nil, 0, "")], [(1, nil, 0, "/a/../b")], [(1, nil, 0, "/a/")],
      [(1, nil, 0, "/a\0")], [(1, nil, 1, "/a")], [(1, nil, 0, "/a"), (1, nil, 0, "/b")],
      [(1, 1, 0, "/a")], [(1, 2, 1, "/a/b"), (2, 1, 1, "/a/c")], [(2, 1, 1, "/a/b")],
      [(1, nil, 0, "/a"), (2, 1, 1, "/b/c")], [(1, nil, 0, "/a"), (2, 1, 2, "/a/b")],
      [(1, nil, 0, "/a"), (2, 1, 1, "/a/")], [(1, nil, 0, "/a"), (2, 1, 1, "/a/..")],
      [(1, nil, 0, "/a"), (2, 1, 1, "/a/b/c")], [(1, nil, 0, "/a"), (2, 1, 1, "")],
      [(1, nil, 0, "/a"), (2, 1, .max, "/a/b")], [(1, nil, .min, "/a")],
    ] as [[(Int64, Int64?, Int64, String)]])
  func strange(_ rows: [(Int64, Int64?, Int64, String)]) {
    for place in ["", "/h"] as [FilePath] {
      #expect(throws: ForeignFault.self) {
        _ = try ForeignTree(rows.map { row($0.0, $0.1, $0.2, $0.3) }, below: place)
      }
    }
  }

  @Test("may have any numbers until their entries come")
  func numbers() throws {
    let tree = try ForeignTree([row(.max, nil, 0, "/a"), row(.min, .max, 1, "/a/b")], below: "")
    #expect(tree.count == 2)
  }
}
