internal import CPlatform
internal import Console
package import FileCatalog
internal import FileSystem
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A catalog in the terminal of this process.
package struct Browser {
  package struct Options: Sendable {
    /// The directory that is shown first; `nil` for all roots.
    package var directory: FilePath?
    package var access = BrowserState.Access.acting
    package var key = SortKey.size
    package var sizes = SizeKind.onDisk
    /// Whether all roots are kept current meanwhile.
    package var watching = Watching.others
    package var colors = CursesTerminal.Colors.palette
    /// From when ages count, in seconds since 1970; `nil` for always the present.
    package var now: Int64?

    /// Who keeps the catalog current.
    package enum Watching: Sendable {
      /// Whoever else does, or nobody.
      case others
      case itself
    }

    package init() {}
  }

  /// How it came to its end.
  package enum End: Sendable {
    case quit
    /// The number of a signal.
    case signal(Int32)
  }

  private let options: Options
  private let worker: CatalogWorker
  private let mailbox: Mailbox
  private let terminal: CursesTerminal
  private var state: BrowserState
  private var end: End?

  /// What answers that come at once are waited for, so that nothing flickers.
  private static let patience = Duration.milliseconds(60)

  /// Shows a catalog until somebody has seen enough. To be called on the main thread.
  ///
  /// - Throws: ``CursesTerminal/StartError``; the terminal is as it was.
  package static func run(_ catalog: Catalog, _ options: Options) throws -> End {
    var browser = try Browser(catalog, options)
    return browser.run()
  }

  private init(_ catalog: Catalog, _ options: Options) throws {
    self.options = options
    let mailbox = try Mailbox()
    terminal = try CursesTerminal(colors: options.colors, bell: mailbox.bell)
    worker = CatalogWorker(catalog) { mailbox.post($0) }
    self.mailbox = mailbox
    state = BrowserState(
      options.directory, size: terminal.size, access: options.access,
      now: options.now ?? Self.seconds, key: options.key, sizes: options.sizes)
  }

  private static var seconds: Int64 { Int64(time(nil)) }

  private mutating func run() -> End {
    if options.watching == .itself { worker.watch() }
    perform(state.begin())
    var isAwaited = ContinuousClock.now
    while true {
      // A screen that is about to be filled is not shown empty before.
      let rest = state.isBeingFilled ? Self.patience - (ContinuousClock.now - isAwaited) : .zero
      if rest <= .zero {
        state.now = options.now ?? Self.seconds
        terminal.show(Screen.grid(of: state))
      }
      let isThere = terminal.wait(atMost: rest > .zero ? rest : nil)
      let wasBeingFilled = state.isBeingFilled
      obeySignals()
      for event in mailbox.take() { perform(state.take(event)) }
      while end == nil, let event = terminal.nextEvent() { perform(state.take(event)) }
      if !isThere { end = end ?? .signal(SIGHUP) }
      if !wasBeingFilled, state.isBeingFilled { isAwaited = .now }
      if let end {
        terminal.close()
        worker.end()
        return end
      }
    }
  }

  // MARK: - Effects

  private mutating func perform(_ effects: [BrowserEffect]) {
    for effect in effects {
      switch effect {
      case .quit: end = .quit
      case .redraw: terminal.redraw()
      case .copy(let bytes):
        terminal.tell(Clipboard.sequence(for: bytes))
        say(Message("copied"))
      case .openInProgram(let path):
        do throws(Errno) {
          try Programs.openOnDesktop(path)
          say(Message("opened \(Words.name(of: path))"))
        } catch {
          say(Message("no program can be started: \(error)", .fault))
        }
      case .runShell(let directory):
        var failure: Errno?
        terminal.leave {
          do throws(Errno) {
            try Programs.runShell(in: directory)
          } catch {
            failure = error
          }
        }
        if let failure {
          say(Message("no shell in \(Words.path(directory)): \(failure)", .fault))
        }
        perform(state.take(.resized(terminal.size)))
      default: worker.perform(effect)
      }
    }
  }

  private mutating func say(_ message: Message) { perform(state.take(.said(message))) }

  // MARK: - Signals

  private mutating func obeySignals() {
    let signals = terminal.takeSignals()
    if signals.isEmpty { return }
    if signals.contains(.interrupt) { end = .signal(SIGINT) }
    if signals.contains(.end) { end = .signal(SIGTERM) }
    if signals.contains(.hangup) { end = .signal(SIGHUP) }
    guard end == nil else { return }
    if signals.contains(.stop) {
      terminal.stop()
    } else if signals.contains(.goOn) {
      // Somebody else may have had the terminal.
      terminal.comeBack()
    }
    if !signals.isDisjoint(with: [.stop, .goOn, .resize]) {
      perform(state.take(.resized(terminal.resize())))
    }
  }
}

extension BrowserState {
  /// Whether what is to be seen is on its way, and nobody waits to see what is typed.
  var isBeingFilled: Bool {
    guard search?.isTyping != true, message == nil, dialog == nil else { return false }
    return listing.isStale || listing.awaited != nil
  }
}
