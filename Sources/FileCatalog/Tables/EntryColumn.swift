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

  /// What the values of the column are.
  public enum Form: Sendable {
    case identifier
    case number
    /// A number of bytes.
    case bytes
    /// Seconds since 1970.
    case seconds
    /// Nanoseconds since 1970.
    case nanoseconds
    case truth
    case text
    /// Bytes that need not be UTF-8.
    case path
    /// `st_mode`.
    case mode
  }

  /// What the values of the column are.
  public var form: Form {
    switch self {
    case .id, .rootID, .parentID, .uid, .gid, .inode, .device, .flags, .firstSeenScan,
      .lastChangedScan:
      .identifier
    case .links, .depth, .assetScale, .assetHeight: .number
    case .size, .allocated: .bytes
    case .created, .modified, .changed, .accessed: .seconds
    case .createdNanoseconds, .modifiedNanoseconds, .changedNanoseconds, .accessedNanoseconds:
      .nanoseconds
    case .isHidden, .isPackage, .purgeable, .assetHD: .truth
    case .kind, .type, .extension, .owner, .groupName, .role, .backupPolicy, .assetIdiom: .text
    case .root, .directory, .name, .path, .linkTarget, .container, .assetStem: .path
    case .mode: .mode
    }
  }

  /// Parses names separated by commas.
  ///
  /// - Throws: ``CatalogError/Code/unknownColumn`` with the nearest known name.
  public static func parse(_ text: String) throws(CatalogError) -> [EntryColumn] {
    var columns: [EntryColumn] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = item.lowercased()
      guard let column = EntryColumn(rawValue: name) else {
        throw CatalogError(
          .unknownColumn, named: name, among: allCases.map(\.rawValue),
          "there is no column “\(item)”")
      }
      columns.append(column)
    }
    return columns
  }
}
