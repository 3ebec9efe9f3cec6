internal import Console
internal import FileCatalog
internal import HTTPTypes
internal import SystemPackage

/// What the server says of itself.
struct ServiceEndpoints {
  let catalog: Catalog
  let about: About
  let measures: Measures
  let shelf: TableShelf
  let follower: CatalogFollower

  /// What the server is.
  struct About: Sendable {
    var version: String
    var allowsSQL: Bool
  }

  var all: [Endpoint] { [session, metrics, health] }

  private var session: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/session", "What this server is, and what it allows",
      reply: .json(
        .object([
          .member("version", .text), .member("read_only", .truth), .member("allow_sql", .truth),
          .member("catalog", .text, "The name of the catalog's file."),
          .member("now", .integer(), "Seconds since 1970."),
        ]))
    ) { [catalog, about] _ in
      Answer.json { json in
        json.member("version", .text(about.version))
        json.member("read_only", .boolean(true))
        json.member("allow_sql", .boolean(about.allowsSQL))
        json.member("catalog", .text(bytes: catalog.path.lastComponent?.bytes ?? []))
        json.member("now", .integer(Measures.now))
      }
    }
  }

  private var health: Endpoint {
    Endpoint(
      .get, "/healthz", "Whether the catalog can be read",
      reply: .json(.object([.member("status", .word(["ok"]))]))
    ) { [catalog] _ in
      _ = try await catalog.stamp()
      return Answer.json { $0.member("status", "ok") }
    }
  }

  private var metrics: Endpoint {
    Endpoint(
      .get, "/metrics", "Numbers for a monitoring system, in the text of OpenMetrics",
      reply: .text(media: MetricsText.media)
    ) { [catalog, about, measures, shelf, follower] _ in
      var text = MetricsText()
      text.family("filecat_build", .info, "What answers.")
      text.sample("filecat_build_info", ["version": about.version], 1)
      try await text.add(rootsOf: catalog)
      text.family("filecat_tables", .gauge, "Tables that clients have open.")
      text.sample("filecat_tables", [:], Double(await shelf.count))
      text.family("filecat_listeners", .gauge, "Streams of events that are open.")
      text.sample("filecat_listeners", [:], Double(follower.bell.count))
      measures.add(to: &text)
      return Answer(text.finished(), MetricsText.media)
    }
  }
}

extension MetricsText {
  /// Adds what there is to know about the roots of a catalog.
  fileprivate mutating func add(rootsOf catalog: Catalog) async throws {
    let roots = try await catalog.roots()
    let scans = try await catalog.scanRows(of: nil, limit: 1000)
    family("filecat_last_scan", .gauge, "The number of the last scan.")
    sample("filecat_last_scan", [:], Double(try await catalog.stamp().lastScan))
    let names = scans.columns.map(\.name)
    func last(_ column: String, of root: Root) -> Double? {
      guard let place = names.firstIndex(of: column), let id = names.firstIndex(of: "root_id"),
        let row = scans.rows.first(where: { $0[id] == .integer(root.id) })
      else { return nil }
      return switch row[place] {
      case .integer(let value), .count(let value), .byteCount(let value): Double(value)
      case .real(let value): value
      case .duration(let value): Double(value) / 1e9
      default: nil
      }
    }
    let gauges: [(String, String, (Root) -> Double?)] = [
      ("entries", "Entries of a root.", { Double($0.entries) }),
      ("size_bytes", "Bytes of everything in a root that is no directory.", { Double($0.size) }),
      ("allocated_bytes", "Bytes on the disk of a root.", { Double($0.allocated) }),
      (
        "online", "Whether a root was there when it was last to be scanned.",
        { $0.state == .online ? 1 : 0 }
      ),
      (
        "last_scan_timestamp_seconds", "When the last scan of a root ended.",
        { $0.lastScanAt.map(Double.init) }
      ),
      (
        "last_scan_age_seconds", "How long ago that was.",
        { $0.lastScanAt.map { Double(Measures.now - $0) } }
      ),
      ("last_scan_duration_seconds", "How long it took.", { last("seconds", of: $0) }),
      ("last_scan_errors", "What it could not read.", { last("errors", of: $0) }),
    ]
    for (name, help, value) in gauges {
      family("filecat_root_\(name)", .gauge, help)
      for root in roots {
        guard let value = value(root) else { continue }
        sample("filecat_root_\(name)", ["root": root.path.string], value)
      }
    }
  }
}
