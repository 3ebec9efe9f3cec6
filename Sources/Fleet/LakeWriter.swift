package import SystemPackage

/// Puts the files of one catalog into a lake, whatever that lies in.
///
/// Those of tables take the place of what a publisher has left that was stopped before it had put the record;
/// a record never takes the place of another one.
package struct LakeWriter: ~Copyable {
  private let lake: Lake
  let store: any LakeStore
  let publishing: any LakePublishing

  /// Begins to write.
  ///
  /// - Throws: ``FleetError`` with ``FleetError/Code/busy`` while somebody else writes for the catalog.
  package init(_ lake: Lake, for catalog: CatalogUUID) throws(FleetError) {
    let store = try lake.store()
    publishing = try store.beginPublishing(Lake.directory(ofCommits: catalog))
    self.lake = lake
    self.store = store
  }

  /// Writes the file of a table.
  ///
  /// - Parameter body: writes the rows into a descriptor, and returns how many they are.
  /// - Returns: what the record says of the file.
  package func write(
    _ table: FleetTable, _ catalog: CatalogUUID, _ publication: Int64,
    _ body: (FileDescriptor) throws -> Int64
  ) throws -> CommitRecord.File {
    let place = Lake.place(of: table, catalog, publication)
    var rows: Int64 = 0
    guard let content = try publishing.put(place, .replaced, { rows = try body($0) }) else {
      throw FleetError(.busy, lake(place), "another process is publishing the catalog")
    }
    return CommitRecord.File(table, rows: rows, size: content.size, hash: content.hash)
  }

  /// Puts the record of a publication, after which everybody sees it.
  ///
  /// - Returns: `false` where there is another record in its place.
  package func commit(_ record: CommitRecord) throws -> Bool {
    let place = Lake.place(ofCommit: record.publication, record.catalog)
    let json = record.json
    guard json.count <= CommitRecord.largest else {
      throw FleetError(.invalidRecord, lake(place), "the record is too large to be read again")
    }
    let content = try publishing.put(place, .kept) { file in
      do {
        try file.writeAll(json)
      } catch {
        throw FleetError(.cannotWrite, lake(place), "\(error)")
      }
    }
    return content != nil
  }

  /// By how many seconds this machine's clock is ahead of the one that dates the files of the lake.
  package func clockSkew(now: Int64) -> Int64 { publishing.clockSkew(now: now) }
}
