internal import FileSystem
internal import SQLite
public import SystemPackage

extension Catalog {
  /// Compares all roots with the disk and reports what differs, without changing anything.
  ///
  /// Types are not compared, nor what is a package: declarations that came or went since the last
  /// scan are no difference of the disk.
  ///
  /// - Parameter report: gets each difference as it is found, on a thread of the comparison. It has the
  ///   last scan of its root, and when the comparison of the root began.
  /// - Returns: what could not be read, roots that are not there among it.
  public func verify(
    report: @escaping @Sendable (Change) throws -> Void
  ) async throws -> [ScanFailure] {
    let control = ScanControl()
    return try await withTaskCancellationHandler {
      do {
        return try await WorkerThread.run(named: "catalog verify") {
          try self.compareWithDisk(control: control, report: report)
        }
      } catch let error as ThreadError {
        throw CatalogError(error, path: path)
      }
    } onCancel: {
      control.cancel()
    }
  }

  /// Reads all files once more that have a hash in the catalog (``/CatalogScan/FileHash``) and, by their sizes and
  /// times, are what they were when it was made, and reports those that have another by now: a disk, or somebody,
  /// has changed them without a trace. What has changed otherwise is told by ``verify(report:)``.
  ///
  /// Cancelling the task stops within a moment.
  ///
  /// - Parameter report: gets each difference as it is found, on a thread of the comparison.
  /// - Returns: how many files were compared, and what could not be.
  public func verifyContent(
    report: @escaping @Sendable (ContentDifference) throws -> Void
  ) async throws -> ContentVerification {
    let control = ScanControl()
    return try await withTaskCancellationHandler {
      do {
        return try await WorkerThread.run(named: "catalog verify") {
          try self.compareContent(control: control, report: report)
        }
      } catch let error as ThreadError {
        throw CatalogError(error, path: path)
      }
    } onCancel: {
      control.cancel()
    }
  }

  private func compareContent(
    control: ScanControl, report: (ContentDifference) throws -> Void
  ) throws -> ContentVerification {
    do {
      return try store.read { db in
        var result = ContentVerification()
        let check = ContentCheck(in: db, host: contentHost, jobs: .usual, control: control)
        for root in try RootTable.all(in: db) {
          if let failure = Self.missing(root.location) {
            result.failures.append(failure)
            continue
          }
          let (files, failures) = try check.run(root) {
            try report(
              ContentDifference(
                path: $0.path, entryID: EntryID(rawValue: $0.entry), storedHash: $0.stored,
                foundHash: $0.found))
          }
          result.files += files
          result.failures += failures.map {
            ScanFailure(
              path: $0.path, operation: FileError.Operation.content.rawValue,
              errno: $0.errno?.rawValue ?? 0, message: $0.reason)
          }
        }
        return result
      }
    } catch {
      switch error {
      case is SQLiteError, is ThreadError, is CancellationError:
        throw CatalogError(error, path: store.path)
      default: throw error
      }
    }
  }

  /// Why a root cannot be compared.
  private static func missing(_ location: RootLocation) -> ScanFailure? {
    let path = location.path
    if let otherPlace = location.otherPlace {
      return ScanFailure(
        path: path, operation: FileError.Operation.open.rawValue,
        errno: Errno.tooManySymbolicLinkLevels.rawValue,
        message: "it leads to \(otherPlace.string) now, by a symbolic link that was not there")
    }
    do throws(CatalogError) {
      _ = try RootLocation(finding: path)
      return nil
    } catch {
      let errno = error.code == .notADirectory ? Errno.notDirectory : .noSuchFileOrDirectory
      return ScanFailure(FileError(.open, path, errno), below: "/")
    }
  }

  private func compareWithDisk(
    control: ScanControl, report: @escaping (Change) throws -> Void
  ) throws -> [ScanFailure] {
    do {
      return try store.read { db in
        var failures: [ScanFailure] = []
        for root in try RootTable.all(in: db) {
          if let failure = Self.missing(root.location) {
            failures.append(failure)
            continue
          }
          // What providers say is not compared.
          var settings = try root.soundSettings()
          settings.resourceValues = []
          let walker = try WalkPlan(
            location: root.location, settings: settings, catalog: store.path,
            numbering: .kindsOnly(types), providers: [], jobs: .usual,
            makeSource: makeSource, stored: try StoredPackages(of: root, in: db)
          ).makeWalker()
          control.attach(walker)
          defer { control.attach(nil) }
          var comparison = try DiskComparison(of: root, in: db, report: report)
          failures += try comparison.run(walker, control: control).map {
            ScanFailure($0, below: root.location.path)
          }
        }
        return failures
      }
    } catch {
      switch error {
      case is SQLiteError, is ThreadError, is CancellationError:
        throw CatalogError(error, path: store.path)
      default: throw error
      }
    }
  }
}

/// A file whose content is another than when it was hashed, although its size and times are the same.
public struct ContentDifference: Sendable, Hashable {
  /// Where it is.
  public let path: FilePath
  /// The entry's number.
  public let entryID: EntryID
  /// The SHA-256 that the catalog has, in hexadecimal digits.
  public let storedHash: String
  /// The one of now.
  public let foundHash: String
}

/// What came of reading files once more.
public struct ContentVerification: Sendable {
  /// How many files were compared.
  public var files = 0
  /// What could not be read, roots that are not there among it.
  public var failures: [ScanFailure] = []
}

extension ScanFailure {
  init(_ error: FileError, below root: FilePath) {
    self.init(
      path: root.pushing(error.path), operation: error.operation.rawValue,
      errno: error.errno.rawValue, message: error.errno.description)
  }
}

extension Catalog {
  /// Proves that the catalog is whole: SQLite's own check, references between rows, paths against
  /// the names above them, sums against what they add up, and fingerprints against the rows.
  ///
  /// - Returns: what is wrong, at most a hundred lines a rule; nothing for a sound catalog.
  public func check() async throws -> [IntegrityProblem] {
    try await read { try IntegrityCheck($0).run() }
  }

  /// Makes up for what ``check()`` finds, from what the catalog holds alone: all of it at once, or nothing.
  ///
  /// What follows from other rows is made anew. What does not is dropped: roots that lie in others, which
  /// have their entries as well, and the entries of roots with wrong rows, which the next scan makes anew.
  /// A catalog that is sound is not written to.
  ///
  /// - Returns: what was done. ``check()`` then tells what is left, which is damage of the file itself.
  public func repair() async throws -> [IntegrityRepair] {
    guard try await !check().isEmpty else { return [] }
    return try await write { db in
      var repair = CatalogRepair(db)
      return try repair.run()
    }
  }
}
