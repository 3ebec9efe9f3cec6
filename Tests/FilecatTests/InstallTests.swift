import SystemPackage
import TestSupport
import Testing

@Suite("Scripts/install")
struct InstallTests {
  private static let files: Set<String> = [
    "bin/filecat", "share/man/man1/filecat.1", "share/bash-completion/completions/filecat",
    "share/zsh/site-functions/_filecat", "share/fish/vendor_completions.d/filecat.fish",
  ]

  /// The scripts lie beside the tests.
  private static let install = FilePath(#filePath).removingLastComponent()
    .appending("../../Scripts/install").string

  private func install(in sandbox: Sandbox, _ arguments: String...) throws -> CommandResult {
    try sandbox.run(
      program: Self.install, ["--prefix", sandbox.home + "/there"] + arguments,
      environment: ["PREBUILT": Sandbox.executable])
  }

  @Test("installs the command, its manual and completions, and takes them away again")
  func round() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let installed = try install(in: sandbox)
    #expect(installed.status == 0, "\(installed.errors)")
    let prefix = "installed \(sandbox.home)/there/"
    let lines = installed.text.split(separator: "\n").map { $0.trimmingPrefix(prefix) }
    #expect(Set(lines.map(String.init)) == Self.files)
    #expect(installed.errors.contains("not on the search path"))

    let command = sandbox.home + "/there/bin/filecat"
    #expect(try sandbox.run(program: command, ["--version"]).status == 0)
    let shared = sandbox.home + "/there/share/"
    let completions = [
      ("bash", "bash-completion/completions/filecat"), ("zsh", "zsh/site-functions/_filecat"),
      ("fish", "fish/vendor_completions.d/filecat.fish"),
    ]
    for (shell, file) in completions where CommandRunner.exists(shell) {
      #expect(try sandbox.run(program: shell, ["-n", shared + file]).errors.isEmpty)
    }

    #expect(try install(in: sandbox).status == 0, "an older one is replaced")
    let removed = try install(in: sandbox, "--uninstall")
    #expect(removed.status == 0 && removed.text.split(separator: "\n").count == Self.files.count)
    let left = try sandbox.run(program: "find", [sandbox.home + "/there", "-type", "f"])
    #expect(left.text.isEmpty)
  }

  @Test(
    "the manual has every subcommand and every example, and roff nothing to complain about",
    .enabled(if: CommandRunner.exists("groff")))
  func manual() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    #expect(try install(in: sandbox).status == 0)
    let page = sandbox.home + "/there/share/man/man1/filecat.1"
    let shown = try sandbox.run(program: "groff", ["-man", "-ww", "-Tutf8", "-P-cbou", page])
    #expect(shown.errors.isEmpty)
    for text in [
      "filecat scan [options] [roots ...]", "filecat types conforms", "filecat containers policy",
      "filecat find kind:image 'modified:<7d' images of the last week", "--one-file-system",
      "FILECAT_CATALOG",
    ] {
      #expect(shown.text.contains(text), "\(text)")
    }
  }

  @Test("what makes no sense is wrong usage", arguments: [["--prefix"], ["somewhere"]])
  func usage(_ arguments: [String]) throws {
    let run = try CommandRunner(Self.install).run(arguments)
    #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
  }
}
