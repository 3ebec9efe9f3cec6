import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What fingers type that know fd and find(1).
@Suite("Options of find")
struct FindOptionTests {
  private func withTree(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("src/main.c", "int main")
    try sandbox.makeFile("src/lib/a.h", "h")
    try sandbox.makeFile("docs/Read me.txt", "text")
    try sandbox.makeFile("docs/none.txt")
    try sandbox.makeFile("build/src/main.c", "int")
    try sandbox.makeFile("big.tar.gz", String(repeating: "x", count: 3000))
    try sandbox.makeFile("run", "#!")
    chmod(sandbox.tree + "/run", 0o755)
    try sandbox.makeDirectory("void")
    try sandbox.directory.makeLink("tree/link", to: "run")
    mkfifo(sandbox.tree + "/pipe", 0o644)
    try sandbox.makeFile("old", "o")
    var times = [
      timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0),
    ]
    utimensat(AT_FDCWD, sandbox.tree + "/old", &times, 0)
    #expect(try sandbox.run("scan", "tree").status == 0)
    try body(sandbox)
  }

  /// The paths that a run printed, below the tree; the tree itself is empty.
  private func paths(_ run: CommandResult, _ sandbox: Sandbox) -> Set<String> {
    Set(Rows.lines(run).map { String($0.dropFirst(sandbox.tree.count + 1)) })
  }

  static let files: Set<String> = [
    "src/main.c", "src/lib/a.h", "docs/Read me.txt", "docs/none.txt", "build/src/main.c",
    "big.tar.gz", "run", "old",
  ]
  static let directories: Set<String> = [
    "", "src", "src/lib", "docs", "build", "build/src", "void",
  ]

  static let conditions: [([String], Set<String>)] = [
    (["-t", "f"], files), (["-tf"], files), (["--type", "file"], files), (["--type=f"], files),
    (["-t", "d"], directories), (["-t", "directory"], directories), (["-HItd"], directories),
    (["-t", "l"], ["link"]), (["-tsymlink"], ["link"]), (["-t", "p"], ["pipe"]),
    (["-t", "l", "-t", "p"], ["link", "pipe"]),
    (["-t", "f", "-t", "l"], files.union(["link"])), (["-t", "x"], ["run"]),
    (["-t", "executable"], ["run"]),
    (["-t", "e"], ["docs/none.txt", "void"]), (["-te", "-tf"], ["docs/none.txt"]),
    (["-te", "-td"], ["void"]),
    (["-t", "s"], []), (["-t", "b"], []), (["-tc"], []),
    (["-e", "c"], ["src/main.c", "build/src/main.c"]),
    (["-ec"], ["src/main.c", "build/src/main.c"]),
    (["-e", ".c", "-e", "h"], ["src/main.c", "src/lib/a.h", "build/src/main.c"]),
    (["--extension", "gz"], ["big.tar.gz"]),
    (["-etar.gz"], ["big.tar.gz"]), (["-e", "C"], ["src/main.c", "build/src/main.c"]),
    (["-S", "+2k"], ["big.tar.gz"]), (["-S+2k"], ["big.tar.gz"]),
    (["--size", "+2ki"], ["big.tar.gz"]), (["-S", "3000"], ["big.tar.gz"]),
    (["-S", "-1"], ["src/lib/a.h", "docs/none.txt", "old"]),
    (["-S", "+4", "-S", "-8b"], ["src/main.c", "docs/Read me.txt"]),
    (
      ["-d", "1"], ["", "src", "docs", "build", "big.tar.gz", "run", "void", "link", "pipe", "old"]
    ), (["-d0"], [""]),
    (["--max-depth=1", "src"], ["src"]),
    (["--min-depth", "2", "-e", "c"], ["src/main.c", "build/src/main.c"]),
    (["--min-depth=3", "-tf"], ["src/lib/a.h", "build/src/main.c"]),
    (["--min-depth", "2", "-d2", "-td"], ["src/lib", "build/src"]),
    (["--min-depth", "3", "-d", "1"], []),
    (["--exact-depth", "2", "-td"], ["src/lib", "build/src"]),
    (["--in", "tree/src", "--min-depth", "1"], ["src/main.c", "src/lib", "src/lib/a.h"]),
    (
      ["--in", "tree/src", "--in", "tree/build", "--exact-depth=1"],
      ["src/main.c", "src/lib", "build/src"]
    ),
    (["--color", "never", "a.h"], ["src/lib/a.h"]), (["a.h", "--color=auto"], ["src/lib/a.h"]),
    (["--in", "tree/src", "-d", "1"], ["src", "src/main.c", "src/lib"]),
    (
      ["--in", "tree/src", "--in", "tree/build/src", "-e", "c"], ["src/main.c", "build/src/main.c"]
    ),
    (["--search-path", "tree/docs", "-tf"], ["docs/none.txt", "docs/Read me.txt"]),
    (["-g", "main"], []), (["-g", "*.h"], ["src/lib/a.h"]),
    (["-g", "Read me.*"], ["docs/Read me.txt"]),
    (["--glob", "src/*.c"], ["src/main.c", "build/src/main.c"]),
    (["-F", "Read me"], ["docs/Read me.txt"]), (["-F", "*.h"], []),
    (["-F", ".tar.", "size:>1k"], ["big.tar.gz"]),
    (["-F", "none", "OR", "a.h"], ["docs/none.txt", "src/lib/a.h"]), (["-s", "read"], []),
    (["-i", "-s", "Read"], ["docs/Read me.txt"]),
    (["-s", "-i", "read"], ["docs/Read me.txt"]), (["-i", "NONE"], ["docs/none.txt"]),
    (["-is", "NONE"], []),
    (["-p", "src/m"], ["src/main.c", "build/src/main.c"]), (["-p", "c/lib/a"], ["src/lib/a.h"]),
    (["-p", "tree/do", "-tf"], ["docs/Read me.txt", "docs/none.txt"]),
    (["-pg", "**/lib/*"], ["src/lib/a.h"]), (["-p", "/lib/"], ["src/lib/a.h"]),
    (["-e", "c", "-E", "build"], ["src/main.c"]), (["-ec", "--exclude=bu*"], ["src/main.c"]),
    (["-E", "src", "-e", "c"], []),
    (["-E", "build/src/", "-E*.h", "-ec", "-eh"], ["src/main.c"]),
    (["-E", "{src,docs}", "-tf"], ["big.tar.gz", "run", "old"]),
    (["--changed-before", "2002-01-01"], ["old"]), (["--changed-before", "1week", "-tf"], ["old"]),
    (["--older", "1y", "-tf"], ["old"]),
    (["--changed-within", "1h", "-e", "h"], ["src/lib/a.h"]),
    (["--changed-within=2002-01-01 10:00:00", "-e", "h"], ["src/lib/a.h"]),
    (["--newer", "@1500000000", "-tf"], files.subtracting(["old"])),
    (["--changed-before", "@1500000000"], ["old"]),
    (
      ["-u", "-H", "-I", "--hidden", "--no-ignore", "-j", "4", "--threads=2", "a.h"],
      ["src/lib/a.h"]
    ), (["-uu", "a.h"], ["src/lib/a.h"]),
    (["--and", "main", "-e", "c", "--in", "tree/src"], ["src/main.c"]),
    (["main", "!build/", "-tf"], ["src/main.c"]),
    (["-1", "a.h"], ["src/lib/a.h"]), (["--max-results", "1", "-e", "h"], ["src/lib/a.h"]),
    (["--", "a.h"], ["src/lib/a.h"]),
    (["-a", "a.h"], ["src/lib/a.h"]),
  ]

  @Test("find what they find with fd")
  func condition() throws {
    try withTree { sandbox throws in
      for (arguments, expected) in Self.conditions {
        let run = try sandbox.run(["find"] + arguments)
        #expect(paths(run, sandbox) == expected, "\(arguments): \(run.errors)")
        #expect(run.status == (expected.isEmpty ? 1 : 0), "\(arguments)")
        #expect(run.errors.isEmpty, "\(arguments)")
      }
    }
  }

  @Test("owners are names or numbers, with a group or without, wanted or not")
  func owners() throws {
    try withTree { sandbox throws in
      let own = try sandbox.run(program: "id", ["-un"]).text.dropLast()
      let group = try sandbox.run(program: "id", ["-gn"]).text.dropLast()
      let all = try sandbox.run("find", "-c").text
      for owner in [
        "\(own)", "\(getuid())", "\(own):\(group)", ":\(group)", "\(getuid()):\(getgid())", "!4711",
      ] {
        #expect(try sandbox.run("find", "-c", "-o", owner).text == all, "\(owner)")
        #expect(try sandbox.run("find", "-co\(owner)").text == all, "\(owner)")
      }
      for owner in ["!\(own)", "4711", "\(own):4711", ":!\(group)"] {
        #expect(try sandbox.run("find", "--owner", owner).status == 1, "\(owner)")
      }
      let unknown = try sandbox.run("find", "-o", "unheard-of")
      #expect(unknown.status == 1 && unknown.errors.contains("“unheard-of”"))
    }
  }

  @Test("-l is a table of details, -0 ends paths with NUL, -c counts")
  func output() throws {
    try withTree { sandbox throws in
      let details = Rows.lines(try sandbox.run("find", "-l", "-e", "h"))
      #expect(
        details.count == 2 && details[1].hasPrefix("-rw") && details[1].hasSuffix("src/lib/a.h"))
      #expect(details[1].contains("1B") || details[1].contains(" 1 "))
      let columns = try sandbox.run(
        "find", "-l", "-eh", "--columns", "size,name", "--format", "csv")
      #expect(columns.text == "size,name\n1,a.h\n")
      for option in ["-0", "--null", "--print0"] {
        #expect(try sandbox.run("find", option, "a.h").text == sandbox.tree + "/src/lib/a.h\0")
      }
      #expect(try sandbox.run("find", "-ctf").text == "\(Self.files.count)\n")
    }
  }

  @Test(
    "-q prints nothing, and the exit status tells", arguments: ["-q", "--quiet", "--has-results"])
  func quiet(_ option: String) throws {
    try withTree { sandbox throws in
      for (query, status) in [("a.h", 0), ("size:>0", 0), ("size:>1G", 1), ("owner:nobody-x", 1)] {
        let run = try sandbox.run("find", option, query)
        #expect(run.status == status && run.output.isEmpty, "\(query)")
      }
      #expect(try sandbox.run("find", option, "-td", "--in", "tree/src").status == 0)
      #expect(try sandbox.run("find", option, "size>1").status == 64)
      for other in [["-x", "echo"], ["-X", "echo"], ["-c"], ["-l"]] {
        let run = try sandbox.run(["find", option, "a.h"] + other)
        #expect(run.status == 64 && run.output.isEmpty && run.errors.contains("-q"))
      }
    }
  }

  @Test("--color is that of fd, and links are not followed")
  func likeFd() throws {
    try withTree { sandbox throws in
      let colored = try sandbox.run("find", "--color", "always", "-td", "lib")
      #expect(colored.text.contains("\u{1B}["))
      for option in ["-L", "--follow", "-Ltf"] {
        let run = try sandbox.run("find", option, "a.h")
        #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
        #expect(run.errors.contains("links are recorded and not followed"), "\(run.errors)")
      }
    }
  }

  @Test(
    "on a terminal paths below the working directory are relative to it",
    .enabled(if: TerminalSession.isAvailable))
  func relative() throws {
    try withTree { sandbox throws in
      func lines(_ arguments: String) throws -> String {
        let script = "cd tree/src && NO_COLOR=1 '\(Sandbox.executable)' find \(arguments)"
        let bytes = try TerminalSession.run(script, in: sandbox).output
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      }
      #expect(try lines("--format paths main.c") == "\(sandbox.tree)/build/src/main.c\nmain.c\n")
      #expect(try lines("--format paths .") == ".\nlib\nlib/a.h\nmain.c\n")
      #expect(try lines("a.h").contains("\nlib/a.h"))
      #expect(try lines("-a --format paths a.h") == "\(sandbox.tree)/src/lib/a.h\n")
      #expect(try lines("--format ndjson a.h").contains("\"\(sandbox.tree)/src/lib/a.h\""))
      #expect(try lines("--format paths a.h | cat") == "\(sandbox.tree)/src/lib/a.h\n")
    }
  }

  // MARK: - Running commands

  static let executions: [([String], String, Int32)] = [
    (["-e", "h", "-x", "echo"], "TREE/src/lib/a.h\n", 0),
    (
      ["-e", "h", "-x", "echo", "{}", "{/}", "{//}", "{.}", "{/.}", "<{/}>"],
      "TREE/src/lib/a.h a.h TREE/src/lib TREE/src/lib/a a <a.h>\n", 0
    ),
    (["-e", "c", "-x", "echo", "-n", "{/};", ";", "--sort", "path"], "main.c;main.c;", 0),
    (["-e", "c", "-X", "echo", "a", "{/}", "b"], "a main.c main.c b\n", 0),
    (["-e", "c", "--exec-batch", "echo"], "TREE/build/src/main.c TREE/src/main.c\n", 0),
    (
      ["-e", "h", "--exec=echo", "x", ";", "-x", "echo", "y", "{/.}"], "x TREE/src/lib/a.h\ny a\n",
      0
    ),
    (["-e", "c", "-x", "sh", "-c", "exit 3"], "", 1), (["-e", "c", "-X", "false"], "", 1),
    (
      ["-e", "c", "-x", "sh", "-c", "echo $0; test $0 = TREE/src/main.c"],
      "TREE/build/src/main.c\nTREE/src/main.c\n", 1
    ),
    (["-e", "h", "-x", "printf", "<%s>", "", "{/}"], "<><a.h>", 0),
    (["nothing-like-it", "-x", "echo"], "", 0), (["nothing-like-it", "-X", "echo"], "", 0),
    (["-tf", "-g", "big*", "-x", "echo", "{.}", "{/.}"], "TREE/big.tar big.tar\n", 0),
  ]

  @Test(
    "-x runs a command for each, -X for all, and the status tells of failure", arguments: executions
  )
  func execution(_ arguments: [String], _ output: String, _ status: Int32) throws {
    try withTree { sandbox throws in
      func named(_ text: String) -> String { text.replacing("TREE", with: sandbox.tree) }
      let run = try sandbox.run(["find"] + arguments.map(named))
      #expect(run.text == named(output))
      #expect(run.status == status)
      #expect(run.errors.isEmpty)
    }
  }

  @Test("names of any bytes come through, one command for thousands as well")
  func executionBytes() throws {
    try withTree { sandbox throws in
      try sandbox.makeFile(bytes: Array("raw ".utf8) + [0xFF, 0x0A, 0x22])
      let long = String(repeating: "n", count: 200)
      for number in 0..<3000 { try sandbox.makeFile("many/\(number)-\(long)") }
      #expect(try sandbox.run("scan", "tree").status == 0)
      let raw = try sandbox.run("find", "raw", "-x", "printf", "%s")
      #expect(raw.output == Array("\(sandbox.tree)/raw ".utf8) + [0xFF, 0x0A, 0x22])
      let all = try sandbox.run("find", "-F", long, "-X", "printf", "%s\\n")
      #expect(all.status == 0 && Rows.lines(all).count == 3000)
    }
  }

  @Test(
    "a command that cannot be run, or not so, is told",
    arguments: [
      (["-e", "h", "-x", "./not-there"], 1, "not-there"), (["-x"], 64, "--exec"),
      (["-x", "a", ";", "-X", "b"], 64, "-X"),
      (["-X", "echo", "{}", "{/}"], 64, "-X"), (["-c", "-x", "echo"], 64, "-c"),
      (["-l", "-X", "echo"], 64, "-l"),
    ] as [([String], Int32, String)])
  func executionMistakes(_ arguments: [String], _ status: Int32, _ hint: String) throws {
    try withTree { sandbox throws in
      let run = try sandbox.run(["find"] + arguments)
      #expect(run.status == status)
      #expect(run.output.isEmpty && run.errorLines.count == 1)
      #expect(run.errors.contains(hint), "\(run.errors)")
    }
  }

  // MARK: - Mistakes

  static let foreign: [([String], String)] = [
    (["-name", "*.c"], "write: '*.c'"), ([".", "-name", "*.c"], "write: '*.c'"),
    (["-iname", "a b*"], "write: 'name:\"a b*\"'"),
    (["-name", "main.c"], "write: name:=main.c"), (["-type", "f"], "write: kind:file"),
    (["-type", "f,l"], "kind:file,symlink"),
    (["-mtime", "-7"], "write: 'modified:<7d'"), (["-mtime", "+30"], "'modified:>30d'"),
    (["-mmin", "5"], "modified:5m..6m"),
    (["-atime", "-1"], "'accessed:<1d'"), (["-newer", "a b"], "modified:>$(date -r 'a b'"),
    (["-newermt", "2026-01-01"], "'modified:>2026-01-01'"),
    (["-size", "+10M"], "'size:>10M'"), (["-size", "-10k"], "'size:<10k'"),
    (["-size", "8"], "size:4K"), (["-size", "+100c"], "'size:>100'"),
    (["-maxdepth", "2"], "write: -d 2"), (["-mindepth", "2"], "'depth:>=2'"),
    (["-path", "*/src/*"], "'**/src/**'"),
    (["-perm", "-022"], "mode:-022"), (["-perm", "/111"], "mode:/111"),
    (["-user", "root"], "owner:root"), (["-user", "0"], "uid:0"),
    (["-group", "adm"], "group:adm"), (["-uid", "+999"], "'uid:>999'"),
    (["-links", "+1"], "'links:>1'"), (["-empty"], "empty:yes"),
    (["-print"], "leave it out"), (["-print0"], "write: -0"), (["-delete"], "-X rm"),
    (["-exec", "rm", "{}", ";"], "write: -x rm"),
    (["-exec", "ls", "-l", "{}", "+"], "write: -X ls -l"),
    (["-name", "*.c", "-o", "-name", "*.h"], "'*.c' OR '*.h'"), (["-prune"], "-E GLOB"),
    (
      ["-type", "f", "-name", "*.c", "-mtime", "-7", "-print"],
      "write: kind:file '*.c' 'modified:<7d'"
    ), (["-inum", "3"], "help query"),
    (["-regex", ".*[0-9]"], "'pathregex:.*[0-9]'"), (["-not", "-name", "x"], "write: NOT name:=x"),
    (["-name"], "-name"),
  ]

  @Test("options of find(1) are refused with what to write instead")
  func foreignOption() throws {
    try withTree { sandbox throws in
      for (arguments, advice) in Self.foreign {
        let run = try sandbox.run(["find"] + arguments)
        #expect(run.status == 64, "\(arguments)")
        #expect(run.output.isEmpty && run.errorLines.count == 1, "\(arguments)")
        #expect(run.errors.contains(advice), "\(arguments): \(run.errors)")
        #expect(run.errors.contains("find(1)"), "\(arguments)")
      }
    }
  }

  @Test(
    "a word with a dash is refused, and says what to write",
    arguments: ["-cache", "-archive", "-h2", "-apple", "-rf", "-b*", "-xattr", "-tmp", "-depth1"])
  func dashes(_ word: String) throws {
    try withTree { sandbox throws in
      let run = try sandbox.run("find", word)
      #expect(run.status == 64)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("!" + word.dropFirst()), "\(run.errors)")
    }
  }

  @Test(
    "values that are none are refused",
    arguments: [
      ["-t", "zz"], ["-S", "x"], ["-d", "x"], ["-d", "-1"], ["--min-depth", "x"],
      ["--exact-depth", "-1"], ["--exact-depth", "1", "-d", "2"], ["--color", "red"], ["-o", ""],
      ["-o", ":"],
      ["--changed-within", "bogus"],
      ["--changed-before", "2026-13"], ["-e"], ["--in"], ["--unheard-of"], ["-E", "[a"],
      ["-g", "[a"],
    ])
  func values(_ arguments: [String]) throws {
    try withTree { sandbox throws in
      let run = try sandbox.run(["find"] + arguments)
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.output.isEmpty && !run.errors.isEmpty)
    }
  }

  /// Searches that probably mean something else than they find, and what the line about them says.
  static let hints: [([String], Int32, String)] = [
    (["none", "or", "a.h"], 1, "OR"), (["main", "docs"], 1, "--in docs"),
    (["unheard-of", "docs/"], 1, "--in docs/"),
    (["type:public.jpg"], 1, "public.jpeg"), (["owner:unheard-of"], 1, "“unheard-of”"),
    (["!group:unheard-of", "a.h"], 0, "“unheard-of”"),
    (["container:unheard-of"], 1, "“unheard-of”"), (["-else"], 1, "!else"),
    (["-e", "hh"], 1, "“hh”"),
    ([#"\.conf$"#], 1, #"'regex:\.conf$'"#), (["-c", "^main"], 1, "'regex:^main'"),
    (["ma.*c"], 1, "'regex:ma.*c'"),
    (["--in", "dosc", "a"], 1, "TREE/docs"),
    (["--in", "docs", "--in", "dosc", "a"], 1, "TREE/docs"),
    (["role:cachse"], 64, "caches"), (["size>10"], 64, "size:>10"), (["kind:fil"], 64, "file"),
  ]

  @Test("what finds nothing for a reason says so", arguments: hints)
  func hint(_ arguments: [String], _ status: Int32, _ hint: String) throws {
    try withTree { sandbox throws in
      let script = "cd tree && exec \"$0\" find \"$@\""
      let run = try sandbox.run(program: "/bin/sh", ["-c", script, Sandbox.executable] + arguments)
      #expect(run.status == status)
      #expect(run.errors.contains(hint.replacing("TREE", with: sandbox.tree)), "\(run.errors)")
    }
  }

  @Test(
    "a word that is said to be a glob or a string, or is no expression, gets no hint to expressions",
    arguments: [["-g", "^*.h$"], ["-F", #"\.conf$"#], ["*.c.*x"]])
  func noHint(_ arguments: [String]) throws {
    try withTree { sandbox throws in
      let run = try sandbox.run(["find"] + arguments)
      #expect(run.status == 1)
      #expect(!run.errors.contains("regex:"), "\(run.errors)")
    }
  }

  @Test(
    "what begins with a dot and a slash is a path below the working directory",
    arguments: [
      (["main", "./src"], ["src/main.c"]), (["./src/*.c"], ["src/main.c"]),
      (["../docs", "-tf"], ["docs/Read me.txt", "docs/none.txt"]),
      (["./src/lib/a.h"], ["src/lib/a.h"]), ([".", "-e", "h"], ["src/lib/a.h"]),
      (["./nothing"], []), (["-g", "*.c", "."], ["src/main.c"]),
      (["./src/{lib,x}/*"], ["src/lib/a.h"]), (["..", "-e", "h"], ["src/lib/a.h"]),
    ] as [([String], Set<String>)])
  func workingDirectory(_ arguments: [String], _ expected: Set<String>) throws {
    try withTree { sandbox throws in
      let place = arguments.contains { $0.hasPrefix("..") || $0 == "." } ? "tree/src" : "tree"
      let script = "cd \(place) && exec \"$0\" find \"$@\""
      let run = try sandbox.run(program: "/bin/sh", ["-c", script, Sandbox.executable] + arguments)
      #expect(paths(run, sandbox) == expected, "\(run.errors)")
    }
  }

  @Test("a search is saved with its options, and found with more of them")
  func saved() throws {
    try withTree { sandbox throws in
      #expect(
        try sandbox.run(
          "find", "--save", "c", "-e", "c", "-S", "+1", "--in", "tree/build", "-d", "2"
        ).status == 0)
      #expect(paths(try sandbox.run("find", "@c"), sandbox) == ["build/src/main.c"])
      #expect(try sandbox.run("find", "@c", "-t", "d").status == 1)
      #expect(
        try sandbox.run("find", "--save", "flat", "--in", "tree/build", "-d", "1").status == 0)
      #expect(paths(try sandbox.run("find", "@flat"), sandbox) == ["build", "build/src"])
    }
  }
}
