internal import TextMatching

/// A role that a user or a program has declared: where its directories are, and what it promises.
///
/// ```swift
/// let user = try CustomRole("user", in: .applicationSupport, directory: "User-{id}")
/// let container = Container(.appleSandbox, root: "/data/app").adding([user])
/// try container.resolve(.custom(user), parameters: ["id": "5"])
///   // /data/app/Library/Application Support/User-5
/// ```
public struct CustomRole: Hashable, Sendable {
  /// The name by which the role is stored, queried and typed.
  public let name: String
  /// The role in whose directory it has its own; `nil` for the root of the container.
  public let parent: Role?
  /// How its directories are called, below that of ``parent``.
  public let directory: DirectoryPattern
  /// What it promises of its files.
  public let policy: Role.Policy

  /// A role of a name.
  ///
  /// - Parameters:
  ///   - name: small letters, digits and underscores, beginning with a letter. It must not be one that
  ///     would be taken for a standard role.
  ///   - parent: the role in whose directory it has its own; `nil` for the root of the container.
  ///   - directory: the name of its directory, or several with slashes between them. In them `{id}` stands for a
  ///     parameter.
  ///   - policy: what it promises; without one, what `parent` does.
  /// - Throws: ``RoleError``.
  public init(
    _ name: String, in parent: Role? = nil, directory: String, policy: Role.Policy? = nil
  ) throws(RoleError) {
    try RoleName.check(name)
    self.name = name
    self.parent = parent
    self.directory = try DirectoryPattern(directory)
    self.policy = policy ?? parent?.policy ?? .kept
    guard depth <= CustomRole.deepest else { throw .tooDeep(name, limit: CustomRole.deepest) }
    let parameters = parameters
    if let twice = parameters.first(where: { name in parameters.count { $0 == name } > 1 }) {
      throw .malformedDirectory(
        directory, "the parameter {\(twice)} is one of “\(parent?.name ?? "")” already")
    }
  }

  /// How many declared roles may lie in each other.
  private static let deepest = 8

  private var depth: Int {
    guard case .custom(let parent)? = parent else { return 1 }
    return parent.depth + 1
  }

  /// The names of its parameters, those of the roles around it first.
  public var parameters: [String] {
    guard case .custom(let parent)? = parent else { return directory.parameters }
    return parent.parameters + directory.parameters
  }

  /// The standard role in whose directory it is in the end, if any, and the names below that.
  var anchor: (role: Role?, components: [DirectoryPattern.Component]) {
    guard case .custom(let outer)? = parent else { return (parent, directory.components) }
    let (role, components) = outer.anchor
    return (role, components + directory.components)
  }
}

/// The names that roles, and parameters of their directories, may have.
enum RoleName {
  static let longest = 64

  static func isValid(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard let first = name.utf8.first, letters.contains(first), name.utf8.count <= longest else {
      return false
    }
    return name.utf8.allSatisfy {
      letters.contains($0) || NameByte.isDigit($0) || $0 == UInt8(ascii: "_")
    }
  }

  /// Whoever misspells a standard role must not get another one in silence.
  static func check(_ name: String) throws(RoleError) {
    guard isValid(name) else { throw .invalidName(name) }
    if let role = standardRole(near: name) { throw .standardName(name, role) }
  }

  /// The standard role that a name is, or that a person who types it most likely means.
  static func standardRole(near name: String) -> Role? {
    Spelling.nearest(to: name, in: Role.standard.map(\.name)).flatMap(Role.init(standard:))
  }
}

extension Role {
  /// Whether a word could be the name of a declared role: it has the form of one, and nobody who types it
  /// means a standard role.
  package static func couldBeCustom(_ name: String) -> Bool {
    RoleName.isValid(name) && RoleName.standardRole(near: name) == nil
  }
}

/// The roles that were declared beside the standard ones: each has another name.
///
/// ```swift
/// let registry = try RoleRegistry([CustomRole("user", in: .applicationSupport, directory: "User-{id}")])
/// try Role(named: "user", among: registry)
/// ```
public struct RoleRegistry: Hashable, Sendable {
  /// The roles, by name.
  public let roles: [CustomRole]

  /// No declared roles, only the standard ones.
  public static let standard = RoleRegistry()

  /// The most roles that can be declared.
  public static let limit = 64

  private init() {
    roles = []
  }

  /// A registry of these roles. A role that is the parent of one has to be among them.
  ///
  /// - Throws: ``RoleError/duplicate(_:)``, ``RoleError/unknownParent(_:parent:)``, ``RoleError/tooMany(limit:)``.
  public init(_ roles: [CustomRole]) throws(RoleError) {
    guard roles.count <= RoleRegistry.limit else { throw .tooMany(limit: RoleRegistry.limit) }
    var known: [String: CustomRole] = [:]
    for role in roles where known.updateValue(role, forKey: role.name) != nil {
      throw .duplicate(role.name)
    }
    for role in roles {
      if case .custom(let parent)? = role.parent, known[parent.name] != parent {
        throw .unknownParent(role.name, parent: parent.name)
      }
    }
    self.roles = roles.sorted { $0.name < $1.name }
  }

  /// The role of a name; `nil` for one that is neither standard nor declared.
  public subscript(name: String) -> Role? {
    Role(standard: name) ?? roles.first { $0.name == name }.map(Role.custom)
  }
}

/// Why a role cannot be declared.
public enum RoleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name is not one of small letters, digits and underscores that begins with a letter.
  case invalidName(String)
  /// The name is that of a standard role, or would be taken for it.
  case standardName(String, Role)
  /// The name of the directory makes no sense; the text says why.
  case malformedDirectory(String, String)
  /// Two roles have this name.
  case duplicate(String)
  /// Nobody declares the role in which one should be.
  case unknownParent(String, parent: String)
  /// The role would lie in itself.
  case circular(String)
  /// Too many roles lie in each other.
  case tooDeep(String, limit: Int)
  /// More roles are declared than can be meant well.
  case tooMany(limit: Int)

  /// What is the case, in one line for a person.
  public var description: String {
    switch self {
    case .invalidName(let name):
      "“\(name.visible)” cannot name a role: it takes small letters, digits and “_”, a letter first"
    case .standardName(let name, let role) where name == role.name:
      "“\(name)” is a standard role"
    case .standardName(let name, let role):
      "“\(name)” would be taken for the standard role \(role.name)"
    case .malformedDirectory(let text, let reason):
      "“\(text.visible)” cannot be a directory of a role: \(reason.visible)"
    case .duplicate(let name): "the role “\(name)” is declared twice"
    case .unknownParent(let name, let parent):
      "the role “\(name)” is in “\(parent.visible)”, which is no role"
    case .circular(let name): "the role “\(name)” lies in itself"
    case .tooDeep(let name, let limit):
      "the role “\(name)” lies in more than \(limit - 1) declared ones"
    case .tooMany(let limit): "there are more than \(limit) roles"
    }
  }
}
