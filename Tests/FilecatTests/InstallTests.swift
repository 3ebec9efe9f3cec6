import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Scripts/install")
struct InstallTests {
  private static let files: Set<String> = [
    "bin/filecat", "bin/filecat-browse", "bin/filecat-serve", "share/man/man1/filecat.1",
    "share/man/man1/filecat-scan.1",
    "share/man/man1/filecat-types.1", "share/man/man7/filecat-query.7",
    "share/man/man7/filecat-schema.7", "share/bash-completion/completions/filecat",
    "share/zsh/site-functions/_filecat", "share/fish/vendor_completions.d/filecat.fish",
  ]
  private static let units: Set<String> = [
    "share/systemd/user/filecat-scan.service", "share/systemd/user/filecat-scan.timer",
    "share/systemd/user/filecat-watch.service",
  ]

  /// Some of what the pages say, as one reads it.
  private static let content = [
    "man1/filecat.1": ["filecat-scan(1)", "FILECAT_CATALOG", "--spreadsheet", "130 interrupted"],
    "man1/filecat-scan.1": [
      "filecat-scan - index directories", "--one-file-system", "[roots ...]",
    ],
    "man1/filecat-find.1": ["SYNOPSIS", "filecat find @big kind:video", "filecat-query(7)"],
    "man1/filecat-types.1": ["filecat types conforms", "--conforming-to id"],
    "man1/filecat-containers.1": ["filecat containers policy"],
    "man7/filecat-query.7": ["report[1-3].txt", "“readme”", "é", "modified:<7d", "2\\*2"],
    "man7/filecat-schema.7": ["usage_by_type", "modified_ns", "seconds since 1970-01-01 UTC"],
  ]

  /// The scripts lie beside the tests.
  private static let install = FilePath(#filePath).removingLastComponent()
    .appending("../../Scripts/install").string

  private func install(in sandbox: Sandbox, _ arguments: String...) throws -> CommandResult {
    try sandbox.run(
      program: Self.install, ["--prefix", sandbox.home + "/there"] + arguments,
      environment: ["PREBUILT": Sandbox.executable])
  }

  /// What a run says that it has done with files.
  private func files(_ run: CommandResult, _ verb: String, _ sandbox: Sandbox) -> Set<String> {
    Set(Rows.lines(run).map { String($0.trimmingPrefix("\(verb) \(sandbox.home)/there/")) })
  }

  @Test("installs the command, its manual and completions, and takes them away again")
  func round() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let installed = try install(in: sandbox)
    #expect(installed.status == 0, "\(installed.errors)")
    let told = files(installed, "installed", sandbox)
    #expect(told.isSuperset(of: Self.files) && told.isDisjoint(with: Self.units))
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
    // What belongs to others stays.
    try sandbox.directory.write("", to: "there/share/man/man1/file.1")
    let removed = try install(in: sandbox, "--uninstall")
    #expect(removed.status == 0 && files(removed, "removed", sandbox) == told)
    let left = try sandbox.run(program: "find", [sandbox.home + "/there", "-type", "f"])
    #expect(Rows.lines(left) == [sandbox.home + "/there/share/man/man1/file.1"])
  }

  @Test(
    "every subcommand has a page, and none has anything to complain about for roff or mandoc",
    .feature("P-55"))
  func manual() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let installed = try install(in: sandbox)
    #expect(installed.status == 0)
    let there = sandbox.home + "/there/"
    let pages = files(installed, "installed", sandbox).filter { $0.contains("/man/") }
    let help = Rows.lines(try sandbox.run("help")).drop { $0 != "SUBCOMMANDS:" }.dropFirst()
    let subcommands = help.prefix { !$0.isEmpty }.filter { !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first }
    #expect(subcommands.count > 15)
    for name in subcommands { #expect(pages.contains("share/man/man1/filecat-\(name).1")) }

    for page in pages {
      if CommandRunner.exists("mandoc") {
        let lint = try sandbox.run(program: "mandoc", ["-Tlint", "-W", "warning", there + page])
        #expect(lint.status == 0 && lint.text.isEmpty, "\(lint.text)")
      }
      if CommandRunner.exists("groff") {
        let shown = try sandbox.run(
          program: "groff", ["-man", "-ww", "-z", "-Tutf8", there + page])
        #expect(shown.errors.isEmpty, "\(page): \(shown.errors)")
      }
    }
    guard CommandRunner.exists("groff") else { return }
    for (page, texts) in Self.content {
      let shown = try sandbox.run(
        program: "groff",
        ["-man", "-rLL=300n", "-Tutf8", "-P-cbou", there + "share/man/" + page])
      for text in texts { #expect(shown.text.contains(text), "\(page): \(text)") }
    }
  }

  @Test("the units of systemd are sound, start the installed command, and go with it")
  func units() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let installed = try install(in: sandbox, "--systemd")
    #expect(installed.status == 0, "\(installed.errors)")
    #expect(files(installed, "installed", sandbox).isSuperset(of: Self.units))
    #expect(installed.errors.contains("systemctl --user enable --now filecat-scan.timer"))
    let directory = sandbox.home + "/there/share/systemd/user"
    let service = try sandbox.directory.text(of: "there/share/systemd/user/filecat-scan.service")
    #expect(service.contains("ExecStart=\"\(sandbox.home)/there/bin/filecat\" scan"))
    if CommandRunner.exists("systemd-analyze") {
      for unit in Self.units {
        let path = sandbox.home + "/there/" + unit
        let run = try sandbox.run(
          program: "systemd-analyze", ["verify", "--user", "--man=no", path],
          environment: [
            "XDG_RUNTIME_DIR": sandbox.home, "SYSTEMD_UNIT_PATH": directory + ":",
          ])
        #expect(run.status == 0, "\(run.errors)")
        let own = run.errorLines.filter { $0.contains("filecat") }
        #expect(own.isEmpty, "\(run.errors)")
      }
    }
    // What the units start, they can start: their words are options of the command.
    for (unit, words) in [
      ("filecat-scan", ["scan", "--no-progress"]), ("filecat-watch", ["watch"]),
    ] {
      let text = try sandbox.directory.text(
        of: FilePath("there/share/systemd/user/\(unit).service"))
      #expect(text.contains("/bin/filecat\" \(words.joined(separator: " "))\n"))
      let run = try sandbox.run(words + ["--catalog", "/nowhere/x", "--help"])
      #expect(run.status == 0)
    }
    let removed = try install(in: sandbox, "--uninstall")
    #expect(files(removed, "removed", sandbox).isSuperset(of: Self.units))
  }

  @Test("a prefix with characters that units take for their own is quoted")
  func quotedPrefix() throws {
    let name = "50% a b"
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      program: Self.install, ["--prefix", "\(sandbox.home)/\(name)", "--systemd"],
      environment: ["PREBUILT": Sandbox.executable])
    #expect(run.status == 0)
    let unit = FilePath("\(name)/share/systemd/user/filecat-watch.service")
    let text = try sandbox.directory.text(of: unit)
    let quoted = "\(sandbox.home)/\(name)/bin/filecat".replacing("%", with: "%%")
    #expect(text.contains("ExecStart=\"\(quoted)\" watch\n"))
    guard CommandRunner.exists("systemd-analyze") else { return }
    let verified = try sandbox.run(
      program: "systemd-analyze",
      ["verify", "--user", "--man=no", sandbox.home + "/" + unit.string],
      environment: ["XDG_RUNTIME_DIR": sandbox.home])
    #expect(verified.status == 0, "\(verified.errors)")
  }

  @Test(
    "what makes no sense is wrong usage",
    arguments: [["--prefix"], ["somewhere"], ["--systemd=yes"]])
  func usage(_ arguments: [String]) throws {
    let run = try CommandRunner(Self.install).run(arguments)
    #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
  }
}
