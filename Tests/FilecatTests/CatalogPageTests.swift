import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The page of `filecat serve` in a real browser, over a catalog that a watch keeps current. What is done and what is
/// seen is in Tests/Browser.
@Suite(
  "The page of a catalog in a browser",
  .enabled(
    if: PageScenarios.areReady,
    "there is no Chromium, or nothing that drives it; Scripts/setup-tests installs that"))
struct CatalogPageTests {
  // Each has a browser, a server and a watch of its own: all at once would leave the others no processor.

  @Test("shows tables, and what changes in them", .serialized, arguments: ["table", "live"])
  func tables(part: String) throws { try play(part) }

  @Test(
    "searches, has other views, and is for everybody", .serialized,
    arguments: ["search", "views", "look"])
  func views(part: String) throws { try play(part) }

  /// Plays the scenarios of a file, one after the other.
  private func play(_ part: String) throws {
    let filecat = try #require(CommandRunner.built("filecat"))
    let run = try PageScenarios.run(part, over: filecat.program)
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(run.text.contains(" passed, 0 failed"))
  }
}

/// The scenarios, which are in Python, as what drives the browser is.
enum PageScenarios {
  private static let python = "\(Clients.root)/.build/browser/bin/python"
  private static let script = "\(Clients.root)/Tests/Browser/run.py"
  private static let browser = "/usr/bin/chromium"

  static let areReady = access(python, X_OK) == 0 && access(browser, X_OK) == 0

  static func run(_ part: String, over filecat: String) throws -> CommandResult {
    // Twenty thousand files: what it is like with a million is measured, not tested.
    try CommandRunner(python, ["-B", script]).run([
      "--filecat", filecat, "--browser", browser, "--part", part, "--directories", "20",
      "--pages", "60", "--tries", "3", "--patience", "20",
    ])
  }
}
