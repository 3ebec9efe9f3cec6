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
  public var form: ValueForm { Glossary.term(rawValue, of: "files")?.form ?? .any }

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
