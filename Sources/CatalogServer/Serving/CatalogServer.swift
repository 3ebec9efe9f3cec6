internal import FileCatalog
internal import FileSystem
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
package import SystemPackage

/// A catalog over HTTP: the API, and the page that shows it.
package final class CatalogServer: Sendable {
  /// Why a server did not start.
  package enum StartError: Error, Sendable {
    /// Somebody else listens there.
    case inUse(String)
    /// The system does not allow it.
    case cannotListen(String, Errno)
    /// The address is none of this machine.
    case notAnAddress(String)
  }

  private let settings: ServerSettings
  private let catalog: Catalog
  private let follower: CatalogFollower
  private let server: Server<Connections>
  private let group: MultiThreadedEventLoopGroup
  private let started: AsyncStream<SocketAddress?>

  /// Opens the catalog.
  ///
  /// - Throws: `CatalogError`.
  package init(_ settings: ServerSettings) async throws {
    let catalog = try Catalog(reading: settings.catalog, connections: settings.readers)
    var limits = TableShelf.Limits()
    limits.tables = settings.tables
    limits.tablesOfClient = settings.tablesOfClient
    limits.idleTime = .seconds(settings.tableIdleSeconds)
    let shelf = TableShelf(catalog, limits)
    let follower = try await CatalogFollower(catalog, shelf)
    let measures = Measures()
    let registry = await Task { TypeSources.standard.allTypes() }.value
    var endpoints =
      EntryEndpoints(catalog: catalog).all + ReportEndpoints(catalog: catalog).all
      + HistoryEndpoints(catalog: catalog).all
      + TypeEndpoints(catalog: catalog, registry: registry).all
      + QueryEndpoints(catalog: catalog).all
      + TableEndpoints(catalog: catalog, shelf: shelf, follower: follower).all
    endpoints.append(CatalogEvents(catalog: catalog, follower: follower).endpoint)
    endpoints.append(
      SQLEndpoint(catalog: catalog, program: settings.statementProgram).endpoint)
    endpoints +=
      ServiceEndpoints(
        catalog: catalog,
        about: .init(version: settings.version, allowsSQL: settings.statementProgram != nil),
        measures: measures, shelf: shelf, follower: follower
      ).all
    let document = OpenAPI(
      endpoints: endpoints, version: settings.version, needsToken: settings.token != nil
    ).document
    endpoints.append(
      Endpoint(.get, OpenAPI.path, "This description", reply: .json(.any)) { _ in
        Answer(document, "application/json")
      })
    let responder = Responder(
      catalog: catalog, settings: settings,
      gate: Gate(token: settings.token, hosts: settings.hosts), routes: Routes(endpoints),
      page: PageFiles(), measures: measures)

    var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
    decoder.maxHeaderFieldSize = settings.headBytes
    decoder.maxHeaderListSize = settings.headBytes
    decoder.maxHeaderFieldCount = 100
    let http = HTTP1Channel(
      responder: { request, writer, channel in
        try await responder.respond(to: request, writer, on: channel)
      },
      configuration: .init(
        idleTimeout: .seconds(Int64(settings.idleSeconds)), httpDecoderConfiguration: decoder))
    let (started, start) = AsyncStream<SocketAddress?>.makeStream()
    group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    server = Server(
      childChannelSetup: Connections(http: http, isLocal: settings.place.isSocket),
      configuration: ServerConfiguration(
        address: settings.place.bindAddress,
        availableConnectionsDelegate: .maximum(settings.connections, logger: .silent)),
      onServerRunning: { channel in
        start.yield(channel.localAddress)
        start.finish()
      }, eventLoopGroup: group, logger: .silent)
    self.settings = settings
    self.catalog = catalog
    self.follower = follower
    self.started = started
  }

  /// Answers until it is stopped.
  ///
  /// - Parameter ready: called with the address of the page once requests are answered; `nil` for a socket.
  /// - Throws: ``StartError``, `CatalogError`.
  package func run(ready: @escaping @Sendable (String?) async -> Void) async throws {
    if case .socket(let path) = settings.place { try await requireFree(path) }
    defer { try? catalog.close() }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { [server, settings] in
        do {
          try await server.run()
        } catch let error as IOError {
          throw StartError(error, at: settings.place)
        } catch let error as SocketAddressError {
          throw StartError.notAnAddress("\(error)")
        }
      }
      tasks.addTask { [follower] in
        do {
          try await follower.run()
        } catch is CancellationError {
        }
        // The server goes on answering until it is stopped.
        try? await Task.sleep(for: .seconds(Int32.max))
      }
      tasks.addTask { [started, settings] in
        for await address in started { await ready(settings.place.url(address)) }
        try? await Task.sleep(for: .seconds(Int32.max))
      }
      defer { tasks.cancelAll() }
      try await tasks.next()
    }
    if case .socket(let path) = settings.place { path.withPlatformString { _ = unlink($0) } }
  }

  /// Ends all streams and connections, those that are idle at once. ``run(ready:)`` returns then.
  package func stop() async {
    follower.bell.fallSilent()
    try? await server.shutdownGracefully()
  }

  /// A socket that somebody answers on is not taken away.
  private func requireFree(_ path: FilePath) async throws {
    guard
      let channel = try? await ClientBootstrap(group: group)
        .connectTimeout(.seconds(1)).connect(unixDomainSocketPath: path.string).get()
    else { return }
    try? await channel.close()
    throw StartError.inUse(path.string)
  }
}

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension CatalogServer.StartError {
  fileprivate init(_ error: IOError, at place: ServerSettings.Place) {
    let name = place.name
    self =
      error.errnoCode == EADDRINUSE
      ? .inUse(name) : .cannotListen(name, Errno(rawValue: error.errnoCode))
  }
}

extension ServerSettings.Place {
  fileprivate var isSocket: Bool { if case .socket = self { true } else { false } }

  fileprivate var bindAddress: BindAddress {
    switch self {
    case .loopback(let port): .hostname("127.0.0.1", port: port)
    case .address(let host, let port): .hostname(host, port: port)
    case .socket(let path): .unixDomainSocket(path: path.string)
    }
  }

  fileprivate var name: String {
    switch self {
    case .loopback(let port): "127.0.0.1:\(port)"
    case .address(let host, let port): "\(host):\(port)"
    case .socket(let path): path.string
    }
  }

  /// What a browser opens.
  fileprivate func url(_ address: SocketAddress?) -> String? {
    switch self {
    case .socket: nil
    case .loopback(let port): "http://127.0.0.1:\(address?.port ?? port)/"
    case .address(let host, let port):
      "http://\(host.contains(":") ? "[\(host)]" : host):\(address?.port ?? port)/"
    }
  }
}

extension Logger {
  /// Says nothing: what is asked for is nobody's business.
  fileprivate static var silent: Logger {
    Logger(label: "filecat", factory: { _ in SwiftLogNoOpLogHandler() })
  }
}

/// Connections that end when whoever is at the other end has gone without a word.
struct Connections: ServerChildChannel {
  let http: HTTP1Channel
  let isLocal: Bool

  /// Milliseconds in which what was sent has to be acknowledged.
  private static let patience = 30_000

  func setup(
    channel: any Channel, logger: Logger
  ) -> EventLoopFuture<HTTP1Channel.Value> {
    let http = http
    guard !isLocal else { return http.setup(channel: channel, logger: logger) }
    var ready = channel.setOption(ChannelOptions.socketOption(.so_keepalive), value: 1)
    #if os(Linux)
      // TCP_USER_TIMEOUT
      let patience = ChannelOptions.Types.SocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: 18))
      ready = ready.flatMap { channel.setOption(patience, value: Self.patience) }
    #endif
    return ready.flatMap { http.setup(channel: channel, logger: logger) }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
