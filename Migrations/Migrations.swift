/// One step of the schema: a numbered SQL file of this folder, carried inside the binary.
package struct Migration: Sendable {
  /// The schema version after this step, stored as `PRAGMA user_version`.
  package let version: Int
  /// The file's name without its ending.
  package let name: String
  package let sql: String

  fileprivate init(_ version: Int, _ name: String, _ bytes: [UInt8]) {
    self.version = version
    self.name = name
    sql = String(decoding: bytes, as: UTF8.self)
  }
}

/// The whole schema, in order. A step that has been released never changes; new ones are added.
package enum Migrations {
  package static var all: [Migration] {
    [
      Migration(1, "0001-catalog", PackageResources._001_catalog_sql),
      Migration(2, "0002-history", PackageResources._002_history_sql),
      Migration(3, "0003-reports", PackageResources._003_reports_sql),
      Migration(4, "0004-searches", PackageResources._004_searches_sql),
      Migration(5, "0005-containers", PackageResources._005_containers_sql),
    ]
  }

  /// The schema version of a catalog made today.
  package static let currentVersion = 5

  /// `PRAGMA application_id` of every catalog: "fcat" in ASCII.
  package static let applicationID: Int32 = 0x6663_6174
}
