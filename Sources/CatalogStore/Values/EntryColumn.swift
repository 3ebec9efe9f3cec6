/// A column of a table of entries: those of the SQL view `files`, by the same names.
public enum EntryColumn: String, CaseIterable, Hashable, Sendable {
  case id
  case rootID = "root_id"
  case root
  case parentID = "parent_id"
  case directory, name, path, kind, type
  case `extension`
  case size, allocated
  case created, modified, changed, accessed
  case createdNanoseconds = "created_ns"
  case modifiedNanoseconds = "modified_ns"
  case changedNanoseconds = "changed_ns"
  case accessedNanoseconds = "accessed_ns"
  case mode, uid, gid, owner
  case groupName = "group_name"
  case inode, device, links, flags
  case isHidden = "is_hidden"
  case isPackage = "is_package"
  case linkTarget = "link_target"
  case depth
  case container, role
  case backupPolicy = "backup_policy"
  case purgeable
  case assetStem = "asset_stem"
  case assetScale = "asset_scale"
  case assetIdiom = "asset_idiom"
  case assetHeight = "asset_height"
  case assetHD = "asset_hd"
  case firstSeenScan = "first_seen_scan"
  case lastChangedScan = "last_changed_scan"
  case totalSize = "total_size"
  case totalAllocated = "total_allocated"
  case totalFiles = "total_files"
  case typeDescription = "type_description"
  case isBroken = "is_broken"
  case rootState = "root_state"
  case displayName = "display_name"
  case assetExtension = "asset_ext"
  case nameBytes = "name_bytes"
  case pathBytes = "path_bytes"

  /// What the values of the column are.
  public var form: ValueForm { term.form }

  /// What the values say, in one sentence.
  package var meaning: String { term.meaning }
}

extension EntryColumn {
  /// What a column is, said once: the data dictionary, tables and reports have it from here.
  private var term: (form: ValueForm, meaning: String) {
    switch self {
    case .id: (.identifier, "The number of the entry. None is given twice.")
    case .rootID: (.identifier, "The number of the root that it is in.")
    case .root: (.path, "The path of the root.")
    case .parentID: (.identifier, "The entry of the directory that it is in; NULL for a root.")
    case .directory: (.path, "The path of the directory that it is in; NULL for a root.")
    case .name: (.path, "The last component of the path.")
    case .path: (.path, "The absolute path.")
    case .kind:
      (.text, "file, directory, package, symlink, fifo, socket, block_device or character_device.")
    case .type: (.text, "The uniform type identifier, such as public.jpeg.")
    case .extension: (.text, "The text after the last dot of the name; NULL where there is none.")
    case .size: (.bytes, "The length of the content; of a package the sum over what it holds.")
    case .allocated:
      (.bytes, "What it takes on the disk; in sums, a file with several names counts once.")
    case .created: (.seconds, "The time of birth; NULL where the file system has none.")
    case .modified: (.seconds, "The last change of the content.")
    case .changed: (.seconds, "The last change of the content or of the values.")
    case .accessed: (.seconds, "The last reading, as exact as the mount options allow.")
    case .createdNanoseconds: (.nanoseconds, Self.created.meaning)
    case .modifiedNanoseconds: (.nanoseconds, Self.modified.meaning)
    case .changedNanoseconds: (.nanoseconds, Self.changed.meaning)
    case .accessedNanoseconds: (.nanoseconds, Self.accessed.meaning)
    case .mode: (.mode, "The file type and the permission bits.")
    case .uid: (.identifier, "The number of the owner.")
    case .gid: (.identifier, "The number of the group.")
    case .owner: (.text, "The name of the owner when the entry was scanned.")
    case .groupName: (.text, "The name of the group when the entry was scanned.")
    case .inode: (.identifier, "The number of the file in its file system.")
    case .device: (.identifier, "The number of the device, which a remount may change.")
    case .links: (.number, "How many names the file has.")
    case .flags: (.identifier, "The attributes of the file system: stx_attributes, or st_flags.")
    case .isHidden: (.truth, "Whether the name begins with a dot.")
    case .isPackage: (.truth, "Whether it is a directory that people see as one item.")
    case .linkTarget: (.path, "The text of a symbolic link.")
    case .depth: (.number, "Steps below the root; 0 for a root.")
    case .container: (.path, "The name of the container that it is in.")
    case .role: (.text, "What the directory is for that it is, or that it is in.")
    case .backupPolicy: (.text, "Whether the role promises a backup: included or excluded.")
    case .purgeable: (.truth, "Whether the system may delete it by itself.")
    case .assetStem: (.path, "The name without the marks and the extension of an asset.")
    case .assetScale: (.factor, "The scale that the name states, as in @2x.")
    case .assetIdiom: (.text, "The kind of device that the name states, as in ~ipad.")
    case .assetHeight:
      (.number, "The height of a screen in points that the name states, as in -568h.")
    case .assetHD: (.truth, "Whether the name has the mark -hd.")
    case .firstSeenScan: (.identifier, "The scan that saw it first.")
    case .lastChangedScan: (.identifier, "The scan that last saw it changed.")
    case .totalSize:
      (.bytes, "Bytes of everything in a directory or a package, at any depth; NULL for the rest.")
    case .totalAllocated:
      (
        .bytes,
        "Bytes on the disk of a directory or a package and of everything in it, each file once."
      )
    case .totalFiles:
      (.number, "Entries in a directory, at any depth, that are none; the files of a package.")
    case .typeDescription: (.text, "What people call the type; NULL where it has no name.")
    case .isBroken: (.truth, "Whether it is a symbolic link without a target.")
    case .rootState:
      (.text, "online, or offline where the root cannot be reached: then it is as it was last.")
    case .displayName: (.path, "The name without its extension.")
    case .assetExtension:
      (.path, "What follows all marks in the name of an asset, such as tar.gz; NULL for nothing.")
    case .nameBytes: (.octets, "The exact bytes of the name where it is not UTF-8, else NULL.")
    case .pathBytes: (.octets, "The exact bytes of the path where it is not UTF-8, else NULL.")
    }
  }
}
