import FileCoordination
import FileSystem
import SystemPackage
import TestTraits
import Testing

@Suite("A package as a value")
struct DocumentPackageTests {
  @Test("finds, sets and removes nodes by path", .feature("LX-01"))
  func paths() {
    var package = DocumentPackage(["payload.plist": .file(bytes("plist"))])
    package["Contents/Images/image.png"] = .file(bytes("png"))
    #expect(package["Contents/Images/image.png"] == .file(bytes("png")))
    #expect(package["payload.plist"] == .file(bytes("plist")))
    #expect(package["missing"] == nil)
    #expect(package["payload.plist/inside"] == nil)
    #expect(Set(package.paths) == ["payload.plist", "Contents/Images/image.png"])
    package["Contents/Images/missing/deep"] = nil
    #expect(Set(package.paths) == ["payload.plist", "Contents/Images/image.png"])
    package["Contents"] = nil
    #expect(package.paths == ["payload.plist"])
    package["payload.plist/inside"] = .symlink("elsewhere")
    #expect(package.paths == ["payload.plist/inside"])
  }

  @Test("has no nodes at paths that leave it", arguments: ["", "..", ".", "a/../b", "/a"])
  func strangePaths(path: String) {
    var package = DocumentPackage()
    let isAbsolute = path.hasPrefix("/")
    package[FilePath(path)] = .file([])
    #expect(package.paths.allSatisfy { !$0.string.contains("..") })
    #expect(isAbsolute || package.paths.isEmpty)
  }

  @Test("copies are independent, and equal as long as nothing is changed")
  func values() {
    let one = DocumentPackage(["a": .file(bytes("1"))])
    var other = one
    #expect(one == other)
    other["a"] = .file(bytes("2"))
    #expect(one != other)
    #expect(one["a"] == .file(bytes("1")))
  }

  @Test("the right to run follows the right to read")
  func executable() {
    var file = DocumentPackage.File([], permissions: FilePermissions(rawValue: 0o640))
    #expect(!file.isExecutable)
    file.isExecutable = true
    #expect(file.permissions?.rawValue == 0o750)
    file.isExecutable = false
    #expect(file.permissions?.rawValue == 0o640)
  }
}
