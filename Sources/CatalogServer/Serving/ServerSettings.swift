package import SystemPackage

/// How a catalog is served.
package struct ServerSettings: Sendable {
  /// Where the server listens.
  package enum Place: Sendable {
    /// On this machine alone; port 0 stands for any that is free.
    case loopback(port: Int)
    /// On an address that others may reach.
    case address(String, port: Int)
    /// On a socket in the file system.
    case socket(FilePath)
  }

  /// The catalog's file.
  package var catalog: FilePath
  package var place: Place
  /// What every request must have; `nil` where none is needed.
  package var token: [UInt8]?
  /// Names of this machine by which it may be called, beside its addresses and `localhost`.
  package var hosts: Set<String> = []
  /// The program and the words by which a process for statements of others is started; `nil` where SQL is
  /// not allowed.
  package var statementProgram: [String]?
  /// Gets a line for each request, with all that it asked for; `nil` for none.
  package var log: (@Sendable (String) -> Void)?
  /// What answers call the program.
  package var version = ""

  /// So many requests wait or are worked on.
  package var connections = 512
  /// So many questions are asked of the catalog at a time.
  package var readers = 4
  /// So many bytes a request may bring.
  package var bodyBytes = 256 << 10
  /// So many bytes its head may have.
  package var headBytes = 32 << 10
  /// How long a connection may do nothing, and a request may take to come.
  package var idleSeconds = 60
  /// How long an answer may take.
  package var answerSeconds = 30
  /// How long somebody may take to read what was sent.
  package var readingSeconds = 20
  package var tables = 1024
  package var tablesOfClient = 256
  package var tableIdleSeconds = 600

  package init(catalog: FilePath, at place: Place) {
    self.catalog = catalog
    self.place = place
  }

}
