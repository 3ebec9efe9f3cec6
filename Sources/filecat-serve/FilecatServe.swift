import CPlatform
import CatalogServer
import Console
import Dispatch
import FileCatalog
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program that `filecat serve` becomes. It is one of its own, so that the command does not carry a server
/// each time that it lists a directory.
@main
enum FilecatServe {
  private static let failed: Int32 = 4
  private static let usage: Int32 = 64

  static func main() async {
    cplatform_occupy_standard_descriptors()
    StandardStream.reportClosedPipes()
    cplatform_return_memory_soon()
    let words = ProcessArguments.words
    if words.first == Array(StatementProcess.word.utf8) { return runStatement(words) }
    if words == [Array("--version".utf8)] { return say("filecat-serve \(Release.version)") }
    do {
      try await serve(try ServeArguments(words))
    } catch let error as ServeError {
      end(with: usage, "\(error)")
    } catch let error as CatalogServer.StartError {
      end(with: failed, line(for: error))
    } catch let error as CatalogError where error.code == .catalogNotFound {
      end(with: failed, "\(error); make one with: filecat scan DIRECTORY")
    } catch {
      end(with: failed, "\(error)")
    }
    exit(0)
  }

  // MARK: - Serving

  private static func serve(_ arguments: ServeArguments) async throws {
    var settings = arguments.settings
    settings.version = Release.version
    if arguments.allowsSQL {
      settings.statementProgram = ["/proc/self/exe", StatementProcess.word]
      #if canImport(Darwin)
        settings.statementProgram = [CommandLine.arguments[0], StatementProcess.word]
      #endif
    }
    if arguments.logsQueries {
      settings.log = { line in try? StandardStream.error.print("\(line)") }
    }
    // A socket, and what else is made, is for its owner alone.
    umask(0o077)
    let server = try await CatalogServer(settings)
    let token = settings.token
    let place = settings.place
    let watch = arguments.watches ? Watch(of: settings.catalog) : nil
    let signals = Signals {
      watch?.end()
      Task { await server.stop() }
    }
    defer { signals.end() }
    watch?.start()
    try await server.run { url in
      if let url {
        say(url)
      } else if case .socket(let path) = place {
        say("\(path.string)")
      }
      guard arguments.opensBrowser, let url else { return }
      do {
        try await Browser.open(url, token: token)
      } catch {
        tell("no browser can be started; open \(url)")
      }
    }
    watch?.end()
  }

  // MARK: - Statements of others

  private static func runStatement(_ words: [[UInt8]]) {
    var statement: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while statement.count < 1 << 20 {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 else { break }
      statement += buffer[..<count]
    }
    try? StatementProcess.run(
      words.dropFirst().map { String(decoding: $0, as: UTF8.self) },
      String(decoding: statement, as: UTF8.self))
    exit(0)
  }

  // MARK: - Words

  private static func line(for error: CatalogServer.StartError) -> String {
    switch error {
    case .inUse(let place):
      place.hasPrefix("/")
        ? "somebody answers at \(place) already; end that one, or name another with --socket"
        : "\(place) is in use; take another port with --port N, or any that is free with --port 0"
    case .cannotListen(let place, let reason): "cannot listen at \(place): \(reason)"
    case .notAnAddress(let fact):
      "that is no address of this machine (\(fact)); name one with --listen"
    }
  }

  private static func say(_ line: String) {
    try? StandardStream.output.print("\(line)")
  }

  static func tell(_ line: String) {
    try? StandardStream.error.print("filecat: \(line)")
  }

  private static func end(with status: Int32, _ line: String) -> Never {
    tell(line)
    exit(status)
  }
}

/// Calls somebody when the process is asked to end, and ends it when that does not come about soon. A second
/// signal ends it at once.
private final class Signals: Sendable {
  private static let signals = [SIGINT, SIGTERM]
  /// For connections that do not end.
  private static let grace = 3

  // Sendable: nothing but the end of them is left to do.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  init(_ body: @escaping @Sendable () -> Void) {
    // With a thread of its own: all threads of tasks may be busy.
    let queue = DispatchQueue(label: "signals")
    sources = Self.signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        for number in Self.signals { signal(number, SIG_DFL) }
        queue.asyncAfter(deadline: .now() + .seconds(Self.grace)) { exit(0) }
        body()
      }
      source.resume()
      return source
    }
  }

  func end() { for source in sources { source.cancel() } }
}

/// `filecat watch`, in a process of its own: this one never writes to the catalog.
private final class Watch: Sendable {
  private let process: ChildProcess

  init(of catalog: FilePath) {
    let beside = FilePath("/proc/self/exe").resolved?.removingLastComponent().appending("filecat")
    let program = beside.map(\.string) ?? "filecat"
    process = ChildProcess([program, "watch", "--catalog", catalog.string])
  }

  func start() {
    let process = process
    Task.detached {
      do {
        let status = try await Blocking.run {
          var words: [UInt8] = []
          let status = try process.run { stream, bytes in
            if stream == .errors, words.count < 4096 { words += bytes }
          }
          return (status, words)
        }
        if status.0 != 0, status.0 < 128 {
          let line = status.1.prefix { $0 != UInt8(ascii: "\n") }
          FilecatServe.tell("watching has ended: \(String(decoding: line, as: UTF8.self))")
        }
      } catch {
        FilecatServe.tell("the disk is not watched: \(error)")
      }
    }
  }

  func end() { process.cancel() }
}
