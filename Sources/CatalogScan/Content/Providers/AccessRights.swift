public import FileSystem

/// The built-in provider `acl`: what a file grants beyond its permission bits. Linux only.
///
/// - `acl`: the access control list as `getfacl -cn` has its lines, with commas between them.
/// - `default_acl`: that which a directory gives to what is made in it.
/// - `capabilities`: those of a program, as `getcap` has them.
///
/// The attributes are those of
/// [acl(5)](https://man7.org/linux/man-pages/man5/acl.5.html) in the form of Linux's `posix_acl_xattr.h`, and of
/// [capabilities(7)](https://man7.org/linux/man-pages/man7/capabilities.7.html) in that of its `capability.h`.
public struct AccessRights: ContentProvider {
  /// `acl`.
  public let key = "acl"
  /// Permissions are none of the content.
  public let basis = ContentBasis.attributes
  /// Files and directories.
  public let kinds: Set<EntryKind> = [.file, .directory, .package]

  /// Makes the provider.
  public init() {}

  /// An attribute that is none of its form.
  struct Malformed: Error, CustomStringConvertible {
    let attribute: String
    var description: String { "the attribute \(attribute) is none of its form" }
  }

  /// What the file grants; nothing where its permission bits say all.
  public func values(of file: ContentFile) throws -> [String: ResourceValue] {
    var values: [String: ResourceValue] = [:]
    for (key, attribute) in [
      ("acl", "system.posix_acl_access"), ("default_acl", "system.posix_acl_default"),
    ] {
      guard let bytes = try file.attribute(attribute) else { continue }
      guard let list = Self.accessControlList(bytes) else {
        throw Malformed(attribute: attribute)
      }
      values[key] = .text(list)
    }
    let capability = "security.capability"
    if let bytes = try file.attribute(capability) {
      guard let text = Self.capabilities(bytes) else { throw Malformed(attribute: capability) }
      values["capabilities"] = .text(text)
    }
    return values
  }

  /// A number of which the lowest byte comes first.
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// - Returns: `nil` for bytes that are no list.
  static func accessControlList(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 4, bytes.count % 8 == 4, number(bytes[..<4]) == 2 else { return nil }
    var entries: [String] = []
    for start in stride(from: 4, to: bytes.count, by: 8) {
      let rights = bytes[start + 2]
      let letters = zip([4, 2, 1] as [UInt8], "rwx").map { rights & $0 != 0 ? String($1) : "-" }
      let id = number(bytes[start + 4..<start + 8])
      let subject: String
      switch number(bytes[start..<start + 2]) {
      case 0x01: subject = "user:"
      case 0x02: subject = "user:\(id)"
      case 0x04: subject = "group:"
      case 0x08: subject = "group:\(id)"
      case 0x10: subject = "mask:"
      case 0x20: subject = "other:"
      default: return nil
      }
      entries.append("\(subject):\(letters.joined())")
    }
    return entries.joined(separator: ",")
  }

  /// - Returns: `nil` for bytes that are no capabilities.
  static func capabilities(_ bytes: [UInt8]) -> String? {
    let words = stride(from: 0, to: bytes.count - 3, by: 4).map { number(bytes[$0..<$0 + 4]) }
    guard let magic = words.first, bytes.count % 4 == 0 else { return nil }
    let revision = magic >> 24
    guard
      revision == 1 && words.count == 3 || revision == 2 && words.count == 5
        || revision == 3 && words.count == 6
    else { return nil }
    func set(_ first: Int) -> UInt64 {
      UInt64(words[first]) | (revision > 1 ? UInt64(words[first + 2]) << 32 : 0)
    }
    let (permitted, inheritable) = (set(1), set(2))
    var groups: [(rights: String, names: [String])] = []
    for bit in 0..<64 where (permitted | inheritable) >> bit & 1 == 1 {
      var rights = magic & 1 == 1 ? "e" : ""
      if inheritable >> bit & 1 == 1 { rights += "i" }
      if permitted >> bit & 1 == 1 { rights += "p" }
      let name = bit < names.count ? "cap_\(names[bit])" : "\(bit)"
      if let group = groups.firstIndex(where: { $0.rights == rights }) {
        groups[group].names.append(name)
      } else {
        groups.append((rights, [name]))
      }
    }
    return groups.map { "\($0.names.joined(separator: ","))=\($0.rights)" }.joined(separator: " ")
  }

  /// The capabilities by their numbers.
  private static let names = [
    "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid",
    "setpcap", "linux_immutable", "net_bind_service", "net_broadcast", "net_admin", "net_raw",
    "ipc_lock", "ipc_owner", "sys_module", "sys_rawio", "sys_chroot", "sys_ptrace", "sys_pacct",
    "sys_admin", "sys_boot", "sys_nice", "sys_resource", "sys_time", "sys_tty_config", "mknod",
    "lease", "audit_write", "audit_control", "setfcap", "mac_override", "mac_admin", "syslog",
    "wake_alarm", "block_suspend", "audit_read", "perfmon", "bpf", "checkpoint_restore",
  ]
}
