import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Real shells with the scripts that the command makes for them.
@Suite("Completions")
struct CompletionTests {
  private func withCatalog(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a b.png")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("find", "--save", "big", "size:>1M").status == 0)
    #expect(try sandbox.run("containers", "add", "flatpak", "tree").status == 0)
    for shell in ["bash", "zsh", "fish"] {
      let script = try sandbox.run("--generate-completion-script", shell)
      #expect(script.status == 0 && script.errors.isEmpty)
      try sandbox.directory.write(script.text, to: FilePath("completion." + shell))
    }
    try body(sandbox)
  }

  /// The search path with the command on it.
  private static let environment = [
    "PATH": FilePath(Sandbox.executable).removingLastComponent().string + ":/usr/bin:/bin"
  ]

  /// What there is to be completed, and some of what is offered.
  static let lines: [(line: String, offered: [String])] = [
    ("filecat ls --sort modi", ["modified"]),
    ("filecat ls --sort size,na", ["size,name"]),
    ("filecat find --columns path,mod", ["path,modified", "path,modified_ns", "path,mode"]),
    ("filecat du --sort total_s", ["total_size"]),
    ("filecat report usage_by_t", ["usage_by_type"]),
    ("filecat report usage_by_type --sort al", ["allocated"]),
    ("filecat report largest_files --in x --sort size,mod", ["size,modified"]),
    ("filecat report --sort abs", ["abstract"]),
    ("filecat changes --sort old_s", ["old_size"]),
    ("filecat schema dir", ["directories"]),
    ("filecat types show public.jpeg-x", ["public.jpeg-xl"]),
    ("filecat types conforms public.jpeg public.ima", ["public.image"]),
    ("filecat roots --format nd", ["ndjson"]),
    ("filecat changes --kind added,mo", ["added,modified", "added,moved"]),
    ("filecat find --unsave ", ["big"]),
    ("filecat containers resolve cach", ["caches"]),
    ("filecat lookup x --idiom ipa", ["ipad"]),
    ("filecat conf", ["config"]),
  ]

  /// Terms of queries, which bash completes from the last colon on.
  static let terms: [(line: String, offered: [String])] = [
    ("filecat find modi", ["modified:"]),
    ("filecat find kind:im", ["kind:image"]),
    ("filecat find readme is:public.jpeg-x", ["is:public.jpeg-xl"]),
    ("filecat find broken:", ["broken:yes", "broken:no"]),
    ("filecat find !kind:vid", ["!kind:video"]),
    ("filecat find kind:image,vid", ["kind:image,video"]),
    ("filecat find role:cach", ["role:caches"]),
    ("filecat find @b", ["@big"]),
    ("filecat find @", ["@big"]),
  ]

  // MARK: - Shells

  /// Asks bash as it asks itself when somebody presses the key.
  private static let askBash = #"""
    source "$1"
    # As bash takes a line apart: a mark is a word of its own, but what is to be completed begins
    # behind a colon, or with an @.
    COMP_LINE=$2 COMP_POINT=${#2}
    marked=${2//:/ : }
    read -r -a COMP_WORDS <<<"${marked//@/ @ }"
    [[ $2 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    current=${2##*[ :]}
    # Which is not to be had without somebody who types.
    compopt() { options+=" $*"; }
    # complete -o filenames -F FUNCTION filecat
    specification=($(complete -p filecat))
    "${specification[4]}" filecat "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}"
    [ -z "${options:-}" ] || echo "$options" >&2
    """#

  private func bash(_ line: String, _ sandbox: Sandbox) throws -> CommandResult {
    try sandbox.run(
      program: "bash",
      ["--norc", "-c", Self.askBash, "bash", sandbox.home + "/completion.bash", line],
      environment: Self.environment)
  }

  @Test(
    "bash offers what the command knows", .feature("P-54"),
    .enabled(if: CommandRunner.exists("bash")))
  func bash() throws {
    try withCatalog { sandbox throws in
      for (line, offered) in Self.lines {
        let run = try bash(line, sandbox)
        #expect(run.status == 0 && run.errors.isEmpty, "\(line): \(run.errors)")
        #expect(Set(Rows.lines(run)) == Set(offered), "\(line)")
      }
      for (line, offered) in Self.terms {
        let run = try bash(line, sandbox)
        let behindColon = offered.map { word in
          guard line.contains(":"), let colon = word.firstIndex(of: ":") else { return word }
          return String(word[word.index(after: colon)...])
        }
        #expect(Set(Rows.lines(run)) == Set(behindColon), "\(line)")
        // A term without a value goes on.
        let goesOn = offered.contains { $0.hasSuffix(":") }
        #expect(run.errors.contains("-o nospace") == goesOn, "\(line): \(run.errors)")
      }
      #expect(Rows.lines(try bash("filecat find --sort -si", sandbox)) == ["-size"])
      let roots = try bash("filecat forget ", sandbox)
      #expect(Rows.lines(roots) == [sandbox.tree])
    }
  }

  /// Asks fish, which knows where the cursor is only when somebody types; the script asks for that,
  /// and the command does not need it.
  private static let askFish = """
    source $argv[1]
    functions --copy __filecat_tokens __filecat_typed_tokens
    function __filecat_tokens
      if string match --quiet -- '*C' $argv; echo 0; else; __filecat_typed_tokens $argv; end
    end
    for line in $argv[2..]
      complete -C $line
      echo
    end
    """

  @Test(
    "fish offers what the command knows", .feature("P-54"),
    .enabled(if: CommandRunner.exists("fish")))
  func fish() throws {
    try withCatalog { sandbox throws in
      let questions = Self.lines + Self.terms + [("filecat forget ", [sandbox.tree])]
      let run = try sandbox.run(
        program: "fish",
        ["--no-config", "-c", Self.askFish, "completion.fish"] + questions.map(\.line),
        environment: Self.environment)
      #expect(run.status == 0, "\(run.errors)")
      // An empty line ends the answers to each question.
      let answers = run.text.components(separatedBy: "\n\n")
      try #require(answers.count == questions.count + 1)
      for ((line, offered), answer) in zip(questions, answers) {
        let lines = answer.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        for word in offered { #expect(lines.contains(word), "\(line): \(lines)") }
      }
    }
  }

  /// Asks the function with which the script for zsh asks the command, and prints what it hands to
  /// zsh: a colon that is not escaped would begin an explanation there.
  private static let askZsh = """
    compdef() {}
    source $1 2>/dev/null
    __filecat_complete() { print -rl -- "$@" }
    command_name=filecat
    command_line=(${=2})
    SAP_SHELL=zsh __filecat_custom_complete ---completion ${=3} $((${#command_line} - 1)) 0
    """

  @Test(
    "zsh offers what the command knows", .feature("P-54"),
    .enabled(if: CommandRunner.exists("zsh")),
    arguments: [
      ("filecat find kind:imag", "find -- positional@0", "kind\\:image"),
      ("filecat find @b", "find -- positional@0", "@big"),
      ("filecat find modif", "find -- positional@0", "modified\\:"),
      ("filecat ls --sort size,modif", "ls -- --sort", "size,modified"),
      ("filecat types show public.jpe", "types show -- positional@0", "public.jpeg"),
    ])
  func zsh(_ line: String, _ asked: String, _ offered: String) throws {
    try withCatalog { sandbox throws in
      let script = sandbox.home + "/completion.zsh"
      #expect(try sandbox.run(program: "zsh", ["-n", script]).errors.isEmpty)
      let run = try sandbox.run(
        program: "zsh",
        ["-f", "-c", "export SAP_SHELL=zsh\n" + Self.askZsh, "zsh", script, line, asked],
        environment: Self.environment)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(Rows.lines(run).contains(offered), "\(run.text)")
    }
  }

  @Test("what is asked for without a catalog is nothing, and no message")
  func withoutCatalog() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      "---completion", "find", "--", "--unsave", "3", "0", "filecat", "find", "--unsave", "")
    #expect(run.status == 0 && run.errors.isEmpty && run.text.filter { $0 != "\n" }.isEmpty)
    let other = try sandbox.run(
      "---completion", "forget", "--", "positional@0", "4", "0", "filecat", "forget", "--catalog",
      "'/nowhere/x'", "")
    #expect(other.status == 0 && other.errors.isEmpty)
  }
}
