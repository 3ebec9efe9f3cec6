internal import SQLite
internal import SystemPackage

extension CatalogError {
  /// The file is no catalog.
  init(notACatalog path: FilePath) {
    self.init(.notACatalog, path: path, "\(path.string) is not a catalog")
  }

  /// What an error of SQLite means for the person whose catalog is at `path`.
  init(_ error: SQLiteError, path: FilePath) {
    let name = path.string
    let message = error.message
    switch error.code {
    case .notADatabase:
      self.init(notACatalog: path)
    case .corrupt:
      self.init(
        .corrupt, path: path,
        "\(name) is damaged (\(message)); delete it and scan again, or restore a copy")
    case .full:
      self.init(
        .diskFull, path: path,
        "no space left on the disk of \(name); the catalog is as it was before")
    case .busy, .locked:
      self.init(
        .busy, path: path,
        "\(name) is in use: \(LockHolder(of: path)?.description ?? "another scan") is writing to it; "
          + "try again when it is done")
    case .readOnly, .noPermission:
      self.init(
        .readOnly, path: path,
        "\(name) may not be written to; check the permissions of the file and its folder")
    case .cannotOpen:
      self.init(
        .cannotOpen, path: path,
        "\(name) cannot be opened; check that its folder exists and may be written to")
    case .interrupted, .aborted:
      self.init(.interrupted, path: path, "interrupted; \(name) is as it was before")
    case .inputOutput:
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
    case let error as SQLiteError:
      self.init(error, path: path)
    case let error as PageLoaderError:
      self.init(error, path: path)
    case is CancellationError:
      self.init(.interrupted, path: path, "interrupted; \(path.string) is as it was before")
    default:
      self.init(.database, path: path, "\(path.string): \(error)")
    }
  }
}
