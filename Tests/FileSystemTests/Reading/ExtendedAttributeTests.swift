import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("Extended attributes")
struct ExtendedAttributeTests {
  /// Whether temporary files have any.
  static let areSupported: Bool = {
    (try? withTemporaryDirectory { directory in
      try directory.make([.file("a"), .attribute("a", name: "user.test", value: "x")])
    }) != nil
  }()

  @Test("what is set is read, until it is taken away", .enabled(if: areSupported))
  func setting() throws {
    try withTemporaryDirectory { directory in
      try directory.make(.file("a"))
      let file = directory("a")
      #expect(try ExtendedAttributes.value("user.test", of: file) == nil)
      for value: [UInt8] in [[1, 0, 255], [], Array(repeating: 7, count: 2000)] {
        try ExtendedAttributes.set(value, "user.test", of: file)
        #expect(try ExtendedAttributes.value("user.test", of: file) == value)
        #expect(try ExtendedAttributes.all(of: file)["user.test"] == value)
      }
      try ExtendedAttributes.set(nil, "user.test", of: file)
      #expect(try ExtendedAttributes.value("user.test", of: file) == nil)
      // There is nothing to take away.
      try ExtendedAttributes.set(nil, "user.test", of: file)
    }
  }

  @Test("a symbolic link is not followed")
  func links() throws {
    try withTemporaryDirectory { directory in
      try directory.make([.file("a"), .symlink("link", to: "a")])
      let error = #expect(throws: FileError.self) {
        try ExtendedAttributes.set([1], "user.test", of: directory("link"))
      }
      #expect(error?.operation == .writeAttributes && error?.path == directory("link"))
      #expect(try ExtendedAttributes.all(of: directory("a"))["user.test"] == nil)
    }
  }

  @Test("of what is not there, none can be read or set")
  func missing() throws {
    try withTemporaryDirectory { directory in
      let missing = directory("missing")
      let reading = #expect(throws: FileError.self) {
        try ExtendedAttributes.value("user.test", of: missing)
      }
      #expect(reading == FileError(.attributes, missing, .noSuchFileOrDirectory))
      let writing = #expect(throws: FileError.self) {
        try ExtendedAttributes.set([], "user.test", of: missing)
      }
      #expect(writing == FileError(.writeAttributes, missing, .noSuchFileOrDirectory))
    }
  }
}
