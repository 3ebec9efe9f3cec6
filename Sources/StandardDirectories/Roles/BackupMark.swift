/// What a file or directory itself says of backups, as observed on disk.
public enum BackupMark: Sendable, Hashable {
  /// It carries no mark.
  case unmarked
  /// It is marked to be left out of backups.
  case excluded

  /// Whether the mark contradicts what the role promises.
  ///
  /// A missing mark contradicts only where nothing but the mark keeps files out of a backup, which
  /// is so for offline data: caches and temporary files are left out by their place.
  public func contradicts(_ policy: RolePolicy) -> Bool {
    switch self {
    case .excluded: policy.backup == .included
    case .unmarked: policy == Role.offlineData.policy
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
public enum CacheDirectoryTag {
  /// The name of the file.
  public static let fileName = "CACHEDIR.TAG"

  /// What the file begins with.
  public static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)

  /// Whether a file of that name with this beginning is a tag. Other files of the name are none.
  public static func isTag(beginning: some Collection<UInt8>) -> Bool {
    beginning.starts(with: signature)
  }
}

extension String {
  /// Without spaces and line ends around it.
  var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline || $0 == "\0" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
