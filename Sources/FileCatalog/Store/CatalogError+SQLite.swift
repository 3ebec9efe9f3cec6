internal import GRDB
internal import GRDBSQLite
internal import SQLitePages
internal import SystemPackage

extension CatalogError {
  /// What a SQLite result code means for the person whose catalog is at `path`.
  init(sqliteCode code: Int32, message: String, path: FilePath) {
    let name = path.string
    switch code & 0xff {
    case SQLITE_NOTADB:
      self.init(.notACatalog, path: path, "\(name) is not a catalog")
    case SQLITE_CORRUPT:
      self.init(
        .corrupt, path: path,
        "\(name) is damaged (\(message)); delete it and scan again, or restore a copy")
    case SQLITE_FULL:
      self.init(
        .diskFull, path: path,
        "no space left on the disk of \(name); the catalog is as it was before")
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(
        .busy, path: path,
        "\(name) is in use: \(LockHolder(of: path)?.description ?? "another scan") is writing to it; "
          + "try again when it is done")
    case SQLITE_READONLY, SQLITE_PERM:
      self.init(
        .readOnly, path: path,
        "\(name) may not be written to; check the permissions of the file and its folder")
    case SQLITE_CANTOPEN:
      self.init(
        .cannotOpen, path: path,
        "\(name) cannot be opened; check that its folder exists and may be written to")
    case SQLITE_INTERRUPT, SQLITE_ABORT:
      self.init(.interrupted, path: path, "interrupted; \(name) is as it was before")
    case SQLITE_IOERR:
      self.init(
        .database, path: path,
        "\(name): the disk reported an error (\(message)); the catalog is as it was before")
    default:
      self.init(.database, path: path, "\(name): \(message)")
    }
  }

  private init(_ error: PageLoaderError, path: FilePath) {
    if case .system(_, let errno) = error.reason {
      self.init(creating: path, Errno(rawValue: errno))
    } else {
      self.init(.database, path: path, "\(path.string): \(error)")
    }
  }

  /// Any error met while working on the catalog at `path`, as one of ours.
  init(_ error: any Error, path: FilePath) {
    switch error {
    case let error as CatalogError:
      self = error
    case let error as SQLiteFailure:
      self.init(sqliteCode: error.code, message: error.message, path: path)
    case let error as DatabaseError:
      self.init(
        sqliteCode: error.extendedResultCode.rawValue, message: error.message ?? "error",
        path: path)
    case let error as PageLoaderError:
      self.init(error, path: path)
    case is CancellationError:
      self.init(.interrupted, path: path, "interrupted; \(path.string) is as it was before")
    default:
      self.init(.database, path: path, "\(path.string): \(error)")
    }
  }
}
