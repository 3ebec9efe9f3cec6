import SystemPackage
import TestSupport
import Testing

/// A tree, what is done to it, and what a rescan says of that.
struct DifferenceVector: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let pieces: [Piece]
  let edits: [Edit]
  let lines: [String]

  init(_ name: String, _ pieces: [Piece], _ edits: [Edit], _ lines: [String]) {
    testDescription = name
    self.pieces = pieces
    self.edits = edits
    self.lines = lines
  }
}

extension DifferenceVector {
  private static let two: [Piece] = [.file("a", bytes: 1), .file("b", bytes: 2)]
  private static let tree: [Piece] = [
    .file("d/f", bytes: 1), .file("d/in/g", bytes: 2), .file("e/h", bytes: 3),
  ]

  static let files: [DifferenceVector] = [
    .init("a new name", two, [.move("a", "c")], ["> a -> c"]),
    .init("another directory", two, [.move("a", "d/a")], ["+ d", "> a -> d/a"]),
    .init("a chain", two, [.move("b", "c"), .move("a", "b")], ["> a -> b", "> b -> c"]),
    .init(
      "a long chain through directories", two + tree,
      [.move("e/h", "x"), .move("d/f", "e/h"), .move("b", "d/f"), .move("a", "b")],
      ["> a -> b", "> b -> d/f", "> d/f -> e/h", "> e/h -> x"]),
    .init(
      "two that change places", two, [.move("a", "t"), .move("b", "a"), .move("t", "b")],
      ["> a -> b", "> b -> a"]),
    .init(
      "three that change places", two + [.file("d/c", bytes: 3)],
      [.move("a", "t"), .move("b", "a"), .move("d/c", "b"), .move("t", "d/c")],
      ["> a -> d/c", "> b -> a", "> d/c -> b"]),
    .init(
      "moved and modified", two, [.move("a", "c"), .make(.file("c", bytes: 9000))],
      ["> a -> c allocated,modified,size"]),
    .init(
      "moved and opened to others", two, [.move("a", "c"), .make(.mode("c", 0o600))],
      ["> a -> c mode"]),
    .init(
      "replaced by a new file", two, [.make(.file("../new", bytes: 5)), .move("../new", "a")],
      ["~ a"]),
    .init("replaced by a known file", two, [.move("b", "a")], ["- a", "> b -> a"]),
    .init(
      "a new file where a moved one was", two, [.move("a", "c"), .make(.file("a", bytes: 7))],
      ["+ a", "> a -> c"]),
    .init(
      "replaced, and the file before is elsewhere", two,
      [.move("a", "d/c"), .make(.file("../new", bytes: 5)), .move("../new", "a"), .remove("b")],
      ["+ a", "+ d", "- b", "> a -> d/c"]),
    .init("a further name", two, [.make(.hardLink("c", to: "a"))], ["+ c", "~ a"]),
    .init(
      "a name less", two + [.hardLink("c", to: "a")], [.remove("c")], ["- c", "~ a"]),
    .init(
      "one of several names is changed", two + [.hardLink("c", to: "a")], [.move("c", "e")],
      ["> c -> e", "~ a"]),
    .init(
      "names that go round", two + [.hardLink("c", to: "a")],
      [.move("c", "t"), .move("b", "c"), .move("t", "b")],
      ["> b -> c", "> c -> b", "~ a"]),
    .init(
      "a link leads elsewhere", [.symlink("l", to: "a")],
      [.remove("l"), .make(.symlink("l", to: "b"))], ["~ l"]),
    .init(
      "a link becomes a file", [.symlink("l", to: "a")],
      [.remove("l"), .make(.file("l", bytes: 1))], ["~ l"]),
    .init("nothing but its mode", two, [.make(.mode("a", 0o600))], ["~ a"]),
    .init(
      "nothing but its times", two, [.make(.times("a", accessed: 1, modified: 2))], ["~ a"]),
  ]

  static let directories: [DifferenceVector] = [
    .init("a new name", tree, [.move("d", "x")], ["> d -> x"]),
    .init("into another", tree, [.move("d", "e/d")], ["> d -> e/d"]),
    .init(
      "into a new one", tree, [.make(.directory("n")), .move("d", "n/d")],
      ["+ n", "> d -> n/d"]),
    .init(
      "into a new one in a new one", tree,
      [.make(.directory("n/m")), .move("d/in", "n/m/in"), .move("d/f", "n/f")],
      ["+ n", "+ n/m", "> d/f -> n/f", "> d/in -> n/m/in"]),
    .init(
      "two that change places", tree, [.move("d", "t"), .move("e", "d"), .move("t", "e")],
      ["> d -> e", "> e -> d"]),
    .init(
      "two that change places in different directories", tree,
      [.move("d/in", "t"), .move("e", "d/in"), .move("t", "e")], ["> d/in -> e", "> e -> d/in"]),
    .init(
      "three that change places", tree + [.file("x/y/z")],
      [.move("d", "t"), .move("e", "d"), .move("x", "e"), .move("t", "x")],
      ["> d -> x", "> e -> d", "> x -> e"]),
    .init(
      "a chain", tree, [.move("e", "x"), .move("d/in", "e"), .move("d", "d2")],
      ["> d -> d2", "> d/in -> e", "> e -> x"]),
    .init(
      "one and a file change places", tree + two,
      [.move("a", "t"), .move("d", "a"), .move("t", "d")], ["> a -> d", "> d -> a"]),
    .init(
      "one and what was in it change places", tree,
      [.move("d/in", "t"), .move("d", "t/d"), .move("t", "d")], ["> d -> d/d", "> d/in -> d"]),
    .init(
      "a nest inside out", [.file("a/b/c/f")],
      [.move("a/b/c", "c"), .move("a/b", "c/b"), .move("a", "c/b/a")],
      ["> a -> c/b/a", "> a/b -> c/b", "> a/b/c -> c"]),
    .init(
      "a file out of a moved one", tree, [.move("d/f", "f"), .move("d", "x")],
      ["> d -> x", "> d/f -> f"]),
    .init(
      "a file into a moved one", tree + two, [.move("d", "x"), .move("a", "x/in/a")],
      ["> a -> x/in/a", "> d -> x"]),
    .init(
      "a directory out of a moved one and into another", tree,
      [.move("d/in", "e/in"), .move("d", "x"), .move("e", "y")],
      ["> d -> x", "> d/in -> y/in", "> e -> y"]),
    .init(
      "a file out of a removed one", tree, [.move("d/in/g", "g"), .remove("d")],
      ["- d", "- d/f", "- d/in", "> d/in/g -> g"]),
    .init(
      "a directory out of a removed one", tree, [.move("d/in", "in"), .remove("d")],
      ["- d", "- d/f", "> d/in -> in"]),
    .init(
      "a new one where a moved one was", tree,
      [.move("d", "x"), .make(.file("d/f", bytes: 1))], ["+ d", "+ d/f", "> d -> x"]),
    .init(
      "a new one where a moved one was, which went into it", tree,
      [.move("d", "x"), .make(.directory("d")), .move("x", "d/x")], ["+ d", "> d -> d/x"]),
    .init(
      "a new one where one was that went deeper", tree,
      [.move("d", "e/x"), .make(.file("d/f", bytes: 1))], ["+ d", "+ d/f", "> d -> e/x"]),
    .init(
      "replaced by a known one", tree, [.remove("d"), .move("e", "d")],
      ["- d", "- d/f", "- d/in", "- d/in/g", "> e -> d"]),
    .init(
      "replaced by a new one", tree,
      [.make(.file("../new/f", bytes: 9)), .remove("d"), .move("../new", "d")],
      ["- d/in", "- d/in/g", "~ d", "~ d/f"]),
    .init(
      "replaced by a new one in a moved one, from which something is gone", tree,
      [
        .make(.directory("../new")), .move("d/in", "../old"), .move("../new", "d/in"),
        .remove("../old"), .move("d", "x"),
      ],
      ["- d/in/g", "> d -> x", "~ x/in"]),
    .init(
      "a moved one in which something changed", tree,
      [.move("d", "x"), .remove("x/f"), .make(.file("x/in/g", bytes: 77))],
      ["- d/f", "> d -> x", "~ x/in/g"]),
    .init(
      "moved and closed to others", tree, [.move("d", "x"), .make(.mode("x", 0o700))],
      ["> d -> x mode"]),
    .init("one of whose content changed", tree, [.make(.file("d/new"))], ["+ d/new"]),
    .init("closed to others", tree, [.make(.mode("d", 0o700))], ["~ d"]),
    .init(
      "emptied into the one around it", tree,
      [.move("d/f", "f"), .move("d/in", "in"), .remove("d")],
      ["- d", "> d/f -> f", "> d/in -> in"]),
  ]

  static let kinds: [DifferenceVector] = [
    .init(
      "a directory becomes a file", tree, [.remove("d"), .make(.file("d"))],
      ["+ d", "- d", "- d/f", "- d/in", "- d/in/g"]),
    .init(
      "a file becomes a directory", two, [.remove("a"), .make(.file("a/b"))],
      ["+ a", "+ a/b", "- a"]),
    .init(
      "a directory becomes a package by its name", tree, [.move("e", "e.rtfd")],
      ["+ e.rtfd", "- e", "- e/h"]),
    .init(
      "a package becomes a directory by its name", [.file("p.rtfd/a")], [.move("p.rtfd", "p")],
      ["+ p", "+ p/a", "- p.rtfd"]),
    .init(
      "a package has a new name", [.file("p.rtfd/a")], [.move("p.rtfd", "q.rtfd")],
      ["> p.rtfd -> q.rtfd"]),
    .init(
      "two packages change places", [.file("p.rtfd/a"), .file("d/q.app/b", bytes: 5)],
      [.move("p.rtfd", "t"), .move("d/q.app", "p.rtfd"), .move("t", "d/q.app")],
      ["> d/q.app -> p.rtfd", "> p.rtfd -> d/q.app"]),
    .init(
      "the sum of a package's content", [.file("p.rtfd/a")],
      [.make(.file("p.rtfd/a", bytes: 5))], ["~ p.rtfd"]),
    .init(
      "a package's content, with the same sums", [.file("p.rtfd/in/a", bytes: 5)],
      [.make(.times("p.rtfd/in/a", accessed: 1, modified: 2))], ["~ p.rtfd"]),
    .init(
      "a file goes into a package", two + [.file("p.rtfd/in/x")], [.move("a", "p.rtfd/in/a")],
      ["- a", "~ p.rtfd"]),
    .init(
      "a directory in a moved one goes into a package", tree + [.file("p.rtfd/x")],
      [.move("d", "y"), .move("y/in", "p.rtfd/in")],
      ["- d/in", "- d/in/g", "> d -> y", "~ p.rtfd"]),
  ]
}
