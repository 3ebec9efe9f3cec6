import CatalogServer
import FileSystem
import StandardDirectories
import SystemPackage

/// What `filecat serve` has understood of its command line, handed on to this program.
struct ServeArguments {
  private(set) var settings: ServerSettings
  private(set) var opensBrowser = false
  private(set) var watches = false
  private(set) var allowsSQL = false
  private(set) var logsQueries = false

  /// - Parameter words: the arguments, as bytes.
  /// - Throws: ``ServeError``.
  init(_ words: [[UInt8]]) throws(ServeError) {
    var rest = words[...]
    var catalog: FilePath?
    var place = ServerSettings.Place.loopback(port: 0)
    var address: String?
    var port = 0
    var token: FilePath?
    var hosts: Set<String> = []
    var patience: Int?
    while let word = rest.popFirst() {
      let name = String(decoding: word, as: UTF8.self)
      switch name {
      case "--open": opensBrowser = true
      case "--watch": watches = true
      case "--allow-sql": allowsSQL = true
      case "--log-queries": logsQueries = true
      default:
        guard let value = rest.popFirst() else { throw .usage(name) }
        let text = String(decoding: value, as: UTF8.self)
        switch name {
        case "--catalog": catalog = FilePath(bytes: value)
        case "--port":
          guard let number = Int(text), (0...65_535).contains(number) else { throw .usage(name) }
          port = number
        case "--listen": address = text
        case "--socket": place = .socket(FilePath(bytes: value))
        case "--token-file": token = FilePath(bytes: value)
        case "--host": hosts.insert(text.lowercased())
        // For tests: what is waited for at all is waited for so long.
        case "--patience":
          guard let number = Int(text), number > 0 else { throw .usage(name) }
          patience = number
        default: throw .usage(name)
        }
      }
    }
    guard let catalog else { throw .usage("--catalog") }
    if let address {
      // Whoever reaches the address would read everything.
      guard token != nil else { throw .usage("--listen") }
      place = .address(address, port: port)
    } else if case .loopback = place {
      place = .loopback(port: port)
    }
    settings = ServerSettings(catalog: catalog, at: place)
    settings.hosts = hosts
    if let patience {
      settings.idleSeconds = patience
      settings.answerSeconds = patience
      settings.readingSeconds = patience
    }
    settings.token = try token.map(Self.token)
  }

  /// So few characters can be guessed.
  private static let shortestToken = 16

  private static func token(in file: FilePath) throws(ServeError) -> [UInt8] {
    let found: LocalFiles.WholeFile?
    do throws(Errno) {
      found = try LocalFiles().fileOfUser(file, limit: 4096)
    } catch {
      throw .token(file, "cannot be read: \(error)")
    }
    guard let found else { throw .token(file, "is not there") }
    guard
      found.status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute])
    else { throw .token(file, "may be read by others; protect it with: chmod 600") }
    let token = Array(found.bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed())
    let isPlain = token.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~+/=".utf8.contains(byte)
      }
    }
    guard token.count >= shortestToken, isPlain else {
      throw .token(
        file,
        "holds no token: \(shortestToken) letters and digits or more, as from: openssl rand -hex 16"
      )
    }
    return token
  }
}

/// Why this program ends at once.
enum ServeError: Error, CustomStringConvertible {
  /// A word of the command line is not understood.
  case usage(String)
  case token(FilePath, String)

  var description: String {
    switch self {
    case .usage(let word): "\(word) makes no sense here; this program is started by: filecat serve"
    case .token(let file, let fact): "\(file.string) \(fact)"
    }
  }
}
