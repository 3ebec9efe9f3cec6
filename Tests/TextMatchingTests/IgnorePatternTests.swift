import SystemPackage
import TestSupport
import Testing
import TextMatching

@Suite("Patterns of ignore files")
struct IgnorePatternTests {
  private static func verdict(
    _ text: String, on path: String, isDirectory: Bool = false
  ) throws -> IgnorePatterns.Verdict? {
    let patterns = try IgnorePatterns(parsing: Array(text.utf8))
    let bytes = Array(path.utf8)
    let nameStart = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    return bytes.withUnsafeBytes {
      patterns.verdict(on: $0, nameStart: nameStart, isDirectory: isDirectory)
    }
  }

  /// A pattern, what it leaves out and what it does not; a path with a slash at its end is a directory.
  static let vectors: [(text: String, excluded: [String], untouched: [String])] = [
    ("foo", ["foo", "a/foo", "a/b/foo/"], ["foobar", "a/foo.txt", "Foo"]),
    ("foo/", ["foo/", "a/foo/"], ["foo", "a/foo"]),
    ("/foo", ["foo", "foo/"], ["a/foo"]),
    ("/foo/", ["foo/"], ["foo", "a/foo/"]),
    ("a/foo", ["a/foo"], ["foo", "b/a/foo", "a/b/foo"]),
    ("*.o", ["x.o", "a/.o"], ["x.oo", "o"]),
    ("/*.o", ["x.o"], ["a/x.o"]),
    ("a/*", ["a/b", "a/.c"], ["a", "a/b/c"]),
    ("a/*/c", ["a/b/c"], ["a/c", "a/b/b/c"]),
    ("**/foo", ["foo", "a/foo", "a/b/foo"], ["afoo"]),
    ("**/foo/bar", ["foo/bar", "a/foo/bar"], ["foo/x/bar"]),
    ("a/**", ["a/b", "a/b/c"], ["a", "b/a"]),
    ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "ab", "b"]),
    ("a**b", ["ab", "axxb", "x/ab"], ["a/b"]),
    ("foo**/bar", ["foobar", "foo/bar", "foox/y/bar"], ["foobaz", "fo/bar"]),
    ("***", ["a", "a/b"], []),
    ("?oo", ["foo", "ooo"], ["oo", "fooo"]),
    ("a/?", ["a/b"], ["a/", "a/bc"]),
    ("[a-c]x", ["ax", "cx"], ["dx", "x"]),
    ("[!a-c]x", ["dx", "-x"], ["ax"]),
    ("[^a-c]x", ["dx"], ["bx"]),
    ("[]x]", ["]", "x"], ["[", "y"]),
    ("[!]x]", ["[", "y"], ["]", "x"]),
    ("[a-]", ["a", "-"], ["b"]),
    ("[\\]]", ["]"], ["\\"]),
    ("[[:digit:]x]", ["1", "x"], ["a", ":"]),
    ("[[:foo:]]", [], ["f", ":"]),
    ("[[:digit]", [":", "d", "["], ["1"]),
    ("[z-a]", ["z"], ["a", "m"]),
    ("a/[!b]c", ["a/xc"], ["a/bc", "a//c"]),
    ("[a", [], ["[a", "a"]),
    ("a[", [], ["a[", "a"]),
    ("\\#a", ["#a"], ["\\#a"]),
    ("#a", [], ["#a", "a"]),
    ("\\!a", ["!a"], ["a"]),
    ("a\\*", ["a*"], ["ab", "a\\*"]),
    ("a\\", [], ["a", "a\\"]),
    ("a ", ["a"], ["a "]),
    ("a\\ ", ["a "], ["a"]),
    ("a\\  ", ["a "], ["a", "a  "]),
    ("a b", ["a b"], ["a"]),
    ("\ta", ["\ta"], ["a"]),
    ("a\r\nb", ["a", "b"], ["a\r"]),
    ("\u{FEFF}a", ["a"], ["\u{FEFF}a"]),
    ("", [], ["a"]),
    ("/", [], ["a", "a/"]),
    ("foo//", [], ["foo", "foo/"]),
    ("//foo", [], ["foo", "a/foo"]),
    ("é*", ["é", "éa"], ["e"]),
    ("**", ["a", "a/b"], []),
    ("**/", ["a/", "a/b/"], ["a", "a/b"]),
    ("a/**/", ["a/b/"], ["a/b", "a/"]),
  ]

  @Test("mean what Git's manual says", arguments: vectors)
  func matching(_ vector: (text: String, excluded: [String], untouched: [String])) throws {
    for (paths, expected) in [
      (vector.excluded, IgnorePatterns.Verdict.excluded), (vector.untouched, nil),
    ] {
      for path in paths {
        let isDirectory = path.hasSuffix("/")
        let verdict = try Self.verdict(
          vector.text, on: isDirectory ? String(path.dropLast()) : path, isDirectory: isDirectory)
        #expect(verdict == expected, "“\(vector.text)” on “\(path)”")
      }
    }
  }

  @Test("of several that match, the last one decides")
  func order() throws {
    let text = "*.log\n!keep.log\nkeep.log/\n"
    #expect(try Self.verdict(text, on: "a.log") == .excluded)
    #expect(try Self.verdict(text, on: "b/keep.log") == .included)
    #expect(try Self.verdict(text, on: "keep.log", isDirectory: true) == .excluded)
    #expect(try Self.verdict(text, on: "keep.txt") == nil)
  }

  @Test("are names of bytes")
  func bytes() throws {
    let patterns = try IgnorePatterns(parsing: [0xFF, UInt8(ascii: "?")])
    let name: [UInt8] = [0xFF, 0xFE]
    let verdict = name.withUnsafeBytes {
      patterns.verdict(on: $0, nameStart: 0, isDirectory: false)
    }
    #expect(verdict == .excluded)
  }

  @Test("are refused where a file asks for too much")
  func limits() throws {
    let limit = IgnorePatterns.Limit.self
    func count(_ text: String) throws -> Int { try IgnorePatterns(parsing: Array(text.utf8)).count }
    #expect(try count(String(repeating: "a\n", count: limit.patterns)) == limit.patterns)
    #expect(try count(String(repeating: "a", count: limit.patternBytes)) == 1)
    #expect(try count(String(repeating: "#\n", count: limit.bytes / 2)) == 0)
    for text in [
      String(repeating: "a\n", count: limit.patterns + 1),
      String(repeating: "a", count: limit.patternBytes + 1),
      String(repeating: "#\n", count: limit.bytes / 2 + 1),
    ] {
      #expect(throws: IgnorePatterns.TooLarge.self) { try count(text) }
    }
  }

  @Test(
    "are answered for long paths and patterns that nearly match", .timeLimit(.minutes(20)),
    arguments: [
      String(repeating: "*a", count: 500) + "b", String(repeating: "**/a*/", count: 150) + "b",
      String(repeating: "a*/", count: 300) + "b", "**/" + String(repeating: "?*", count: 500) + "b",
    ])
  func hostile(_ pattern: String) throws {
    let long = String(repeating: String(repeating: "a", count: 200) + "/", count: 20) + "a"
    let deep = String(repeating: "a/", count: 2000) + "a"
    for path in [long, deep] { #expect(try Self.verdict(pattern, on: path) == nil) }
  }

  // MARK: - Git's word

  private static let alphabet = ["a", "b", "ab", "ba", "c", "a.b", "-", "[", "#a", "a b"]
  private static let pieces =
    alphabet + [
      "*", "**", "?", "/", "/", "\\", "[ab]", "[!a]", "[^-a]", "[a-c]", "[", "]", "[]a]",
      "[[:alpha:]]",
      "***", "!", " ", "\\ ", "\\*", "**/", "/**", "/**/", "*/", ".", "\\/",
    ]

  private static func pattern(_ random: inout SeededRandom) -> String {
    let count = 1 + random.below(5)
    let text = (0..<count).map { _ in pieces[random.below(pieces.count)] }.joined()
    return ["", "", "", "!", "/"][random.below(5)] + text + ["", "", "", "/", " "][random.below(5)]
  }

  private static func names(in level: Int, _ random: inout SeededRandom) -> [String] {
    alphabet.filter { _ in random.below(level == 0 ? 1 : 2) == 0 }
  }

  @Test(
    "mean what Git makes of them", .enabled(if: CommandRunner.exists("git")),
    arguments: [1, 2, 3, 4, UInt64.random(in: .min ... .max)])
  func likeGit(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    var git = CommandRunner("git")
    git.directory = directory.path.string
    git.environment = [
      "HOME": directory.path.string, "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin",
    ]
    #expect(try git.run(["init", "-q", "."]).status == 0)
    var paths: [(path: String, isDirectory: Bool)] = []
    for top in Self.names(in: 0, &random) {
      guard random.below(3) > 0 else {
        paths.append((top, false))
        continue
      }
      paths.append((top, true))
      for middle in Self.names(in: 1, &random) {
        guard random.below(2) > 0 else {
          paths.append(("\(top)/\(middle)", false))
          continue
        }
        paths.append(("\(top)/\(middle)", true))
        for name in Self.names(in: 2, &random) { paths.append(("\(top)/\(middle)/\(name)", false)) }
      }
    }
    for (path, isDirectory) in paths {
      if isDirectory {
        try directory.makeDirectory(FilePath(path))
      } else {
        try directory.write("", to: FilePath(path))
      }
    }
    for _ in 0..<40 {
      let text = (0..<(1 + random.below(4))).map { _ in Self.pattern(&random) }
        .joined(separator: "\n")
      try directory.write(text, to: ".gitignore")
      let run = try git.run(
        ["check-ignore", "--no-index", "-z", "--stdin"],
        input: paths.map { $0.path + "\0" }.joined())
      let excluded = Set(run.text.split(separator: "\0").map(String.init))
      var ours: Set<String> = []
      for (path, isDirectory) in paths {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        if ours.contains(parent) {
          ours.insert(path)
        } else if try Self.verdict(text, on: path, isDirectory: isDirectory) == .excluded {
          ours.insert(path)
        }
      }
      #expect(ours == excluded, "seed \(seed): \(text.debugDescription)")
    }
  }
}
