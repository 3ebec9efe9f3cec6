import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct ServeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "serve", _superCommandName: FileCat.name,
    abstract: "Show the catalog in a browser, and answer programs over HTTP.",
    discussion: """
      Prints the address and answers until it is interrupted. The server never writes to the catalog. The \
      page shows tables of any length, maps, growth, changes as they come, and reports; the same is there \
      for programs under /api/v1, described by /api/v1/openapi.json, and numbers for a monitoring system \
      under /metrics.

      Nobody but this machine is answered, unless --listen names an address; then every request needs the \
      token that --token-file holds.

        filecat serve --open
        filecat serve --watch --port 8080
        filecat serve --listen 192.168.1.5 --token-file ~/.config/filecat/token
      """)

  static let usualPort = 7433

  @OptionGroup var catalog: CatalogOptions

  @Option(
    help: ArgumentHelp(
      "The port; 0 for any that is free. \(Self.usualPort) unless told otherwise.",
      valueName: "n"))
  var port: Int?

  @Option(
    help: ArgumentHelp(
      "Answer at a socket in the file system, which is for its owner alone.", valueName: "path"),
    completion: .file())
  var socket: PathArgument?

  @Option(
    help: ArgumentHelp(
      "Answer at an address that others can reach, too; needs --token-file.",
      valueName: "address"))
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "A file that only its owner may read, with what every request must bring: 16 characters or more.",
      valueName: "file"),
    completion: .file())
  var tokenFile: PathArgument?

  @Option(
    help: ArgumentHelp(
      "A name by which this machine may be called, beside its addresses and localhost.",
      valueName: "name"))
  var host: [String] = []

  @Flag(help: "Answer SQL statements that read, with the limits of filecat sql.")
  var allowSQL = false

  @Flag(help: "Open the page in a browser.")
  var open = false

  @Flag(help: "Keep the catalog current meanwhile, as filecat watch does.")
  var watch = false

  @Flag(help: "Print each request, with what it asked for, on standard error.")
  var logQueries = false

  func validate() throws {
    if let port, !(0...65_535).contains(port) {
      throw ValidationError("--port takes a number from 0 to 65535")
    }
    if socket != nil, listen != nil || port != nil {
      throw ValidationError("--socket goes without --port and --listen")
    }
    if socket != nil, open {
      throw ValidationError("a browser opens no socket in the file system; leave out --open")
    }
    if listen != nil, tokenFile == nil {
      throw ValidationError(
        "--listen needs --token-file FILE, as everybody who reaches the address could read the catalog"
      )
    }
  }

  func execute() async throws -> Outcome {
    // Said in the usual words, and brought up to this version: the server itself never writes.
    let catalog = try catalog.open()
    _ = try await catalog.historyHorizon()
    let file = catalog.path.absolute
    catalog.closeQuietly()
    throw CompanionProgram("filecat-serve").become(words(for: file))
  }

  private func words(for catalog: FilePath) -> [FilePath] {
    var words: [FilePath] = ["--catalog", catalog]
    if let socket {
      words += ["--socket", socket.path.absolute]
    } else {
      words += ["--port", FilePath("\(port ?? Self.usualPort)")]
    }
    if let listen { words += ["--listen", FilePath(listen)] }
    if let tokenFile { words += ["--token-file", tokenFile.path.absolute] }
    for name in host { words += ["--host", FilePath(name)] }
    let flags = [
      (allowSQL, "--allow-sql"), (open, "--open"), (watch, "--watch"),
      (logQueries, "--log-queries"),
    ]
    return words + flags.filter(\.0).map { FilePath($0.1) }
  }
}
