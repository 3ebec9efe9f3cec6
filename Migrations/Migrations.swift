/// One step of the tables: a numbered SQL file of this directory, carried inside the binary.
package struct Migration: Sendable {
  /// The schema version after this step, stored as `PRAGMA user_version`.
  package let version: Int
  /// The file's name without its ending.
  package let name: String
  package let sql: String

  fileprivate init(_ number: Int, _ name: String, _ bytes: [UInt8]) {
    version = Migrations.unreleasedVersions + number
    self.name = name
    sql = String(decoding: bytes, as: UTF8.self)
  }
}

/// The whole schema: the tables step by step, and the views as they are today.
///
/// A step that has been released never changes; new ones are added. Views hold no data, so they stand
/// once and are made anew wherever a catalog has them from another text.
package enum Migrations {
  package static var all: [Migration] {
    [Migration(1, "0001-catalog", PackageResources._001_catalog_sql)]
  }

  /// The statements that make all views.
  package static var views: String {
    String(decoding: PackageResources.views_sql, as: UTF8.self)
  }

  /// Versions up to this one were never released, and are not read.
  package static let unreleasedVersions = 14

  /// The schema version of a catalog made today.
  package static let currentVersion = 15

  /// `PRAGMA application_id` of every catalog: "fcat" in ASCII.
  package static let applicationID: Int32 = 0x6663_6174
}
