import FileCatalog
import SystemPackage
import TestSupport
import Testing

@testable import Fleet

@Suite("A lake in a bucket", .enabled(if: ObjectServer.isInstalled))
struct BucketLakeTests {
  /// A server, and lakes in its bucket.
  private struct Objects {
    let server: ObjectServer
    let access: ObjectAccess
    let address: BucketAddress

    init() throws {
      server = try ObjectServer()
      access = try ObjectAccess(environment: server.environment)
      address = try #require(BucketAddress("s3://lake/fleet/ü %&+"))
    }

    var lake: Lake { Lake(address, access) }
    var client: ObjectClient { ObjectClient("lake", access) }

    func store(pageSize: Int = 1000) throws -> BucketStore {
      try BucketStore(address, access, pageSize: pageSize)
    }

    /// The conditions of the requests that have put an object, with what was answered.
    func puts() throws -> [String] {
      try server.log().filter { $0[0] == "PUT" }.map { "\($0[2]) \($0[3])" }
    }

    /// Puts an object of any key into the bucket.
    func put(_ text: String, _ key: String) throws {
      try withTemporaryDirectory { directory in
        try directory.write(text, to: "object")
        let file = try FileDescriptor.open(directory("object"), .readOnly)
        try file.closeAfter {
          let hash = SHA256.digest(of: Array(text.utf8))
          _ = try client.send(
            .put(
              key,
              .init(
                file: file, size: Int64(text.utf8.count),
                hash: hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
                condition: .absent, deadline: .now + .seconds(900))))
        }
      }
    }
  }

  private func withObjects(
    _ pieces: [Piece] = [.file("a.txt", bytes: 5), .file("d/b.png", bytes: 7), .file("d/e/c")],
    _ body: (Laboratory, Objects) async throws -> Void
  ) async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try await body(lab, Objects())
    }
  }

  private func publish(
    _ catalog: Catalog, to lake: Lake, _ extent: Catalog.Publication.Extent = .asNeeded
  ) async throws -> Catalog.PublicationOutcome {
    var publication = Catalog.Publication(by: "here")
    publication.extent = extent
    return try await catalog.publish(publication, to: lake)
  }

  private func published(
    _ catalog: Catalog, to lake: Lake, _ extent: Catalog.Publication.Extent = .asNeeded
  ) async throws -> CommitRecord {
    guard case .published(let record) = try await publish(catalog, to: lake, extent) else {
      Issue.record("nothing was published")
      throw CancellationError()
    }
    return record
  }

  private func expectError(
    _ code: FleetError.Code, _ word: String = "", sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as FleetError {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(error.description.contains(word), "\(error)", sourceLocation: sourceLocation)
      #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
    } catch {
      Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
  }

  // MARK: - The same as in a directory

  @Test("the same publications make the same files, status, and removals as in a directory")
  func same() async throws {
    try await withObjects((0..<30).map { .file(FilePath("\($0)"), bytes: $0) }) { lab, objects in
      try await withTemporaryDirectory { directory in
        let lakes = [Lake(directory("lake")), objects.lake]
        var last: CommitRecord?
        for step in 0..<5 {
          if step > 0 {
            try lab.tree.make(.file(FilePath("new\(step)"), bytes: step))
            try await lab.scan()
          }
          var kinds: [CommitRecord.Kind] = []
          for lake in lakes {
            let record = try await published(lab.catalog, to: lake, step == 3 ? .full : .asNeeded)
            #expect(try await publish(lab.catalog, to: lake) == .upToDate(record))
            kinds.append(record.kind)
            last = record
          }
          #expect(kinds[0] == kinds[1])
          #expect((kinds[0] == .full) == (step == 0 || step == 3))
        }
        func expectSame(_ place: String) throws {
          let saved = try objects.server.save()
          let inBucket = try TemporaryDirectory(at: saved("fleet/ü %&+")).files()
          let inDirectory = try TemporaryDirectory(at: directory("lake")).files()
            .filter { !$0.key.hasSuffix("/.lock") }
          #expect(Set(inBucket.keys) == Set(inDirectory.keys), "\(place)")
          for (name, bytes) in inDirectory where name.hasSuffix(".parquet") {
            #expect(inBucket[name] == bytes, "\(place) \(name)")
          }
          let states = try lakes.map { try FleetStatus(of: $0) }
          let members = states.map { $0.members.map { [$0.full, $0.known, $0.last.publication] } }
          #expect(members[0] == members[1], "\(place)")
          #expect(states.allSatisfy { $0.leftovers.isEmpty && $0.faults.isEmpty }, "\(place)")
          let files = try lakes.map { try $0.verify { Issue.record("\($0.description)") } }
          #expect(files[0] == files[1] && files[0] > 0, "\(place)")
        }
        try expectSame("at first")
        let published = try #require(last?.published)
        for days: Int64 in [6, 8, 57, 57] {
          let now = published + days * 86_400
          let expired = try lakes.map { try $0.expire(Lake.Retention(), now: now) }
          #expect(expired[0].files == expired[1].files)
          #expect((expired[0].files > 0) == (days == 8 || days == 57) || days == 57)
          try expectSame("after \(days) days")
        }
        // Every object was put under a condition, and none twice.
        #expect(try objects.puts().allSatisfy { $0 == "* 200" })
      }
    }
  }

  @Test("objects that are not what was written are found")
  func damage() async throws {
    try await withObjects { lab, objects in
      let record = try await published(lab.catalog, to: objects.lake)
      func place(_ table: FleetTable) -> FilePath { Lake.place(of: table, record.catalog, 1) }
      func key(_ table: FleetTable) -> String { objects.address.key(place(table).string) }
      let size = try #require(record.files.first { $0.table == .entries }?.size)
      try objects.store().remove([place(.entries), place(.directories), place(.growth)])
      try objects.put(String(repeating: "x", count: Int(size)), key(.entries))
      try objects.put("x", key(.directories))
      var faults: [String: FleetProblem.Fault] = [:]
      _ = try objects.lake.verify { faults[$0.place] = $0.fault }
      #expect(
        faults == [
          objects.lake(place(.entries)): .content, objects.lake(place(.directories)): .size,
          objects.lake(place(.growth)): .missing,
        ])
    }
  }

  @Test("a listing of more keys than a page has is read to its end")
  func pages() throws {
    let objects = try Objects()
    let empty = SHA256.digest(of: []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try withTemporaryDirectory { directory in
      try directory.write("", to: "empty")
      let file = try FileDescriptor.open(directory("empty"), .readOnly)
      defer { try? file.close() }
      let results = objects.client.send(
        (0..<1100).map { number in
          .put(
            objects.address.key("entries/\(number)"),
            .init(
              file: file, size: 0, hash: empty, condition: .absent, deadline: .now + .seconds(900)))
        })
      #expect(results.allSatisfy { (try? $0.get()) != nil })
    }
    #expect(try objects.store().files(in: "entries", levels: 1).count == 1100)
    let listings = try objects.server.log().filter { $0[0] == "GET" }.count
    #expect(listings == 2)
    #expect(try objects.store(pageSize: 7).files(in: "entries", levels: 1).count == 1100)
    #expect(try objects.server.log().filter { $0[0] == "GET" }.count == listings + 158)
  }

  // MARK: - Who publishes at the same time

  @Test("of two that publish at the same time one does, and what it has published is whole")
  func together() async throws {
    try await withObjects { lab, objects in
      try await withTemporaryDirectory { directory in
        _ = try await published(lab.catalog, to: objects.lake)
        try await lab.catalog.backUp(to: directory("copy"))
        let copy = try Catalog(at: directory("copy"))
        for round in 0..<4 {
          try lab.tree.make(.file(FilePath("round\(round)")))
          try await lab.scan()
          _ = try await copy.scan([lab.tree.path])
          let (catalogs, lake) = ([lab.catalog, copy], objects.lake)
          let outcomes = await withTaskGroup(of: FleetError.Code?.self) { group in
            for catalog in catalogs {
              group.addTask {
                do {
                  _ = try await publish(catalog, to: lake, .full)
                  return nil
                } catch {
                  return (error as? FleetError)?.code ?? .cannotRead
                }
              }
            }
            return await group.reduce(into: []) { $0.append($1) }
          }
          #expect(outcomes.allSatisfy { [nil, .busy, .diverged].contains($0) })
          _ = try objects.lake.verify { Issue.record("round \(round): \($0.description)") }
        }
        try copy.close()
      }
    }
  }

  @Test("what another one has left is replaced when its publisher has had its time")
  func leftBehind() async throws {
    try await withObjects { lab, objects in
      let first = try await published(lab.catalog, to: objects.lake)
      let next = Lake.place(of: .entries, first.catalog, 2)
      try objects.put("from somebody who is still at work", objects.address.key(next.string))
      try await lab.scan()
      await expectError(.busy) { _ = try await publish(lab.catalog, to: objects.lake) }
      #expect(try FleetStatus(of: objects.lake).leftovers == [next])
      try objects.server.setDate(ahead: 3 * 3600 + 60)
      #expect(try await published(lab.catalog, to: objects.lake).publication == 2)
      #expect(
        try objects.lake.verify { Issue.record("\($0.description)") } == 2
          * FleetTable.allCases.count)
      // It was replaced as long as it was the same.
      let replacements = try objects.puts().filter { !$0.hasPrefix("*") }
      #expect(replacements.count == 1 && replacements[0].hasSuffix(" 200"))
    }
  }

  @Test("the same bytes of a publisher that was stopped are in nobody's way")
  func leftTheSame() async throws {
    try await withObjects { lab, objects in
      let first = try await published(lab.catalog, to: objects.lake)
      let record = Lake.place(ofCommit: 1, first.catalog)
      try objects.store().remove([record])
      #expect(try FleetStatus(of: objects.lake).leftovers.count == FleetTable.allCases.count)
      let again = try await published(lab.catalog, to: objects.lake)
      #expect(again.publication == 1 && again.files == first.files)
      _ = try objects.lake.verify { Issue.record("\($0.description)") }
    }
  }

  @Test("a record is never replaced, and an answer that was lost is no other record")
  func records() async throws {
    try await withObjects { lab, objects in
      // It is put, and nobody hears of it.
      try objects.server.plan("PUT /entries/ lost", "PUT /growth/ lost", "PUT /commits/ lost")
      let record = try await published(lab.catalog, to: objects.lake)
      #expect(
        try objects.lake.verify { Issue.record("\($0.description)") } == FleetTable.allCases.count)
      let writer = try LakeWriter(objects.lake, for: record.catalog)
      #expect(try writer.commit(record))
      let other = CommitRecord(
        catalog: record.catalog, publication: 1, host: "there", kind: .full, scan: 1,
        scanStarted: 1, oldestScan: nil, newestScan: nil, published: 1, clockSkew: 0, schema: 1,
        entries: 1, allocated: 1, state: "", basis: "", files: record.files)
      #expect(try writer.commit(other) == false)
      #expect(try CommitReader(objects.lake).record(1, of: record.catalog) == record)
    }
  }

  @Test("nothing is put by a publisher that has taken too long")
  func tooLate() async throws {
    let objects = try Objects()
    try withTemporaryDirectory { directory in
      try directory.write("", to: "empty")
      let file = try FileDescriptor.open(directory("empty"), .readOnly)
      defer { try? file.close() }
      #expect(throws: ObjectError.self) {
        try objects.client.send(
          .put(
            "x", .init(file: file, size: 0, hash: "", condition: .absent, deadline: .now)))
      }
    }
    #expect(try objects.server.log().isEmpty)
  }

  // MARK: - What goes wrong

  @Test("a server that is busy in passing is asked again")
  func passing() async throws {
    try await withObjects { lab, objects in
      try objects.server.plan(
        "PUT / 503 SlowDown", "GET / 500 InternalError", "PUT / 409 ConditionalRequestConflict",
        "GET /entries/ 429 TooManyRequests", "PUT / 500 InternalError")
      _ = try await published(lab.catalog, to: objects.lake)
      #expect(
        try objects.lake.verify { Issue.record("\($0.description)") } == FleetTable.allCases.count)
    }
  }

  @Test("what a server refuses is told with its words, and nothing is to be seen")
  func refusals() async throws {
    try await withObjects { lab, objects in
      try objects.server.plan("PUT / 403 AccessDenied")
      await expectError(.cannotWrite, "AccessDenied: As planned") {
        _ = try await publish(lab.catalog, to: objects.lake)
      }
      try objects.server.plan(
        "GET / 500 Down", "GET / 500 Down", "GET / 500 Down", "GET / 500 Down")
      await expectError(.cannotRead, "500, Down") { _ = try FleetStatus(of: objects.lake) }
      try objects.server.setDate(ahead: 4000)
      try objects.server.plan("GET / 403 RequestTimeTooSkewed")
      await expectError(.wrongClock, "behind the server's") {
        _ = try FleetStatus(of: objects.lake)
      }
      try objects.server.plan("GET / 301 PermanentRedirect")
      await expectError(.cannotRead, "elsewhere") { _ = try FleetStatus(of: objects.lake) }
      #expect(try FleetStatus(of: objects.lake).members.isEmpty)
    }
  }

  @Test("a wrong secret, another bucket, and no server are errors, each of one line")
  func noAccess() async throws {
    try await withObjects { lab, objects in
      var variables = objects.server.environment
      variables["AWS_SECRET_ACCESS_KEY"] = "another"
      let stranger = Lake(objects.address, try ObjectAccess(environment: variables))
      await expectError(.cannotRead, "SignatureDoesNotMatch") {
        _ = try await publish(lab.catalog, to: stranger)
      }
      let elsewhere = Lake(try #require(BucketAddress("s3://nowhere/x")), objects.access)
      await expectError(.cannotRead, "NoSuchBucket") { _ = try FleetStatus(of: elsewhere) }
      await expectError(.cannotRead, "NoSuchBucket") { _ = try elsewhere.verify { _ in } }
      variables["AWS_ENDPOINT_URL_S3"] = "http://127.0.0.1:1"
      let nobody = Lake(objects.address, try ObjectAccess(environment: variables))
      await expectError(.cannotRead, "127.0.0.1") { _ = try FleetStatus(of: nobody) }
      let client = ObjectClient("lake", objects.access, program: "no-such-curl")
      #expect(throws: ObjectError(.noClient, "there is no program no-such-curl")) {
        try client.send(.head("x"))
      }
      let old = ObjectClient("lake", objects.access, program: "false")
      #expect(throws: ObjectError.self) { try old.send(.head("x")) }
    }
  }

  @Test("keys that no publisher has written are passed over")
  func strangeKeys() async throws {
    try await withObjects { lab, objects in
      let record = try await published(lab.catalog, to: objects.lake)
      let key = objects.address.key("")
      for name in [
        "entries/a&b<c>\"d", "entries/catalog=\(record.catalog)/publication=1/x/y",
        "entries/catalog=\(record.catalog)//part", "commits/x/000000000001.json",
        "commits/catalog=\(record.catalog)/1.json", "commits/catalog=\(record.catalog)/é\u{1}.json",
      ] {
        try objects.put("x", key + name)
      }
      let status = try FleetStatus(of: objects.lake)
      #expect(status.members.map(\.last) == [record])
      #expect(status.faults.isEmpty && status.leftovers.isEmpty)
      #expect(try objects.lake.publications(of: record.catalog) == [1])
    }
  }

  /// What a server may answer a listing with.
  enum StrangeAnswer: String, CaseIterable {
    case nothing = ""
    case page = "<html>"
    case begun = "<?xml version=\"1.0\"?><ListBucketResult>"
    case endless = "<ListBucketResult><Contents><Key>"
    case lost =
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"
    case turning =
      "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>"

    var text: String {
      self == .endless ? rawValue + String(repeating: "&amp;", count: 4_000_000) : rawValue
    }
  }

  @Test(
    "an answer that no server of objects gives is refused, however much there is of it",
    arguments: StrangeAnswer.allCases)
  func strangeAnswers(_ answer: StrangeAnswer) async throws {
    let objects = try Objects()
    try objects.server.directory.write(answer.text, to: "answer")
    try objects.server.plan("GET / body \(objects.server.directory("answer"))")
    await expectError(.cannotRead) { _ = try FleetStatus(of: objects.lake) }
  }

  @Test("records that are none are refused as in a directory")
  func strangeRecords() async throws {
    try await withObjects { lab, objects in
      let record = try await published(lab.catalog, to: objects.lake)
      let place = Lake.place(ofCommit: 1, record.catalog)
      for text in ["", "{", String(repeating: " ", count: 100_000)] {
        try objects.store().remove([place])
        try objects.put(text, objects.address.key(place.string))
        #expect(try FleetStatus(of: objects.lake).faults.map(\.code) == [.invalidRecord])
      }
    }
  }

  @Test("DuckDB reads from the bucket what the catalog holds")
  func engine() async throws {
    try await withObjects { lab, objects in
      let lake = Lake(try #require(BucketAddress("s3://lake/fleet")), objects.access)
      _ = try await published(lab.catalog, to: lake)
      try lab.tree.make(.file("new", bytes: 9))
      try await lab.scan()
      _ = try await published(lab.catalog, to: lake)
      try objects.server.directory.write(FleetViews(of: lake, for: .duckdb).sql, to: "views.sql")
      try objects.server.directory.write(FleetReport.statements, to: "reports.json")
      let run = try CommandRunner(
        ObjectServer.python,
        environment: objects.server.environment.merging(
          ["HOME": objects.server.directory.path.string]) { $1 }
      ).run([
        Clients.script("fleet.py"), "duckdb", objects.server.directory("views.sql").string,
        objects.server.directory("reports.json").string, "here=\(lab.catalog.path.string)",
      ])
      #expect(run.status == 0, "\(run.text) \(run.errors)")
    }
  }

  @Test("a catalog is made of what is in the bucket")
  func imported() async throws {
    try await withObjects { lab, objects in
      let record = try await published(lab.catalog, to: objects.lake)
      let catalog = try Catalog(
        at: objects.server.directory("imported.sqlite"), access: .create)
      let imported = try await catalog.importRoots(from: objects.lake)
      #expect(imported.map(\.record) == [record])
      #expect(try await catalog.roots().map(\.path) == [lab.tree.path])
    }
  }

  @Test("the statements for engines name the bucket as each of them does, and nobody's secret")
  func views() throws {
    let access = try #require(
      ObjectAccess.Credentials(key: "key", secret: "geheim").flatMap { ObjectAccess($0) })
    let lake = Lake(try #require(BucketAddress("s3://lake/it's")), access)
    let duckdb = try FleetViews(of: lake, for: .duckdb).sql
    #expect(duckdb.contains("'s3://lake/it''s/entries/*/*/part-00000.parquet'"))
    let spark = try FleetViews(of: lake, for: .spark).sql
    #expect(spark.contains("'s3a://lake/it''s/entries'") && !spark.contains("s3://"))
    #expect(!(duckdb + spark).contains("geheim"))
    #expect(throws: CatalogError.self) {
      try FleetViews(of: Lake(#require(BucketAddress("s3://lake/a*"))), for: .duckdb)
    }
  }
}
