internal import CPlatform
internal import Synchronization
package import SystemPackage

/// Walks a tree of directories with several threads and hands over what it finds in batches.
///
/// The order of the batches is such that a directory's own entry always comes before its content.
/// Memory is bounded by the number of batches and by the directories waiting to be read; no path
/// is built on the way, so neither the depth of the tree nor the length of its paths has a limit.
package final class TreeWalker: Sendable {
  /// Called by the walking threads for each piece of a directory, before anything is done about its
  /// sub-directories: sets the type code of the records and marks packages.
  package typealias Classifier = (EntryBatch, Range<Int>, DirectoryProbe) -> Void

  /// The values of the directory where the walk starts, and the file system it is on.
  package let startStatus: FileStatus
  package let startVolume: VolumeIdentity
  /// The place where the walk starts; paths are counted from the root all the same.
  private let startNode: DirectoryNode
  private let startHandle: DirectoryHandle
  private let rootHandle: DirectoryHandle
  private let rootPath: FilePath
  /// What goes for the directory where the walk starts, by files above it.
  private let startRules: IgnoreFiles.Rules?
  private let options: WalkOptions
  private let makeSource: @Sendable () -> any DirectorySource
  private let makeClassifier: @Sendable () -> Classifier
  private let workList: WorkList
  private let exchange: BatchExchange
  private let crew: WalkerCrew
  private let nextIndex = Atomic<Int32>(1)
  private let isCancelled = Atomic<Bool>(false)

  /// Nothing in a walk calls itself.
  private static let stackSize = 1 << 20

  /// Reads the file systems of this machine.
  package static let systemSource: @Sendable () -> any DirectorySource = { DirectoryReader() }

  /// Opens the root, the path of which leads through no symbolic link.
  ///
  /// - Parameter start: the components of the path from the root to the directory where the walk
  ///   starts; none for the root itself. The last is not followed if it is a symbolic link.
  package init(
    root: FilePath,
    startingAt start: [[UInt8]] = [],
    options: WalkOptions,
    makeSource: @escaping @Sendable () -> any DirectorySource = TreeWalker.systemSource,
    makeClassifier: @escaping @Sendable () -> Classifier
  ) throws(FileError) {
    self.options = options
    self.makeSource = makeSource
    self.makeClassifier = makeClassifier
    rootPath = root
    let source = makeSource()
    do {
      rootHandle = try source.open(root: root)
    } catch {
      throw FileError(.open, root, error)
    }
    do {
      startRules = try Self.rules(above: start, in: root, rootHandle, options, source)
    } catch {
      source.close(rootHandle)
      throw error
    }
    let place = DirectoryNode(components: start)
    do {
      startHandle =
        start.isEmpty ? rootHandle : try source.open(below: rootHandle, path: place.relativePath)
    } catch {
      source.close(rootHandle)
      throw FileError(.open, root.pushing(FilePath(bytes: place.relativePath)), error)
    }
    do {
      startStatus = try source.status(of: startHandle)
      startVolume = try source.volume(of: startHandle, device: startStatus.device)
    } catch {
      if startHandle != rootHandle { source.close(startHandle) }
      source.close(rootHandle)
      throw FileError(.status, root.pushing(FilePath(bytes: place.relativePath)), error)
    }
    startNode = DirectoryNode(
      index: 0, depth: place.depth, device: startStatus.device, inode: startStatus.inode,
      name: place.name, parent: place.parent)
    workList = WorkList(workers: options.jobs, openLimit: options.openDirectories)
    exchange = BatchExchange(
      // Enough that the threads need not wait while the one that writes is getting ready.
      batches: options.jobs * 12 + 8, producers: options.jobs)
    crew = WalkerCrew(
      count: options.jobs, most: options.mostJobs, processors: Int(cplatform_processor_count()))
  }

  /// What goes for a directory by files in the root and on the way from there.
  private static func rules(
    above start: [[UInt8]], in root: FilePath, _ rootHandle: DirectoryHandle,
    _ options: WalkOptions, _ source: any DirectorySource
  ) throws(FileError) -> IgnoreFiles.Rules? {
    guard let files = options.ignoreFiles else { return nil }
    var rules = files.above
    for depth in start.indices {
      let below = DirectoryNode(components: Array(start[..<depth])).relativePath
      let path = root.pushing(FilePath(bytes: below))
      let handle: DirectoryHandle
      do throws(Errno) {
        handle = try source.open(below: rootHandle, path: below)
      } catch {
        throw FileError(.open, path, error)
      }
      defer { source.close(handle) }
      let found: SoughtNames.Found
      do throws(Errno) {
        found = try source.find(files.names, in: handle)
      } catch {
        throw FileError(.read, path, error)
      }
      if found.isEmpty { continue }
      do throws(FileError) {
        let directory = IgnoreDirectory(
          path: path.bytes, found: found, source: source, directory: handle)
        rules = try files.read(rules, directory)
      } catch {
        throw FileError(error.operation, path.pushing(error.path), error.errno)
      }
    }
    return rules
  }

  /// Starts the threads. Call once; then call ``next()`` until it returns `nil`.
  ///
  /// Where the system gives fewer threads than ``WalkOptions/jobs``, the walk gets by with them.
  ///
  /// - Throws: when it gives none; then the walk is cancelled.
  package func start() throws(ThreadError) {
    for number in 0..<options.jobs {
      do throws(ThreadError) {
        try startWorker(at: number == 0 ? startNode : nil)
      } catch {
        guard number > 0 else {
          cancel()
          throw error
        }
        for _ in number..<options.jobs { dismissWorker() }
        crew.miss(options.jobs - number)
        return
      }
    }
  }

  private func startWorker(at start: DirectoryNode? = nil) throws(ThreadError) {
    try WorkerThread.start(named: "walk", stackSize: Self.stackSize) { [self] in
      Worker(of: self).run(startingWith: start)
      exchange.producerFinished()
    }
  }

  /// One of the threads that were counted does not come.
  private func dismissWorker() {
    workList.removeWorker()
    exchange.producerFinished()
  }

  /// Starts further threads, as many as the system gives and as may have directories open. To be called
  /// by one that walks.
  private func hire(_ count: Int) {
    let most = options.moreJobs(
      count, beside: crew.count - count, keeping: workList.keptOpen)
    for number in 0..<most {
      workList.addWorker()
      exchange.addProducer()
      do throws(ThreadError) {
        try startWorker()
      } catch {
        dismissWorker()
        return crew.miss(count - number)
      }
    }
    if most < count { crew.miss(count - most) }
  }

  /// How many threads walk at the moment.
  package var crewSize: Int { crew.count }

  /// The next batch in order; `nil` at the end of the walk or after ``cancel()``.
  package func next() -> EntryBatch? { exchange.next() }

  /// Gives a batch back so that it can be filled again.
  package func recycle(_ batch: EntryBatch) { exchange.recycle(batch) }

  /// Makes all threads stop soon. Safe from any thread, any number of times.
  package func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    let orphans = workList.stop()
    exchange.stop()
    let source = makeSource()
    for handle in orphans where handle != startHandle { source.close(handle) }
  }

  /// The number of directories met so far, the root among them.
  package var directoryCount: Int { Int(nextIndex.load(ordering: .relaxed)) }

  // MARK: - One thread

  private final class Worker {
    private let walker: TreeWalker
    private let options: WalkOptions
    private let source: any DirectorySource
    private let classify: Classifier
    private var packages: PackageSummer
    private var batch: EntryBatch?
    /// `nil` where the number of threads is fixed.
    private var stopwatch: Stopwatch?

    init(of walker: TreeWalker) {
      self.walker = walker
      options = walker.options
      source = walker.makeSource()
      classify = walker.makeClassifier()
      packages = PackageSummer(source: walker.makeSource(), options: walker.options)
    }

    func run(startingWith root: DirectoryNode?) {
      if walker.crew.isFlexible { stopwatch = Stopwatch() }
      if let root {
        read(root, handle: walker.startHandle)
      }
      while let job = nextJob() {
        open(job)
      }
      flush()
    }

    private func nextJob() -> WorkList.Job? {
      if let batch, walker.exchange.isAwaiting(batch) { flush() }
      if let times = stopwatch?.lap() {
        switch walker.crew.advise(after: times) {
        case .goOn: break
        case .hire(let count): walker.hire(count)
        case .leave:
          flush()
          walker.workList.removeWorker()
          return nil
        }
      }
      if let job = walker.workList.poll() { return job }
      // Whoever waits must not hold what the writer waits for.
      flush()
      return idling { walker.workList.wait() }
    }

    /// Runs what waits for others.
    private func idling<Result>(_ body: () -> Result) -> Result {
      guard var stopwatch else { return body() }
      defer { self.stopwatch = stopwatch }
      return stopwatch.idling(body)
    }

    private func flush() {
      guard let batch else { return }
      self.batch = nil
      walker.exchange.submit(batch)
    }

    /// A batch with room that is not older than `sequence`; `nil` when the walk is cancelled.
    private func batch(notBefore sequence: Int) -> EntryBatch? {
      if let batch, !batch.isFull, batch.sequence >= sequence { return batch }
      flush()
      guard !walker.isCancelled.load(ordering: .relaxed) else { return nil }
      batch = idling { walker.exchange.take() }
      return batch
    }

    private func open(_ job: WorkList.Job) {
      guard let parent = job.node.parent else { return }
      guard let batch = batch(notBefore: job.sequence) else {
        if let handle = walker.workList.finishOpening(in: parent), handle != walker.startHandle {
          source.close(handle)
        }
        return
      }
      let outcome: Result<DirectoryHandle, Errno>
      do throws(Errno) {
        outcome = .success(try openDirectory(job, in: parent))
      } catch {
        outcome = .failure(error)
      }
      if let handle = walker.workList.finishOpening(in: parent), handle != walker.startHandle {
        source.close(handle)
      }
      switch outcome {
      case .success(let handle):
        read(job.node, handle: handle)
      case .failure(let error):
        close(job.node, failingWith: error, operation: .open, in: batch)
      }
    }

    private func openDirectory(
      _ job: WorkList.Job, in parent: DirectoryNode
    ) throws(Errno) -> DirectoryHandle {
      if let handle = job.parentHandle {
        return try openChild(job.node, in: handle)
      }
      let handle = try reopen(parent)
      defer { source.close(handle) }
      return try openChild(job.node, in: handle)
    }

    private func openChild(
      _ node: DirectoryNode, in handle: DirectoryHandle
    ) throws(Errno) -> DirectoryHandle {
      let result: Result<DirectoryHandle, Errno> = node.name.withUnsafeBufferPointer { name in
        guard let start = name.baseAddress else { return .failure(.invalidArgument) }
        do throws(Errno) {
          return .success(try source.open(start, in: handle, expecting: node.identity))
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }

    /// Opens a directory again from the root.
    private func reopen(_ node: DirectoryNode) throws(Errno) -> DirectoryHandle {
      try source.open(
        below: walker.rootHandle, path: node.relativePath, expecting: node.identity)
    }

    // MARK: Reading

    private func read(_ node: DirectoryNode, handle: DirectoryHandle) {
      do throws(Errno) {
        try source.startReading(handle)
        if let files = options.ignoreFiles {
          guard try findRules(files, for: node, handle: handle) else { return finish(node, handle) }
        }
        try readPieces(of: node, handle: handle)
      } catch {
        if let batch = batch(notBefore: 0) {
          close(node, failingWith: error, operation: .read, in: batch)
        }
      }
      finish(node, handle)
    }

    private func finish(_ node: DirectoryNode, _ handle: DirectoryHandle) {
      if walker.workList.finishReading(node), node.index != 0 { source.close(handle) }
    }

    /// Finds out what goes in a directory by files in it and above.
    ///
    /// - Returns: whether that is known. A directory of which it is not is as good as unreadable.
    @inline(__always)
    private func findRules(
      _ files: IgnoreFiles, for node: DirectoryNode, handle: DirectoryHandle
    ) throws(Errno) -> Bool {
      let above = node.index == 0 ? walker.startRules : node.parent?.rules
      let found = try source.find(files.names)
      if found.isEmpty {
        if let above { node.rules = above }
        return true
      }
      return readRules(files, found, for: node, under: above, handle: handle)
    }

    private func readRules(
      _ files: IgnoreFiles, _ found: SoughtNames.Found, for node: DirectoryNode,
      under above: IgnoreFiles.Rules?, handle: DirectoryHandle
    ) -> Bool {
      let place = FilePath(bytes: node.relativePath)
      let directory = IgnoreDirectory(
        path: walker.rootPath.pushing(place).bytes, found: found, source: source,
        directory: handle)
      do throws(FileError) {
        node.rules = try files.read(above, directory)
        return true
      } catch {
        guard let batch = batch(notBefore: 0) else { return false }
        append(node, records: batch.count..<batch.count, isLast: true, to: batch)
        batch.sections[batch.sections.count - 1].outcome = .unreadable(error.errno)
        batch.failures.append(
          FileError(error.operation, place.pushing(error.path), error.errno))
        return false
      }
    }

    private func readPieces(of node: DirectoryNode, handle: DirectoryHandle) throws(Errno) {
      let exclusion = exclusion(in: node.relativePath, node.rules)
      while let batch = batch(notBefore: 0) {
        let start = batch.count
        let progress = try source.readEntries(into: batch, leavingOut: exclusion) {
          operation, name, errno in
          batch.failures.append(FileError(operation, path(of: name, in: node), errno))
        }
        let records = start..<batch.count
        classify(batch, records, DirectoryProbe(source: source, directory: handle, node: node))
        append(node, records: records, isLast: progress == .finished, to: batch)
        enter(records, of: node, in: batch, handle: handle)
        if progress == .finished { return }
      }
    }

    /// Sums up packages, numbers and queues sub-directories, and adds everything up in the batch's
    /// last section.
    private func enter(
      _ records: Range<Int>, of node: DirectoryNode, in batch: EntryBatch, handle: DirectoryHandle
    ) {
      let section = batch.sections.count - 1
      var tally = DirectoryTally()
      var fingerprint = DirectoryFingerprint()
      var linkedCount = 0
      var unreadCount = 0
      var found: [DirectoryNode.Pending] = []
      var names: [UInt8] = []
      for i in records {
        let record = batch.records + i
        switch record.pointee.kind {
        case .directory:
          batch.directories.append(Int32(i))
          let index = walker.nextIndex.add(1, ordering: .relaxed).oldValue
          record.pointee.directoryIndex = index
          if record.pointee.traits.contains(.withoutStatus) { break }
          if let most = options.maxDepth, node.depth + 1 >= most {
            record.pointee.traits.insert(.beyondBoundary)
            break
          }
          if record.pointee.status.device != node.device,
            isBeyondBoundary(record.pointee, of: node, in: batch, parent: handle)
          {
            record.pointee.traits.insert(.beyondBoundary)
            break
          }
          guard options.depth == .deep else { break }
          let name = batch.name(of: record.pointee)
          found.append(
            DirectoryNode.Pending(
              nameOffset: UInt32(names.count), nameLength: UInt16(name.count), index: index,
              device: record.pointee.status.device, inode: record.pointee.status.inode,
              sequence: batch.sequence))
          names.append(contentsOf: name)
        // Without values there is no sum either: what was known of the package stays.
        case .package where !record.pointee.traits.contains(.withoutStatus):
          sum(record, at: i, of: node, in: batch, handle: handle)
        default:
          if record.pointee.status.links > 1 { linkedCount += 1 }
        }
        if !record.pointee.traits.isDisjoint(with: .unread) { unreadCount += 1 }
        tally.add(record.pointee)
        fingerprint.add(
          record.pointee, name: batch.name(of: record.pointee),
          target: batch.target(of: record.pointee))
      }
      batch.sections[section].directories =
        batch.sections[section].directories.lowerBound..<batch.directories.count
      batch.sections[section].tally = tally
      batch.sections[section].fingerprint = fingerprint
      batch.sections[section].linkedCount = linkedCount
      batch.sections[section].unreadCount = unreadCount
      if !found.isEmpty {
        walker.workList.push(found, names: names, of: node, handle: handle)
      }
    }

    private func sum(
      _ record: UnsafeMutablePointer<EntryRecord>, at position: Int, of node: DirectoryNode,
      in batch: EntryBatch, handle: DirectoryHandle
    ) {
      let slash = UInt8(ascii: "/")
      let directory = node.relativePath
      let prefix = directory.isEmpty ? [] : directory + [slash]
      let around = node.rules
      let exclusionInside = { (path: [UInt8]) in self.exclusion(in: prefix + path, around) }
      let sums = packages.sum(
        Array(batch.name(of: record.pointee)), in: handle,
        package: DirectoryIdentity(record.pointee.status), leavingOut: exclusionInside
      ) { operation, path, errno in
        record.pointee.traits.insert(.partialContent)
        batch.failures.append(FileError(operation, FilePath(bytes: prefix + path), errno))
      }
      record.pointee.status.size = sums.size
      record.pointee.status.allocated.add(clamped: sums.allocated)
      record.pointee.packagedFiles = sums.files
      record.pointee.packageFingerprint = sums.fingerprint.low
      for link in sums.links { batch.packagedLinks.append((position, link)) }
    }

    private func noteVolume(
      of record: EntryRecord, in batch: EntryBatch, parent: DirectoryHandle
    ) {
      let name = batch.name(of: record).map { CChar(bitPattern: $0) } + [0]
      let identity = DirectoryIdentity(record.status)
      guard let handle = try? source.open(name, in: parent, expecting: identity) else { return }
      defer { source.close(handle) }
      let device = record.status.device
      guard let volume = try? source.volume(of: handle, device: device) else { return }
      batch.volumes.append((device, volume))
    }

    /// Whether a directory on another file system is not entered. Of one that is, and of those that can
    /// be asked at no cost, the file system is noted.
    private func isBeyondBoundary(
      _ record: EntryRecord, of node: DirectoryNode, in batch: EntryBatch,
      parent: DirectoryHandle
    ) -> Bool {
      let type = skippedType(of: record, in: batch, parent: parent)
      if type.map({ !$0.isHesitant }) ?? true { noteVolume(of: record, in: batch, parent: parent) }
      // A mount point. Mounting a directory inside itself would make an endless tree.
      return type != nil || options.boundary == .oneFileSystem
        || node.isInside(device: record.status.device, inode: record.status.inode)
    }

    /// The type of a file system that is not entered for that.
    private func skippedType(
      of record: EntryRecord, in batch: EntryBatch, parent: DirectoryHandle
    ) -> FileSystemType? {
      guard !options.skippedFileSystems.isEmpty else { return nil }
      let name = batch.name(of: record).map { CChar(bitPattern: $0) } + [0]
      let type = source.fileSystem(of: name, in: parent, device: record.status.device)
      return type.flatMap { options.skippedFileSystems.contains($0) ? $0 : nil }
    }

    /// Which entries of a directory at a path below the root are left out.
    private func exclusion(
      in path: @autoclosure () -> [UInt8], _ rules: IgnoreFiles.Rules?
    ) -> EntryExclusion? {
      if options.isExcluded == nil, rules == nil { return nil }
      let path = path()
      let byRules = rules?.exclusion(in: walker.rootPath.pushing(FilePath(bytes: path)).bytes)
      guard let isExcluded = options.isExcluded else { return byRules }
      return { name, kind in
        path.withUnsafeBufferPointer { isExcluded($0, name) } || byRules?(name, kind) ?? false
      }
    }

    private func append(
      _ node: DirectoryNode, records: Range<Int>, isLast: Bool,
      to batch: EntryBatch
    ) {
      let length = node.relativePathLength
      let offset = batch.reserveBytes(length)
      batch.withBytes(at: offset, count: length) { node.writeRelativePath(to: $0) }
      batch.sections.append(
        DirectorySection(
          directory: node.index, depth: node.depth, records: records,
          directories: batch.directories.count..<batch.directories.count, isLast: isLast,
          tally: DirectoryTally(), outcome: .read, pathOffset: offset,
          pathLength: length))
    }

    /// Ends a directory that could not be opened, or not be read to its end.
    private func close(
      _ node: DirectoryNode, failingWith error: Errno, operation: FileError.Operation,
      in batch: EntryBatch
    ) {
      append(
        node, records: batch.count..<batch.count, isLast: true,
        to: batch)
      // A directory that vanished after its name was read has nothing in it any more.
      if error.saysReplaced { return }
      batch.sections[batch.sections.count - 1].outcome = .unreadable(error)
      batch.failures.append(FileError(operation, FilePath(bytes: node.relativePath), error))
    }

    private func path(
      of name: UnsafeBufferPointer<UInt8>, in node: DirectoryNode
    ) -> FilePath {
      let directory = node.relativePath
      return FilePath(bytes: directory + (directory.isEmpty ? [] : [UInt8(ascii: "/")]) + name)
    }
  }

  deinit {
    let source = makeSource()
    if startHandle != rootHandle { source.close(startHandle) }
    source.close(rootHandle)
  }
}
