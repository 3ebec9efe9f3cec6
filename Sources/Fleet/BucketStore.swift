internal import CatalogStore
internal import FileSystem
internal import StandardDirectories
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The files of a lake in a bucket.
struct BucketStore: LakeStore {
  private let address: BucketAddress
  private let client: ObjectClient
  /// How many keys are listed at a time.
  private let pageSize: Int

  /// - Parameter access: `nil` for what this process is told.
  init(
    _ address: BucketAddress, _ access: ObjectAccess?, pageSize: Int = 1000
  ) throws(FleetError) {
    self.address = address
    self.pageSize = pageSize
    do throws(ObjectError) {
      let access = if let access { access } else { try ObjectAccess.ofThisProcess() }
      client = ObjectClient(address.bucket, access)
    } catch {
      throw FleetError(.cannotRead, address, error)
    }
  }

  private func key(_ place: FilePath) -> String { address.key(place.string) }

  private func error(_ code: FleetError.Code, _ place: FilePath, _ error: ObjectError) -> FleetError
  {
    FleetError(code, address.text(place.string), error)
  }

  /// A bucket that is not there is told when it is listed, and a prefix is no more than its objects.
  func requireThere() {}

  func files(in directory: FilePath, levels: Int) throws(FleetError) -> [FilePath] {
    let beginning = key(directory) + "/"
    let keys: [String]
    do throws(ObjectError) {
      keys = try client.keys(beginningWith: beginning, pageSize: pageSize)
    } catch {
      throw self.error(.cannotRead, directory, error)
    }
    return keys.compactMap { key in
      // A key is any text; those of a lake are paths, spelled in one way.
      let rest = key.dropFirst(beginning.count)
      let names = rest.split(separator: "/", omittingEmptySubsequences: false)
      guard names.count == levels, names.allSatisfy({ !["", ".", ".."].contains($0) }),
        !rest.utf8.contains(0)
      else { return nil }
      return directory.pushing(FilePath(String(rest)))
    }
  }

  func beginnings(
    of files: [FilePath], atMost limit: Int
  ) -> [Result<[UInt8], FleetError>] {
    let requests = files.map { ObjectRequest.get(key($0), atMost: limit) }
    return zip(files, client.send(requests, atMost: max(limit, ObjectClient.largestAnswer)))
      .map { file, result in
        result.map { Array($0.body.prefix(limit)) }.mapError { error(.cannotRead, file, $0) }
      }
  }

  func contents(of files: [FilePath]) -> [Result<FileContent?, FleetError>] {
    WorkerThread.map(files, atOnce: ObjectClient.processes, named: "objects") { file in
      do throws(ObjectError) {
        return .success(try content(of: file))
      } catch {
        return .failure(self.error(.cannotRead, file, error))
      }
    }
  }

  fileprivate func content(of file: FilePath) throws(ObjectError) -> FileContent? {
    do throws(ObjectError) {
      return try client.read(key(file), into: { ContentSum() }) { $0.update($1) }.finish()
    } catch {
      guard error.code == .missing else { throw error }
      return nil
    }
  }

  func open(_ file: FilePath) throws(FleetError) -> FileDescriptor {
    let copy = try FileDescriptor.withoutName()
    var failure: Errno?
    do throws(ObjectError) {
      let write = { (size: inout Int64, bytes: UnsafeRawBufferPointer) in
        do {
          size += Int64(try copy.writeAll(toAbsoluteOffset: size, bytes))
        } catch {
          failure = error as? Errno
        }
      }
      _ = try client.read(key(file), into: { 0 }, write)
    } catch {
      try? copy.close()
      throw self.error(.cannotRead, file, error)
    }
    if let failure {
      try? copy.close()
      throw FleetError(.cannotRead, address.text(file.string), "its copy: \(failure)")
    }
    return copy
  }

  func status(of files: [FilePath]) throws(FleetError) -> [StoredFile?] {
    var found: [StoredFile?] = []
    for (file, result) in zip(files, client.send(files.map { .head(key($0)) })) {
      switch result {
      case .success(let response):
        guard let size = response.size, let modified = response.modified else {
          throw FleetError(
            .cannotRead, address.text(file.string), "the server does not say how old it is")
        }
        found.append(StoredFile(size: size, modified: modified))
      case .failure(let error):
        guard error.code == .missing else { throw self.error(.cannotRead, file, error) }
        found.append(nil)
      }
    }
    return found
  }

  func remove(_ files: [FilePath]) throws(FleetError) {
    for (file, result) in zip(files, client.send(files.map { .delete(key($0)) })) {
      guard case .failure(let error) = result, error.code != .missing else { continue }
      throw self.error(.cannotWrite, file, error)
    }
  }

  /// Keys need none.
  func makeDirectory(_ directory: FilePath) {}

  func beginPublishing(_ records: FilePath) -> any LakePublishing {
    BucketPublishing(store: self, address: address, client: client)
  }
}

/// Puts files into a bucket, where nothing can be locked.
///
/// Of two that publish a catalog at the same time one puts the record, since that is put only where none is.
/// Neither may put a table over that of the other: its record would tell of other bytes. So a table as well is
/// put only where none is. One that is there may be replaced where it is the same, and where its publisher
/// has had its time: a publisher begins nothing an hour after it has begun, and what it has signed by then is
/// refused a quarter of an hour later. Whatever is three hours old by the server's clock, and is in the way of
/// a publisher that has seen no record of it, belongs to nobody any more. It is replaced only as long as it
/// is still the same.
private struct BucketPublishing: LakePublishing {
  /// How long a publisher may take.
  private static let time = Duration.seconds(3600)
  /// After how many seconds a publisher has had its time, whenever it has begun.
  private static let age: Int64 = 3 * 3600
  /// What can be put at once.
  private static let largest: Int64 = 5 << 30

  let store: BucketStore
  let address: BucketAddress
  let client: ObjectClient
  let deadline = ContinuousClock.now + time

  func put(
    _ file: FilePath, _ conflict: FileConflict, _ body: (FileDescriptor) throws -> Void
  ) throws -> FileContent? {
    let written = try FileDescriptor.withoutName()
    return try written.closeAfter {
      try body(written)
      var hash = SHA256()
      let content = try FileContent(of: written) { hash.update($0) }
      guard content.size <= Self.largest else {
        throw FleetError(
          .cannotWrite, address.text(file.string),
          "\(content.size) bytes cannot be put at once: the most are \(Self.largest)")
      }
      let upload = ObjectRequest.Upload(
        file: written, size: content.size, hash: hash.finish().hexadecimal, condition: .absent,
        deadline: deadline)
      do throws(ObjectError) {
        return switch conflict {
        case .kept: try keep(file, upload, content)
        case .replaced: try replace(file, upload, content)
        }
      } catch {
        throw error.code == .conflict
          ? FleetError(
            .busy, address.text(file.string),
            "another process is publishing the catalog, or was stopped in the last three hours")
          : FleetError(.cannotWrite, address.text(file.string), error)
      }
    }
  }

  private func keep(
    _ file: FilePath, _ upload: ObjectRequest.Upload, _ content: FileContent
  ) throws(ObjectError) -> FileContent? {
    do throws(ObjectError) {
      _ = try client.send(.put(address.key(file.string), upload))
    } catch {
      // An answer may have been lost, so that it was put before it was put again.
      guard error.code == .conflict, try store.content(of: file) != content else {
        if error.code == .conflict { return content }
        throw error
      }
      return nil
    }
    return content
  }

  private func replace(
    _ file: FilePath, _ upload: ObjectRequest.Upload, _ content: FileContent
  ) throws(ObjectError) -> FileContent {
    let key = address.key(file.string)
    var upload = upload
    var tries = 0
    while true {
      do throws(ObjectError) {
        _ = try client.send(.put(key, upload))
        return content
      } catch {
        guard [.conflict, .missing].contains(error.code), tries < 3 else { throw error }
        tries += 1
        upload.condition = try condition(for: file, content, error)
      }
    }
  }

  /// Under which condition the file is put where another one was in the way.
  ///
  /// - Throws: `error` where it has to stay.
  private func condition(
    for file: FilePath, _ content: FileContent, _ error: ObjectError
  ) throws(ObjectError) -> ObjectRequest.Condition {
    let found: ObjectResponse
    do throws(ObjectError) {
      found = try client.send(.head(address.key(file.string)))
    } catch {
      guard error.code == .missing else { throw error }
      return .absent
    }
    guard let tag = found.tag, let date = found.date, let modified = found.modified else {
      throw error
    }
    if date - modified < Self.age, try store.content(of: file) != content { throw error }
    return .same(tag)
  }

  func clockSkew(now: Int64) -> Int64 { client.clockSkew ?? 0 }
}

extension FileDescriptor {
  /// A new file among the temporary ones, which is gone when it is closed.
  fileprivate static func withoutName() throws(FleetError) -> FileDescriptor {
    let directory = HostEnvironment.process.temporary
    var name = directory.appending("filecat-XXXXXX").bytes.map { CChar(bitPattern: $0) } + [0]
    let number = mkstemp(&name)
    guard number >= 0 else {
      throw FleetError(.cannotWrite, directory, "\(Errno(rawValue: errno))")
    }
    unlink(name)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return FileDescriptor(rawValue: number)
  }
}

extension FleetError {
  fileprivate init(_ code: Code, _ place: some CustomStringConvertible, _ error: ObjectError) {
    let code =
      switch error.code {
      case .noCredentials: Code.noCredentials
      case .noClient: Code.noClient
      case .wrongClock: Code.wrongClock
      case .missing, .conflict, .tooLate, .failed: code
      }
    self.init(code, place, error.reason)
  }
}
