internal import CPlatform

/// The type of a file system, by the name that the system mounts it under, such as `ext4`.
package struct FileSystemType: Sendable, Hashable {
  package let name: String

  package init(_ name: String) { self.name = name }

  /// The type of the file system that something open is on; `nil` for one that has no name here.
  package init?(ofOpen descriptor: CInt) {
    var volume = cplatform_volume()
    guard cplatform_volume_of(descriptor, &volume) == 0 else { return nil }
    let name = withUnsafeBytes(of: volume.name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let magic = volume.type & 0xFFFF_FFFF
    guard let known = name.isEmpty ? Self.names[magic] : name else { return nil }
    self.init(known)
  }

  /// Whether looking at it may mount something, or ask another machine or a program for long.
  var isHesitant: Bool {
    name == "autofs" || name.hasPrefix("fuse") || Self.remote.contains(name)
  }

  /// Whether a directory's own times tell that names in it have come, gone or changed. What the system or
  /// a program makes up need not keep to that.
  package var hasTimesOfDirectories: Bool {
    !Self.pseudo.contains(name) && !name.hasPrefix("fuse")
  }

  private static let remote: Set<String> = [
    "9p", "afs", "ceph", "cifs", "coda", "lustre", "nfs", "nfs4", "smb3", "smbfs", "vboxsf",
  ]

  /// What the system makes up while it is read, and what is there only to be mounted on.
  static let pseudo: Set<String> = [
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
    "efivarfs",
    "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "resctrl", "rpc_pipefs",
    "securityfs",
    "selinuxfs", "smackfs", "sysfs", "tracefs",
  ]

  /// The magic numbers of `statfs(2)`, from `linux/magic.h` and that page. Several types may share one.
  private static let names: [UInt64: String] = [
    0x187: "autofs", 0x4249_4E4D: "binfmt_misc", 0xCAFE_4A11: "bpf", 0x27_E0EB: "cgroup",
    0x6367_7270: "cgroup2", 0x6265_6570: "configfs", 0x6462_6720: "debugfs", 0x1CD1: "devpts",
    0xDE5E_81E4: "efivarfs", 0x6573_5543: "fusectl", 0x9584_58F6: "hugetlbfs",
    0x1980_0202: "mqueue", 0x6E73_6673: "nsfs", 0x9FA0: "proc", 0x6165_676C: "pstore",
    0x6759_6969: "rpc_pipefs", 0x7363_6673: "securityfs", 0xF97C_FF8C: "selinuxfs",
    0x4341_5D53: "smackfs", 0x6265_6572: "sysfs", 0x7472_6163: "tracefs",
    0x0102_1997: "9p", 0x5346_414F: "afs", 0x9123_683E: "btrfs", 0x00C3_6400: "ceph",
    0xFF53_4D42: "cifs", 0xFE53_4D42: "cifs", 0x517B: "smbfs", 0x7375_7245: "coda",
    0xF15F: "ecryptfs", 0xE0F5_E1E2: "erofs", 0x2011_BAB0: "exfat", 0xEF53: "ext4",
    0xF2F5_2010: "f2fs", 0x6573_5546: "fuse", 0x9660: "iso9660", 0x3153_464A: "jfs",
    0x6969: "nfs", 0x7366_746E: "ntfs3", 0x7461_636F: "ocfs2", 0x794C_7630: "overlay",
    0x8584_58F6: "ramfs", 0x5265_4973: "reiserfs", 0x7371_7368: "squashfs", 0x0102_1994: "tmpfs",
    0x1501_3346: "udf", 0x786F_4256: "vboxsf", 0x4D44: "vfat", 0x5846_5342: "xfs",
    0x2FC1_2FC1: "zfs",
  ]

  /// Types that the system can have, mounted or not.
  static let known: Set<String> = pseudo.union(names.values).union(remote).union([
    "apfs", "devfs", "devtmpfs", "ext2", "ext3", "fuseblk", "gfs2", "hfs", "hfsplus", "msdos",
    "ntfs",
    "nilfs2", "rootfs", "webdav",
  ])
}

/// Some types of file systems, such as those that a scan does not enter.
///
/// As text they are names with commas between them: those of the system, and `pseudo` for what it makes
/// up, such as `proc` and `sysfs`. `nfs` stands for all its versions, `fuse` for all kinds of it.
public struct FileSystemTypes: Sendable, Hashable, CustomStringConvertible {
  /// The words, as they were written.
  private let words: [String]
  private let names: Set<String>

  private init(words: [String]) {
    self.words = words
    names =
      words.contains(Self.pseudoWord)
      ? FileSystemType.pseudo.union(words) : Set(words)
  }

  private static let pseudoWord = "pseudo"
  private static let noneWord = "none"

  /// What the system makes up while it is read: `proc`, `sysfs`, `cgroup2` and their like.
  public static let pseudo = FileSystemTypes(words: [pseudoWord])
  /// No type.
  public static let none = FileSystemTypes(words: [])

  /// There is no type of this name.
  public struct UnknownName: Error, Sendable {
    /// The name that was given.
    public let name: String
    /// Those there are.
    public let known: [String]
  }

  /// Reads names with commas between them. What is made up belongs to them always, unless `none` is
  /// among the words.
  ///
  /// - Throws: for a name that no file system here has.
  public init(parsing text: String) throws(UnknownName) {
    var words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let mounted = Set(MountTable().mounts.map(\.type.name))
    let known = FileSystemType.known.union(mounted).union([Self.pseudoWord, Self.noneWord])
    for word in words where !known.contains(word) && !word.hasPrefix("fuse.") {
      throw UnknownName(name: word, known: known.sorted())
    }
    if !words.contains(Self.noneWord) { words.append(Self.pseudoWord) }
    self.init(stored: words.joined(separator: ","))
  }

  /// The types of a ``description``, whatever names it has.
  package init(stored text: String) {
    var words = Set(text.split(separator: ",").map(String.init)).subtracting([Self.noneWord])
    let first = words.remove(Self.pseudoWord).map { [$0] } ?? []
    self.init(words: first + words.sorted())
  }

  /// The names with commas between them; `none` for none.
  public var description: String {
    words.isEmpty ? Self.noneWord : words.joined(separator: ",")
  }

  package var isEmpty: Bool { words.isEmpty }

  package func contains(_ type: FileSystemType) -> Bool {
    names.contains(type.name)
      || type.name == "nfs4" && names.contains("nfs")
      || type.name == "smb3" && names.contains("cifs")
      || type.name.hasPrefix("fuse.") && names.contains("fuse")
  }
}

extension FileSystemTypes: Codable {
  /// Reads the names as ``description`` has them.
  public init(from decoder: any Decoder) throws {
    self.init(stored: try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
