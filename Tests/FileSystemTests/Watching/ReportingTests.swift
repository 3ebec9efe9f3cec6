import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("Watching: what is gathered into a report")
struct ReportingTests {
  private func set(limit: Int = 100, _ marks: [(String, DirectoryWatcher.DirtyDirectories.Extent)])
    -> DirtySet
  {
    var set = DirtySet(limit: limit)
    for (name, extent) in marks { set.mark(TreePath(bytes: Array(name.utf8)), extent) }
    return set
  }

  private func take(_ set: DirtySet) -> [String: DirectoryWatcher.DirtyDirectories.Extent] {
    var set = set
    let taken = set.take()
    #expect(set.isEmpty)
    return Dictionary(
      uniqueKeysWithValues: taken.map { (String(decoding: $0.key.bytes, as: UTF8.self), $0.value) })
  }

  @Test("What lies below a deep directory is left out, whichever came first")
  func belowDeep() {
    #expect(
      take(set([("a/b", .shallow), ("a", .deep), ("a/c/d", .deep), ("ab", .shallow)]))
        == ["a": .deep, "ab": .shallow])
    #expect(take(set([("a/b", .deep), ("", .deep), ("c", .shallow)])) == ["": .deep])
  }

  @Test("Deep is never taken back")
  func deepStays() {
    #expect(take(set([("a", .shallow), ("a", .deep), ("a", .shallow)])) == ["a": .deep])
  }

  @Test("Beyond the limit there is only the root")
  func limit() {
    let marks = (0..<5).map { ("\($0)", DirectoryWatcher.DirtyDirectories.Extent.shallow) }
    #expect(take(set(limit: 5, marks)).count == 5)
    #expect(take(set(limit: 4, marks)) == ["": .deep])
    #expect(take(set(limit: 4, marks + [("x/y", .deep)])) == ["": .deep])
  }

  @Test("A report is due after the quiet, and never later than the bound")
  func due() {
    let start = ContinuousClock.now
    var debounce = Debounce<ContinuousClock.Instant>(delay: .milliseconds(200), limit: .seconds(2))
    #expect(debounce.due == nil)
    debounce.note(at: start)
    #expect(debounce.due == start + .milliseconds(200))
    debounce.note(at: start + .milliseconds(150))
    #expect(debounce.due == start + .milliseconds(350))
    debounce.note(at: start + .milliseconds(1950))
    #expect(debounce.due == start + .seconds(2))
    debounce.clear()
    #expect(debounce.due == nil)
  }

  @Test("The table of mounts is read with escaped names, and without what is no mount")
  func mountTable() {
    let text = """
      36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/root rw
      41 36 0:30 / /mnt/with\\040blank\\134 rw - tmpfs none rw
      garbage
      42 36 0:31

      """
    #expect(
      MountTable.parse(Array(text.utf8)) == [
        MountTable.Mount(
          number: 36, point: Array("/".utf8), device: 98 << 8, type: FileSystemType("ext4")),
        MountTable.Mount(
          number: 41, point: Array("/mnt/with blank\\".utf8), device: 30,
          type: FileSystemType("tmpfs")),
      ])
  }

  @Test(
    "A table of mounts that is damaged is read as far as it makes sense",
    arguments: [1, UInt64.random(in: .min ... .max)])
  func damagedMountTable(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let text = """
      36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/root rw
      41 36 0:30 / /mnt/with\\040blank\\134 rw - tmpfs none rw

      """
    for _ in 0..<1000 {
      let bytes = random.damage(
        Array(text.utf8), with: ["\\", "\\777", "\\0", "\n", "  ", "99999999999999999999999", "-1"])
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      let mounts = MountTable.parse(bytes)
      #expect(mounts.count <= lines, "seed \(seed)")
      #expect(mounts.allSatisfy { $0.point.count <= bytes.count }, "seed \(seed)")
    }
  }

  @Test(
    "A path is inside a directory only at a slash",
    arguments: [
      ("/a/b", "/a", "b"), ("/a/b/c", "/a", "b/c"), ("/a", "/a", ""), ("/ab", "/a", nil),
      ("/", "/a", nil), ("/a", "/", "a"), ("/", "/", ""), ("a", "/", nil),
    ] as [(String, String, String?)])
  func inside(path: String, base: String, expected: String?) {
    let place = TreePath(Array(path.utf8), in: Array(base.utf8))
    #expect(place == expected.map { TreePath(bytes: Array($0.utf8)) })
  }
}
