import Console
import FileCatalog
import StandardDirectories
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the user has set for all runs of the command, in a file.
///
/// A line of the file is `KEY = VALUE`, and the value is written as the option of that name takes it.
/// Empty lines and those that begin with `#` say nothing. What the environment says goes before the
/// file, and an option before both.
struct Settings: Sendable {
  /// What can be set.
  enum Key: String, CaseIterable {
    case catalog, excludes
    case columnsOfLs = "columns.ls"
    case columnsOfFind = "columns.find"
    case color, hyperlink
  }

  /// The catalog's file where neither an option nor the environment names one.
  private(set) var catalog: FilePath?
  /// What roots that are new leave out where no option says it.
  private(set) var excludes: [String] = []
  /// The columns of `ls`.
  private(set) var columnsOfLs: [TableColumn]?
  /// The columns of `find`.
  private(set) var columnsOfFind: [TableColumn]?
  /// Where there is colour.
  private(set) var color: ColorPolicy?
  /// Where paths are links for the terminal.
  private(set) var hyperlink: HyperlinkPolicy?
  /// The lines of the file that set a key.
  private(set) var lines: [Key: [Int]] = [:]

  /// Where there is colour if no option says it.
  var colorInForce: ColorPolicy {
    Self.environment(Self.colorVariable) == nil ? color ?? .auto : .never
  }

  /// Those in force for the command that runs.
  @TaskLocal static var current = Settings()

  /// The variable that names the catalog, and goes before the file.
  static let catalogVariable = "FILECAT_CATALOG"
  /// The variable that takes colour away, and goes before the file.
  static let colorVariable = "NO_COLOR"

  /// What a variable of the environment says, if anything.
  static func environment(_ name: String) -> String? {
    Terminal.processEnvironment(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}

// MARK: - The file

extension Settings {
  /// Where the file is, if there is one.
  static var file: FilePath {
    get throws(DirectoryError) {
      try HostEnvironment.process.applicationSettings.pushing("filecat/config")
    }
  }

  /// A larger file is a mistake or a trap.
  private static let largestFile = 1 << 16

  /// Reads the file; where there is none, nothing is set.
  static func load() throws -> Settings {
    // Without a home there is no place where it could be.
    guard let file = try? file else { return Settings() }
    let found: LocalFiles.WholeFile?
    do throws(Errno) {
      found = try LocalFiles().fileOfUser(file, limit: largestFile)
    } catch {
      throw SettingsError(file, error == .invalidArgument ? .notAFile : .unreadable(error))
    }
    guard let found else { return Settings() }
    // Somebody else's file could send what is scanned to another place.
    let owner = found.status.userID.rawValue
    guard owner == 0 || owner == geteuid() else {
      throw SettingsError(file, .ofSomebodyElse(owner))
    }
    guard !found.status.permissions.contains(.otherWrite) else {
      throw SettingsError(file, .writableByOthers)
    }
    return try Settings(parsing: found.bytes, of: file)
  }
}

// MARK: - Its lines

extension Settings {
  /// Reads the text of the file.
  ///
  /// - Throws: ``SettingsError`` for the first line that makes no sense.
  init(parsing bytes: [UInt8], of file: FilePath) throws(SettingsError) {
    for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
    {
      let line = Self.trimmed(line)
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      do throws(SettingsError.Problem) {
        let key = try set(line)
        lines[key, default: []].append(index + 1)
      } catch {
        throw SettingsError(file, error, line: index + 1)
      }
    }
  }

  private mutating func set(_ line: ArraySlice<UInt8>) throws(SettingsError.Problem) -> Key {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
      throw .noValue(String(decoding: line, as: UTF8.self))
    }
    let name = String(decoding: Self.trimmed(line[..<equals]), as: UTF8.self)
    guard let key = Key(rawValue: name) else { throw .unknownKey(name) }
    let value = Self.trimmed(line[(equals + 1)...])
    guard !value.isEmpty else { throw .noValue(name) }
    guard lines[key] == nil || key == .excludes else { throw .repeated(key) }
    if key == .catalog {
      catalog = try Self.path(value)
      return key
    }
    guard let text = String(validating: value, as: UTF8.self) else { throw .notText(key) }
    switch key {
    case .catalog: break
    case .excludes: excludes.append(try Self.glob(text))
    case .columnsOfLs: columnsOfLs = try Self.columns(text)
    case .columnsOfFind: columnsOfFind = try Self.columns(text)
    case .color: color = try Self.policy(text, of: key)
    case .hyperlink: hyperlink = try Self.policy(text, of: key)
    }
    return key
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    let text = text.drop(while: isSpace)
    return text.prefix(
      (text.lastIndex { !isSpace($0) } ?? text.startIndex - 1) - text.startIndex + 1)
  }

  /// A path, which is absolute or begins in the home.
  private static func path(_ value: ArraySlice<UInt8>) throws(SettingsError.Problem) -> FilePath {
    var path = FilePath(bytes: Array(value))
    if value.starts(with: Array("~/".utf8)) {
      guard let home = try? HostEnvironment.process.home else { throw .noHome }
      path = home.pushing(FilePath(bytes: Array(value.dropFirst(2))))
    }
    guard path.isAbsolute, !value.contains(0) else {
      throw .relativePath(String(decoding: value, as: UTF8.self))
    }
    return path
  }

  private static func glob(_ text: String) throws(SettingsError.Problem) -> String {
    do throws(CatalogError) {
      _ = try ExcludeRules([text])
    } catch {
      throw .unfit("\(error)", nearest: nil)
    }
    return text
  }

  private static func columns(_ text: String) throws(SettingsError.Problem) -> [TableColumn] {
    do throws(CatalogError) {
      return try TableColumn.parse(text)
    } catch {
      throw .unfit("\(error)", nearest: error.nearest)
    }
  }

  private static func policy<Policy: CaseIterable & RawRepresentable<String>>(
    _ text: String, of key: Key
  ) throws(SettingsError.Problem) -> Policy {
    guard let policy = Policy(rawValue: text) else {
      let known = Policy.allCases.map(\.rawValue)
      throw .unfit(
        "“\(key.rawValue)” takes \(known.joined(separator: ", ")), not “\(text)”",
        nearest: Spelling.nearest(to: text, in: known))
    }
    return policy
  }
}

/// Why the file of settings cannot be used.
struct SettingsError: Error, CustomStringConvertible {
  enum Problem: Error {
    case unreadable(Errno)
    case notAFile
    case ofSomebodyElse(uid_t)
    case writableByOthers
    case noValue(String)
    case unknownKey(String)
    case repeated(Settings.Key)
    case notText(Settings.Key)
    case relativePath(String)
    case noHome
    /// The value is none for its key.
    case unfit(String, nearest: String?)
  }

  let file: FilePath
  let problem: Problem
  /// The line that is wrong; `nil` where no line was read.
  let line: Int?

  init(_ file: FilePath, _ problem: Problem, line: Int? = nil) {
    self.file = file
    self.problem = problem
    self.line = line
  }

  /// Where the fault is, and what it is.
  var description: String {
    let place = line.map { "\(file.string):\($0)" } ?? file.string
    return "\(place): \(fact)"
  }

  private var fact: String {
    switch problem {
    case .unreadable(let error): "cannot be read: \(error)"
    case .notAFile: "is not a file"
    case .ofSomebodyElse(let user): "belongs to another user (\(user))"
    case .writableByOthers: "may be written by everybody"
    case .noValue(let text): "“\(text)” has no value"
    case .unknownKey(let name): "there is no setting “\(name)”"
    case .repeated(let key): "“\(key.rawValue)” is set twice"
    case .notText(let key): "the value of “\(key.rawValue)” is not UTF-8"
    case .relativePath(let path): "“\(path)” is not an absolute path"
    case .noHome: "nothing names the home that ~ stands for"
    case .unfit(let fact, _): fact
    }
  }
}
