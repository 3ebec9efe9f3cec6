import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// First scans of a tree, as it is and as a home with roles, in turn; then the reading of its names.
func measureContainers(_ directory: String) async throws {
  let clock = ContinuousClock()
  let root = FilePath(directory)
  var times: [String: [Duration]] = [:]
  var names: [[UInt8]] = []
  for _ in 0..<7 {
    for (kind, containers) in [("plain", []), ("roles", [Container(.xdg, root: root)])] {
      let directory = try ScratchDirectory()
      let catalog = try Catalog(at: directory.path.appending("catalog.sqlite"))
      var request = ScanRequest()
      request.containers = containers
      let start = clock.now
      _ = try await catalog.scan([root], request: request)
      times[kind, default: []].append(clock.now - start)
      if names.isEmpty {
        try catalog.forEachRow(of: TableRequest(columns: [.name])) { row in
          if case .text(let name)? = row.first { names.append(name) }
        }
      }
      try catalog.close()
    }
  }
  let plain = median(times["plain"] ?? [])
  let roles = median(times["roles"] ?? [])
  print("first scan of \(grouped(names.count)) entries: \(rounded(plain.nanoseconds / 1e6)) ms")
  print("  as a home with roles: \(rounded(roles.nanoseconds / 1e6)) ms")
  let reading = Duration.best(of: 7) {
    var stems = 0
    for name in names { stems &+= AssetName.Layout(name).stem.count }
    precondition(stems > 0)
  }
  let each = reading.nanoseconds / Double(max(names.count, 1))
  print(
    "reading the marks of a name: \(rounded(each)) ns, together "
      + "\(rounded(100 * reading.nanoseconds / plain.nanoseconds)) % of the scan")
}

/// Reading all entries of a catalog as values.
func measureEntries(_ file: String) async throws {
  let clock = ContinuousClock()
  let catalog = try Catalog(at: FilePath(file), access: .existing)
  defer { try? catalog.close() }
  var times: [Duration] = []
  var count = 0
  let order = SortOrder([SortOrder.Term(.inode)])
  for _ in 0..<7 {
    let start = clock.now
    count = try await catalog.entries(matching: Query(), order: order).count
    times.append(clock.now - start)
  }
  let all = median(times).nanoseconds
  print(
    "\(grouped(count)) entries read in \(rounded(all / 1e6)) ms, "
      + "\(rounded(all / 1e3 / Double(max(count, 1)))) µs each")
}

/// Lookups of names that are there, that have variants, and that are not there.
func measureLookup(_ file: String) async throws {
  let clock = ContinuousClock()
  let catalog = try Catalog(at: FilePath(file), access: .existing)
  defer { try? catalog.close() }
  let device = AssetLookup.Device(idiom: .pad, scale: .two, height: 1024)
  for name in ["folder.png", "nowhere-to-be-found.png", "README.md", "__init__.py"] {
    for limit in [1, nil] {
      var times: [Duration] = []
      var count = 0
      for _ in 0..<21 {
        let start = clock.now
        count = try await catalog.assets(named: FilePath(name), on: device, limit: limit).count
        times.append(clock.now - start)
      }
      let milliseconds = (median(times).nanoseconds / 1e3).rounded() / 1e3
      let what = limit == nil ? "all \(grouped(count))" : "the best"
      print("\(name): \(what) in \(milliseconds) ms")
    }
  }
}

private func median(_ times: [Duration]) -> Duration {
  times.sorted()[times.count / 2]
}
