/// The directories still to be read, deepest first, shared by the walking threads.
final class WorkList: Sendable {
  /// One directory to read.
  struct Job {
    let node: DirectoryNode
    /// The open directory it is in; `nil` when that has to be opened again.
    let parentHandle: DirectoryHandle?
    /// The batch that holds the directory's own entry; its content must not go into an older one.
    let sequence: Int
  }

  private struct State {
    var stack: [DirectoryNode] = []
    var working: Int
    var keptOpen = 0
    var isStopped = false
  }

  private let monitor: Monitor<State>
  private let openLimit: Int

  init(workers: Int, openLimit: Int) {
    monitor = Monitor(State(working: workers))
    self.openLimit = openLimit
  }

  /// The next directory without waiting, or `nil` when there is none at the moment.
  func poll() -> Job? {
    monitor.withLock(Self.pop)
  }

  /// Waits for a directory; `nil` when the walk is over. The caller counts as idle meanwhile.
  func wait() -> Job? {
    monitor.withLockNotifying { $0.working -= 1 }
    return monitor.wait { state -> Job?? in
      if state.isStopped { return .some(nil) }
      if let job = Self.pop(&state) {
        state.working += 1
        return job
      }
      return state.working == 0 ? .some(nil) : nil
    }
  }

  /// One worker more is going to come. To be called by one that is at work.
  func addWorker() {
    monitor.withLock { $0.working += 1 }
  }

  /// How many directories stay open at the moment.
  var keptOpen: Int { monitor.withLock { $0.keptOpen } }

  /// One of the workers has not come, or ends: nobody is to wait for what it might find.
  func removeWorker() {
    monitor.withLockNotifying { $0.working -= 1 }
  }

  private static func pop(_ state: inout State) -> Job? {
    while let parent = state.stack.last {
      guard !state.isStopped else { return nil }
      guard let next = parent.pending.popLast() else {
        // More may be added while the directory is still being read: it is pushed again then.
        parent.isListed = false
        state.stack.removeLast()
        continue
      }
      parent.opening += 1
      let start = Int(next.nameOffset)
      let length = Int(next.nameLength)
      let name = [CChar](unsafeUninitializedCapacity: length + 1) { buffer, count in
        for i in 0..<length { buffer[i] = CChar(bitPattern: parent.names[start + i]) }
        buffer[length] = 0
        count = length + 1
      }
      let node = DirectoryNode(
        index: next.index, depth: parent.depth + 1, device: next.device, inode: next.inode,
        name: name, parent: parent)
      return Job(node: node, parentHandle: parent.handle, sequence: next.sequence)
    }
    return nil
  }

  /// Adds sub-directories found in `node`, whose open directory is `handle`.
  func push(
    _ found: [DirectoryNode.Pending], names: [UInt8], of node: DirectoryNode,
    handle: DirectoryHandle
  ) {
    monitor.withLockNotifying { state in
      // Nobody would take them any more, nor close the directory.
      guard !state.isStopped else { return }
      if node.pending.isEmpty {
        node.names = names
        node.pending = found
      } else {
        let base = UInt32(node.names.count)
        node.names.append(contentsOf: names)
        node.pending.append(
          contentsOf: found.map { pending in
            var moved = pending
            moved.nameOffset += base
            return moved
          })
      }
      if node.handle == nil && state.keptOpen < openLimit {
        node.handle = handle
        state.keptOpen += 1
      }
      if !node.isListed {
        node.isListed = true
        state.stack.append(node)
      }
    }
  }

  /// `node` has been read to its end. Returns whether its handle is to be closed by the caller.
  func finishReading(_ node: DirectoryNode) -> Bool {
    monitor.withLock { state in
      node.isComplete = true
      guard node.handle != nil else { return true }
      guard node.pending.isEmpty && node.opening == 0 else { return false }
      node.handle = nil
      state.keptOpen -= 1
      return true
    }
  }

  /// A sub-directory of `parent` has been opened, or could not be. Returns the parent's handle if it
  /// was the last one to need it: the caller closes it.
  func finishOpening(in parent: DirectoryNode) -> DirectoryHandle? {
    monitor.withLock { state in
      parent.opening -= 1
      guard parent.isComplete, parent.pending.isEmpty, parent.opening == 0,
        let handle = parent.handle
      else { return nil }
      parent.handle = nil
      state.keptOpen -= 1
      return handle
    }
  }

  /// Ends all waiting; nothing more is handed out. Returns the handles that nobody else will close.
  func stop() -> [DirectoryHandle] {
    monitor.withLockNotifying { state in
      state.isStopped = true
      defer { state.stack.removeAll() }
      return state.stack.compactMap { node in
        node.pending.removeAll()
        guard node.isComplete, node.opening == 0, let handle = node.handle else { return nil }
        node.handle = nil
        state.keptOpen -= 1
        return handle
      }
    }
  }
}
