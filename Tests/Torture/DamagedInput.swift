import SystemPackage
import TestSupport

/// What the command reads of others, damaged: property lists, JSON, tables of MIME types, declarations, the
/// file of the user's directories, queries, patterns and cursors.
///
/// The damage is blind. `-sanitize=fuzzer` would be guided by what is reached, but needs every target built anew
/// with it, and on macOS the toolchain of Swift comes without it: the corpus has what such runs have found.
struct DamagedInput: Part {
  static let name = "parsers"
  static let tries = 1500
  static let weight = 1.5

  private static let tokens = [
    "<key>", "</dict>", "<array>", "&lt;", "&#x110000;", "<!ENTITY a \"b\">", "<![CDATA[", "]]>",
    "{", "}", "[", "]", "\\u0000", "\\ud800", "1e999", "-", "\"", ":", "*", "*.x", "\n", "\0",
    "$HOME/", "public.data", "UTTypeConformsTo", "99999999999999999999",
  ]

  private let catalog: String
  private let first: String
  private let lists: [Corpus.File]
  private let declarations: [Corpus.File]
  private let mime: [Corpus.File]

  init(_ campaign: Campaign) throws {
    let scenery = try campaign.scenery()
    (catalog, first) = (scenery.current, scenery.first)
    lists = Corpus.files("PropertyLists/good") + Corpus.files("PropertyLists/hostile")
    declarations = Corpus.files("Declarations")
    mime = Corpus.files("MIME")
    guard !lists.isEmpty, !declarations.isEmpty, !mime.isEmpty else {
      throw CommandError(description: "the corpus is not there")
    }
  }

  func attempt(_ attempt: Attempt) throws {
    switch attempt.random.below(5) {
    case 0: try containers(attempt)
    case 1: try types(attempt)
    case 2: try userDirectories(attempt)
    case 3: try queries(attempt)
    default: try patternsAndCursors(attempt)
    }
  }

  private func damaged(_ files: [Corpus.File], _ random: inout SeededRandom) -> [UInt8] {
    random.damage(files[random.below(files.count)].bytes, with: Self.tokens)
  }

  /// Property lists where containers have theirs, and in packages.
  private func containers(_ attempt: Attempt) throws {
    for number in 0..<12 {
      let place = "tree/Containers/\(number)"
      for name in [
        ".com.apple.mobile_container_manager.metadata.plist",
        ".com.apple.containermanagerd.metadata.plist", "Info.plist", "x.app/Contents/Info.plist",
      ] {
        let bytes = damaged(lists, &attempt.random)
        try attempt.directory.write(bytes, to: FilePath("\(place)/\(name)"))
      }
      try attempt.directory.makeDirectory(FilePath("\(place)/Documents"))
      try attempt.directory.makeDirectory(FilePath("\(place)/Library/Caches"))
    }
    for arguments in [
      ["containers", "discover", "tree/Containers"],
      ["containers", "discover", "tree", "--register"], ["scan", "--sniff", "--xattrs", "tree"],
      ["containers", "list"], ["check", "--verify"],
    ] {
      try attempt.run(arguments + ["--catalog", attempt.catalog])
    }
    try attempt.expectSound()
  }

  /// Declarations of types, and the tables of shared-mime-info.
  private func types(_ attempt: Attempt) throws {
    let home = attempt.directory.path.string
    for file in mime {
      let isDamaged = attempt.random.below(2) == 0
      let bytes = isDamaged ? attempt.random.damage(file.bytes, with: Self.tokens) : file.bytes
      try attempt.directory.write(bytes, to: FilePath("data/mime/\(file.name)"))
    }
    for number in 0..<4 {
      try attempt.directory.write(
        damaged(declarations, &attempt.random),
        to: FilePath("config/filecat/types.d/\(number).json"))
      try attempt.directory.write(
        damaged(lists, &attempt.random), to: FilePath("config/filecat/types.d/\(number).plist"))
      try attempt.directory.write(
        damaged(declarations + lists, &attempt.random), to: FilePath("import-\(number).json"))
    }
    for arguments in [
      ["types", "check"], ["types", "check", "--all"], ["types", "list"],
      ["types", "import", "import-0.json"], ["types", "import", "import-1.json", "--replace"],
      ["types", "tree", "public.data"], ["types", "extension", "txt"],
      ["types", "mime", "text/plain"], ["types", "of", home + "/import-0.json"],
      ["scan", home + "/config", "--catalog", attempt.catalog],
    ] {
      // Each declaration that is left out has a line, so that there may be several.
      try run(attempt, arguments, allowing: [0, 1, 3, 4, 64])
    }
    try attempt.expectSound()
  }

  private static let userDirectoriesFile = """
    # This file is written by xdg-user-dirs-update
    XDG_DESKTOP_DIR="$HOME/Desktop"
    XDG_DOWNLOAD_DIR="$HOME/Downloads"
    XDG_DOCUMENTS_DIR="/data/Documents"
    XDG_MUSIC_DIR="$HOME/a \\"quoted\\" \\$name \\`x\\`"
    XDG_VIDEOS_DIR="$HOME"
    """

  private func userDirectories(_ attempt: Attempt) throws {
    for _ in 0..<8 {
      let bytes = attempt.random.damage(Array(Self.userDirectoriesFile.utf8), with: Self.tokens)
      try attempt.directory.write(bytes, to: "config/user-dirs.dirs")
      for role in ["documents", "downloads", "music", "movies", "desktop"] {
        let place = ["containers", "resolve", role]
        try run(attempt, place, allowing: [0, 1, 4, 64])
      }
      try run(attempt, ["containers", "list"], allowing: [0, 1, 4])
    }
  }

  private static let querySeeds = [
    "name:*.swift ext:png,jpg", "regex:^IMG_[0-9]+ OR path:Sources/**", "kind:image size:>10M",
    "size:1k..4k NOT (owner:root | group:root)", "modified:<7d created:2026-01-01..2026-02-01",
    "is:public.image type:public.jpeg", "mode:/022 links:>1 empty:yes hidden:no broken:yes",
    "role:caches container:x backup:no purgeable:yes", "scale:2 idiom:ipad tag:\"red, blue\"",
    "case:yes \"quoted \\\" word\" !x", "uid:0 gid:0 depth:3 -name:x", "{a,b}*[!x-z]?", "@saved",
    "regex:(a+)+$ regex:(a|aa)*b", "regex:\"a{1000}{1000}\"", "((((((a))))))",
  ]
  private static let queryTokens = [
    "(", ")", "\"", "\\", "*", "**", "?", "[", "]", "{", "}", ",", "..", "<", ">", "=", ":", "!",
    "-",
    "|", "OR", "NOT", "AND", "regex:", "name:", "size:", "modified:", "path:/", "e\u{301}",
    "\u{1F600}",
    "99999999999999999999999", "\t", "\n", "\u{1B}", "a{9999}", "(?=x)", "[[:alpha:]]", "\\p{L}",
  ]

  private func queries(_ attempt: Attempt) throws {
    for _ in 0..<12 {
      let seed = Self.querySeeds[attempt.random.below(Self.querySeeds.count)]
      let query = attempt.random.damage(Array(seed.utf8), with: Self.queryTokens)
        .filter { $0 != 0 }.prefix(50_000)
      try run(
        attempt, bytes: [Array("find".utf8), Array(query)] + inCatalog, allowing: [0, 1, 64])
    }
  }

  private var inCatalog: [[UInt8]] { [Array("--catalog".utf8), Array(catalog.utf8)] }

  private func patternsAndCursors(_ attempt: Attempt) throws {
    let page = ["find", "--sort", "-size", "--limit", "3", "--after"]
    guard
      let run = try attempt.run(page + ["start", "--catalog", catalog]),
      let cursor = run.errors.split(whereSeparator: { " \n".contains($0) }).last
    else { return }
    for _ in 0..<6 {
      let other = attempt.random.damage(Array(cursor.utf8), with: Self.queryTokens)
        .filter { $0 != 0 }
      try self.run(
        attempt, bytes: page.map { Array($0.utf8) } + [other] + inCatalog, allowing: [0, 1, 64])
    }
    try attempt.directory.write("x", to: "tree/a/b.txt")
    for _ in 0..<6 {
      let seeds = ["*.txt", "/a/**", "[a-z]*", "{a,b}/*", "**/b.???", "!x"]
      let seed = Array(seeds[attempt.random.below(seeds.count)].utf8)
      let glob = attempt.random.damage(seed, with: Self.queryTokens).filter { $0 != 0 }
      let arguments = ["scan", "tree", "--catalog", attempt.catalog].map { Array($0.utf8) }
      try self.run(
        attempt, bytes: arguments + [Array("--exclude=".utf8) + glob],
        // A pattern may leave out more than half of what there was.
        allowing: [0, 3, 4, 64])
    }
    try attempt.expectSound()
  }

  private func run(
    _ attempt: Attempt, _ arguments: [String], allowing statuses: Set<Int32>
  ) throws {
    try run(attempt, bytes: arguments.map { Array($0.utf8) }, allowing: statuses)
  }

  private func run(
    _ attempt: Attempt, bytes arguments: [[UInt8]], allowing statuses: Set<Int32>
  ) throws {
    let words = ["filecat"] + arguments.map { String(decoding: $0, as: UTF8.self) }
    guard
      let result = try attempt.run(
        attempt.runner(), bytes: arguments, of: words, allowing: statuses)
    else { return }
    for harm in HostileText.harm(in: result.errorOutput).prefix(1) {
      attempt.note(.dishonest, "standard error has \(harm)", of: words)
    }
  }
}
