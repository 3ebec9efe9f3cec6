public import SystemPackage
internal import TextMatching

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Where declarations of roles come from: a program, and files of the user.
///
/// ```swift
/// var sources = RoleSources.standard
/// sources.roles.append(try CustomRole("user", in: .applicationSupport, directory: "User-{id}"))
/// let catalog = try Catalog(at: "app.sqlite", roles: sources)
/// ```
///
/// A file says it like this, a section for each role:
///
/// ```
/// # What one of the users of the application has.
/// [user]
/// in = application_support
/// directory = User-{id}
/// backup = excluded
/// ```
public struct RoleSources: Sendable, Hashable {
  /// Directories with files that end in `.conf`.
  public var directories: [FilePath]
  /// The roles that the program declares. Files must not declare them again.
  public var roles: [CustomRole]

  /// Names the places and the roles.
  public init(directories: [FilePath] = [], roles: [CustomRole] = []) {
    self.directories = directories
    self.roles = roles
  }

  /// No declared roles at all.
  public static let none = RoleSources()

  /// What users expect: their own `filecat/roles.d`, beside the settings of other programs.
  public static var standard: RoleSources {
    // Without a home there is nothing that the user could have declared.
    let settings = try? HostEnvironment.process.applicationSettings
    return RoleSources(directories: settings.map { [$0.pushing("filecat/roles.d")] } ?? [])
  }

  /// What the sources say at one time.
  public struct Declarations: Sendable, Hashable {
    /// The roles; where something is wrong, those of which nothing is.
    public let registry: RoleRegistry
    /// What is wrong, file by file. Who is about to act on roles must not go by a part of them.
    public let faults: [RoleFault]
  }

  /// Reads the files, which is all that this touches on the disk.
  public func read() -> Declarations {
    var sections: [RoleSection] = []
    var faults: [RoleFault] = []
    var room = RoleFile.mostBytes
    for directory in directories {
      do throws(RoleFault) {
        for file in try RoleFile.files(in: directory) {
          sections += try RoleFile(file, room: &room).sections
        }
      } catch {
        faults.append(error)
      }
    }
    var builder = RoleBuilder(declared: roles, sections: sections)
    let built = builder.build()
    return Declarations(registry: built, faults: faults + builder.faults)
  }
}

/// What is wrong with a declaration of a role.
public struct RoleFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let file: FilePath
  /// The line, counted from 1; `nil` where it is about the whole file.
  public let line: Int?
  /// What is wrong, in one line for a person.
  public let reason: String

  init(_ file: FilePath, line: Int? = nil, _ reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  /// The file, the line, and what is wrong.
  public var description: String {
    "\(file.string.visible)\(line.map { ":\($0)" } ?? ""): \(reason)"
  }
}

// MARK: - Files

/// A value that a file gives, and the line where it stands.
private struct RoleLine: Hashable {
  let value: String
  let line: Int
}

/// What a file says of one role.
private struct RoleSection: Hashable {
  enum Key: String, CaseIterable {
    case parent = "in"
    case directory, backup, purge, persists
    case readOnly = "read_only"
  }

  let file: FilePath
  let name: RoleLine
  var values: [Key: RoleLine] = [:]

  func fault(_ reason: String, at key: Key? = nil) -> RoleFault {
    RoleFault(file, line: key.flatMap { values[$0]?.line } ?? name.line, reason)
  }
}

/// A file of declarations: sections `[name]` with lines `key = value`. Empty lines, and those that begin with
/// `#`, say nothing.
private struct RoleFile {
  private(set) var sections: [RoleSection] = []

  /// The most bytes that are read of all files together: more are a mistake or a trap.
  static let mostBytes = 1 << 20

  /// The files of a directory that declare roles, by name. A directory that is not there is empty.
  static func files(in directory: FilePath) throws(RoleFault) -> [FilePath] {
    do throws(Errno) {
      let names = try LocalFiles().names(in: directory).map(\.string)
      return names.filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }.sorted()
        .map { directory.appending($0) }
    } catch {
      guard error == .noSuchFileOrDirectory || error == .notDirectory else {
        throw RoleFault(directory, "it cannot be read: \(error)")
      }
      return []
    }
  }

  init(_ path: FilePath, room: inout Int) throws(RoleFault) {
    let found: LocalFiles.WholeFile?
    do throws(Errno) {
      found = try LocalFiles().fileOfUser(path, limit: room)
    } catch {
      let reason =
        switch error {
        case .invalidArgument: "it is no regular file"
        case .fileTooLarge: "with the files before it, it has more than \(Self.mostBytes) bytes"
        default: "it cannot be read: \(error)"
        }
      throw RoleFault(path, reason)
    }
    guard let found else { throw RoleFault(path, "it is not there or not readable") }
    // What may be deleted follows from roles, so it is not for others to say.
    let owner = found.status.userID.rawValue
    guard owner == 0 || owner == geteuid() else {
      throw RoleFault(path, "it belongs to user \(owner)")
    }
    guard !found.status.permissions.contains(.otherWrite) else {
      throw RoleFault(path, "everybody can write to it")
    }
    room -= found.bytes.count
    guard let text = String(validating: found.bytes, as: UTF8.self) else {
      throw RoleFault(path, "it is not UTF-8")
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() { try read(line, index + 1, of: path) }
  }

  private mutating func read(_ line: Substring, _ number: Int, of path: FilePath) throws(RoleFault)
  {
    let text = line.trimmed
    if text.isEmpty || text.hasPrefix("#") { return }
    if text.hasPrefix("[") {
      guard text.hasSuffix("]") else {
        throw RoleFault(path, line: number, "“\(text.visible)” is no [name] of a role")
      }
      let name = String(text.dropFirst().dropLast()).trimmed
      sections.append(RoleSection(file: path, name: RoleLine(value: name, line: number)))
      return
    }
    guard let equals = text.firstIndex(of: "=") else {
      throw RoleFault(path, line: number, "“\(text.visible)” is no line KEY = VALUE")
    }
    let word = String(text[..<equals]).trimmed
    let value = String(text[text.index(after: equals)...]).trimmed
    guard let key = RoleSection.Key(rawValue: word) else {
      let known = RoleSection.Key.allCases.map(\.rawValue)
      let hint = Spelling.nearest(to: word, in: known).map { ", but “\($0)”" } ?? ""
      throw RoleFault(
        path, line: number,
        "there is no key “\(word.visible)”\(hint); there are \(known.joined(separator: ", "))")
    }
    guard let last = sections.indices.last else {
      throw RoleFault(path, line: number, "“\(word)” stands before the first [name] of a role")
    }
    guard sections[last].values[key] == nil else {
      throw RoleFault(path, line: number, "“\(word)” is there twice for one role")
    }
    sections[last].values[key] = RoleLine(value: value, line: number)
  }
}

// MARK: - Roles of sections

/// Makes roles of what files say: parents before those in them, in whatever order they stand.
private struct RoleBuilder {
  private let declared: [CustomRole]
  private let sections: [RoleSection]
  private var built: [String: CustomRole]
  private var pending: Set<String> = []
  private(set) var faults: [RoleFault] = []

  init(declared: [CustomRole], sections: [RoleSection]) {
    self.declared = declared
    self.sections = sections
    built = Dictionary(declared.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func build() -> RoleRegistry {
    var seen = Set(built.keys)
    for section in sections {
      guard seen.insert(section.name.value).inserted else {
        faults.append(section.fault("\(RoleError.duplicate(section.name.value))"))
        continue
      }
      make(section)
    }
    // What follows is only a matter of how many there are: each has another name, and its parent.
    do throws(RoleError) {
      return try RoleRegistry(built.values.sorted { $0.name < $1.name })
    } catch {
      if let last = sections.last { faults.append(last.fault("\(error)")) }
      return (try? RoleRegistry(declared)) ?? .standard
    }
  }

  private mutating func make(_ section: RoleSection) {
    let name = section.name.value
    guard built[name] == nil, pending.insert(name).inserted else { return }
    defer { pending.remove(name) }
    do throws(RoleFault) {
      built[name] = try role(section)
    } catch {
      if !faults.contains(error) { faults.append(error) }
    }
  }

  private mutating func role(_ section: RoleSection) throws(RoleFault) -> CustomRole {
    guard let directory = section.values[.directory] else {
      throw section.fault("the role “\(section.name.value.visible)” has no line directory = NAME")
    }
    let parent = try parent(of: section)
    let policy = try policy(section, in: parent)
    do throws(RoleError) {
      return try CustomRole(
        section.name.value, in: parent, directory: directory.value, policy: policy)
    } catch {
      if case .malformedDirectory = error { throw section.fault("\(error)", at: .directory) }
      throw section.fault("\(error)")
    }
  }

  private mutating func parent(of section: RoleSection) throws(RoleFault) -> Role? {
    guard let word = section.values[.parent]?.value else { return nil }
    if let standard = Role(standard: word) { return standard }
    if pending.contains(word) {
      throw section.fault("\(RoleError.circular(section.name.value))", at: .parent)
    }
    if let outer = sections.first(where: { $0.name.value == word }) { make(outer) }
    guard let role = built[word] else {
      let error = RoleError.unknownParent(section.name.value, parent: word)
      throw section.fault("\(error)", at: .parent)
    }
    return .custom(role)
  }

  /// What is not said is as the role around it has it.
  private func policy(
    _ section: RoleSection, in parent: Role?
  ) throws(RoleFault) -> Role.Policy {
    var policy = parent?.policy ?? .kept
    if let backup = section.values[.backup]?.value {
      policy.backup = try Self.word(backup, Role.Policy.Backup.self, section, .backup)
    }
    if let purge = section.values[.purge]?.value {
      policy.purge = try Self.word(purge, Role.Policy.Purge.self, section, .purge)
    }
    if let persists = try Self.truth(section, .persists) { policy.persists = persists }
    if let isReadOnly = try Self.truth(section, .readOnly), isReadOnly != policy.isReadOnly {
      policy.writer = isReadOnly ? .installer : .application
    }
    return policy
  }

  private static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ type: Word.Type, _ section: RoleSection, _ key: RoleSection.Key
  ) throws(RoleFault) -> Word {
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw section.fault("\(key.rawValue) is one of \(known), not “\(text.visible)”", at: key)
    }
    return word
  }

  private static func truth(
    _ section: RoleSection, _ key: RoleSection.Key
  ) throws(RoleFault) -> Bool? {
    switch section.values[key]?.value {
    case nil: return nil
    case "yes": return true
    case "no": return false
    case let text?:
      throw section.fault("\(key.rawValue) is yes or no, not “\(text.visible)”", at: key)
    }
  }
}

extension StringProtocol {
  /// Without spaces and tabs around it.
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
