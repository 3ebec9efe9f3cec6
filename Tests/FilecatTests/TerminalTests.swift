import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("On a terminal", .enabled(if: TerminalSession.isAvailable))
struct TerminalTests {
  private func sandbox() throws -> Sandbox {
    let sandbox = try Sandbox()
    for number in 1...300 { try sandbox.makeFile("d\(number)/f\(number)") }
    return sandbox
  }

  private func run(_ arguments: String, in sandbox: Sandbox) throws -> CommandResult {
    try TerminalSession.run("'\(Sandbox.executable)' \(arguments)", in: sandbox)
  }

  @Test("a scan shows its progress on a line that it takes back", .feature("P-56"))
  func progress() throws {
    let sandbox = try sandbox()
    defer { sandbox.remove() }
    let run = try run("scan /usr/share tree 2>&1", in: sandbox)
    #expect([0, 3].contains(run.status))
    #expect(run.text.contains("entries · "))
    #expect(run.text.contains("/s"))
    // Back to the beginning of the line, and the line is cleared.
    #expect(run.output.contains(UInt8(ascii: "\r")))
    #expect(run.text.contains("\u{1B}[K"))
    #expect(run.text.contains("\(sandbox.tree): 601 entries"))
  }

  @Test("no progress with --no-progress, or where standard error is no terminal")
  func noProgress() throws {
    let sandbox = try sandbox()
    defer { sandbox.remove() }
    for arguments in ["scan --no-progress /usr/share tree", "scan tree 2>/dev/null"] {
      let run = try run(arguments, in: sandbox)
      #expect(!run.text.contains("\u{1B}[K"))
      #expect(!run.text.contains("/s · "))
      #expect(run.text.contains("\(sandbox.tree): 601 entries"))
    }
  }

  @Test("find and ls print tables, with control characters escaped")
  func tables() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("evil\u{1B}[2J", "abc")
    try sandbox.run("scan", "tree")
    for arguments in ["ls tree", "find evil", "find evil --format paths", "show tree/evil*"] {
      let run = try run(arguments, in: sandbox)
      #expect(run.status == 0)
      #expect(!run.text.contains("\u{1B}[2J"))
      #expect(run.text.contains("evil"))
    }
    #expect(try run("ls tree", in: sandbox).text.contains("SIZE"))
  }

  @Test("nothing that a terminal obeys comes from a name, in no format and not in progress either")
  func hostileNames() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for text in HostileText.allCases {
      for number in 1...40 { try sandbox.makeFile(bytes: text.bytes + Array("\(number)/f".utf8)) }
      try sandbox.directory.write("", to: sandbox.path(Array("new/".utf8) + text.bytes))
    }
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.makeFile(bytes: HostileText.controls.bytes + [0x21])
    let commands = [
      "find", "find --format csv", "find --format tsv", "find --format json", "ls tree",
      "du tree --depth 2", "check --verify", "report usage_by_directory", "scan --changes tree",
      "changes", "scan --changes new", "scan tree",
    ]
    for command in commands {
      // Wide enough that nothing is left out.
      let run = try TerminalSession.run(
        "COLUMNS=900 '\(Sandbox.executable)' \(command) 2>&1", in: sandbox)
      #expect([0, 1].contains(run.status), "\(command)")
      #expect(run.text.contains("pwn") || command == "scan tree", "\(command)")
      #expect(String(validating: run.output, as: UTF8.self) != nil, "\(command)")
      for obeyed in [
        "\u{1B}]", "\u{7}", "\u{8}", "\u{9B}", "\u{202E}", "\u{2028}", "\nfilecat: fake",
      ] {
        #expect(!run.text.contains(obeyed), "\(command): \(obeyed.debugDescription)")
      }
    }
  }

  @Test("colours, unless NO_COLOR is set")
  func colour() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("sub/a")
    try sandbox.run("scan", "tree")
    let command = "'\(Sandbox.executable)' ls tree"
    #expect(try TerminalSession.run(command, in: sandbox).output.contains(0x1B))
    #expect(!(try TerminalSession.run("NO_COLOR=1 " + command, in: sandbox).output.contains(0x1B)))
  }
}

@Suite("A reader that goes away")
struct BrokenPipeTests {
  @Test(
    "ends the command quietly with 0", arguments: ["find", "sql 'SELECT * FROM files'", "ls tree"])
  func head(_ command: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...2500 { try sandbox.makeFile("a name that is long enough \(number)") }
    try sandbox.run("scan", "tree")
    let script = """
      { '\(Sandbox.executable)' \(command); echo $? > status; } | head -n 1
      """
    let run = try sandbox.run(program: "/bin/sh", ["-c", script])
    #expect(Rows.lines(run).count == 1)
    #expect(run.errors.isEmpty)
    let status = try String(contentsOfFile: sandbox.home + "/status", encoding: .utf8)
    #expect(status == "0\n")
  }
}
