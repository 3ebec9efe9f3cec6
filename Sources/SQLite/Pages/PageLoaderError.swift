package import SystemPackage

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why a database file could not be loaded.
///
/// After any error the file is unfinished: delete it.
package struct PageLoaderError: Error, Equatable {
  package let reason: Reason
  /// The database file.
  package let path: FilePath

  /// What went wrong.
  package enum Reason: Equatable, Sendable {
    /// A system call failed; a full disk is `ENOSPC` in a ``Operation/write``.
    case system(Operation, errno: Int32)
    /// The file is not a database of the form that the loader writes.
    case unsupportedFile(FileProblem)
    /// A page of the schema is not what the file format says.
    case malformedSchema(page: UInt32)
    /// The schema has no table of that name.
    case noSuchTable(String)
    /// The schema has no index of that name.
    case noSuchIndex(String)
    /// Tables `WITHOUT ROWID` are indexes inside; load them through SQL.
    case withoutRowid(String)
    /// The order of the index is not that of plain columns compared byte by byte.
    case unsupportedIndex(String)
    /// The table or index holds something already, or was handed out before.
    case notEmpty(String)
    /// A rowid was not above the one before it.
    case rowidNotAscending(Int64, after: Int64)
    /// A row has more bytes than SQLite reads.
    case recordTooLarge(Int)
    /// ``PageLoader/finish()`` came before the `finish()` of this many tables and indexes.
    case unfinishedTrees(Int)
    /// A page of the tree of a table or an index is not what the file format says, or holds what the
    /// loader does not know.
    case malformedTree(page: UInt32)
    /// SQLite does not read the pages with which those that were appended become part of the database.
    case pagesNotSeen
    /// The file would have more pages than a database may have.
    case tooManyPages
  }

  /// The system call that failed.
  package enum Operation: String, Sendable {
    case open, inspect, read, write, truncate, synchronize
  }

  /// What the loader cannot work with.
  package enum FileProblem: String, Sendable {
    case notADatabase = "it is not an SQLite database"
    case writeAheadLog = "it is in WAL mode"
    case noWriteAheadLog = "it is not in WAL mode"
    case openTransaction = "a journal lies beside it"
    case reservedBytes = "its pages have reserved bytes"
    case encoding = "its encoding is not UTF-8"
    case autoVacuum = "it has auto_vacuum"
    case schemaFormat = "it has no schema, or one of a format older than 4"
    case truncated = "it is shorter than its header says"
  }

  init(_ reason: Reason, path: FilePath) {
    self.reason = reason
    self.path = path
  }

  /// Whether a system call failed: then no other way to write is better.
  package var isOfSystem: Bool {
    if case .system = reason { true } else { false }
  }
}

// MARK: - Description

extension PageLoaderError: CustomStringConvertible {
  package var description: String {
    "\(path.string): \(reason)"
  }
}

extension PageLoaderError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let operation, let errno):
      "cannot \(operation.rawValue): \(strerror(errno).map { String(cString: $0) } ?? "\(errno)")"
    case .unsupportedFile(let problem): "cannot be loaded because \(problem.rawValue)"
    case .malformedSchema(let page): "page \(page) of the schema is malformed"
    case .noSuchTable(let name): "has no table \(name)"
    case .noSuchIndex(let name): "has no index \(name)"
    case .withoutRowid(let name): "table \(name) is WITHOUT ROWID"
    case .unsupportedIndex(let name): "index \(name) has an order that only SQLite knows"
    case .notEmpty(let name): "\(name) is not empty or is being loaded already"
    case .rowidNotAscending(let rowid, let last): "rowid \(rowid) came after \(last)"
    case .recordTooLarge(let size): "a row has \(size) bytes, which SQLite would not read"
    case .unfinishedTrees(let count): "\(count) tables or indexes are not finished"
    case .malformedTree(let page): "page \(page) of a table or an index is malformed"
    case .pagesNotSeen: "pages that were appended are not seen"
    case .tooManyPages: "would have too many pages"
    }
  }
}
