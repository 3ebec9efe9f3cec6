/// What a file or directory itself says of backups, as observed on disk.
public enum BackupMark: Sendable, Hashable {
  /// It carries no mark.
  case unmarked
  /// It is marked to be left out of backups.
  case excluded

  /// Whether the mark contradicts what the role promises.
  ///
  /// A missing mark contradicts only where nothing but the mark keeps files out of a backup, which
  /// is so for offline data, see ``Role/Policy/isExcludedByMark``.
  public func contradicts(_ policy: Role.Policy) -> Bool {
    switch self {
    case .excluded: policy.backup == .included
    case .unmarked: policy.isExcludedByMark
    }
  }

  /// The mark that an extended attribute makes; `nil` when the attribute concerns something else.
  ///
  /// Known are the attribute of Time Machine and of iOS since 5.1
  /// (`com.apple.metadata:com_apple_backup_excludeItem`, whatever its value), that of iOS 5.0.1
  /// (`com.apple.MobileBackup`, one byte of value 1), and freedesktop's `user.xdg.robots.backup`
  /// with the value `false`. On Linux Apple's attributes are found behind `user.`.
  public init?(attribute name: String, value: some Collection<UInt8>) {
    let user = "user."
    let plain = name.hasPrefix(user) ? String(name.dropFirst(user.count)) : name
    switch plain {
    case "com.apple.metadata:com_apple_backup_excludeItem": self = .excluded
    case "com.apple.MobileBackup": self = value.elementsEqual([1]) ? .excluded : .unmarked
    case "xdg.robots.backup":
      let text = String(decoding: value, as: UTF8.self).lowercased()
      self = ["false", "0", "no"].contains(text.trimmed) ? .excluded : .unmarked
    default: return nil
    }
  }
}

/// The file that marks its directory as a cache, by the Cache Directory Tagging Specification
/// (bford.info/cachedir).
package enum CacheDirectoryTag {
  /// The name of the file.
  package static let fileName = "CACHEDIR.TAG"

  /// What the file begins with.
  package static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)

  /// Whether a file of that name with this beginning is a tag. Other files of the name are none.
  package static func isTag(beginning: some Collection<UInt8>) -> Bool {
    beginning.starts(with: signature)
  }
}

extension Role.Policy {
  /// What the policies of roles mean for the bytes of a container.
  ///
  /// ```swift
  /// var totals = Role.Policy.Totals()
  /// totals.add(bytes: 4096, role: .caches, observed: .unmarked)
  /// totals.reclaimable   // 4096
  /// ```
  public struct Totals: Hashable, Sendable {
    /// Bytes by role; `nil` stands for what has none.
    public private(set) var bytesByRole: [Role?: Int] = [:]
    /// Bytes that the system may delete, or that can be deleted without loss.
    public private(set) var reclaimable = 0
    /// Bytes that a backup holds: what policy includes, without what is marked on disk.
    public private(set) var backedUp = 0
    /// Bytes whose mark on disk contradicts the policy of their role.
    public private(set) var contradicting = 0

    /// Nothing yet.
    public init() {}

    /// All bytes added.
    public var total: Int { bytesByRole.values.reduce(0, +) }

    /// Adds files of one role that carry the same mark on disk.
    ///
    /// What has no role belongs to nobody known: it is neither reclaimable nor, without a mark,
    /// left out of a backup.
    public mutating func add(bytes: Int, role: Role?, observed: BackupMark) {
      bytesByRole[role, default: 0] += bytes
      if role?.policy.isPurgeable ?? false { reclaimable += bytes }
      if role?.policy.backup != .excluded, observed == .unmarked { backedUp += bytes }
      if let role, observed.contradicts(role.policy) { contradicting += bytes }
    }
  }
}

extension String {
  /// Without spaces and line ends around it.
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline || $0 == "\0" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
