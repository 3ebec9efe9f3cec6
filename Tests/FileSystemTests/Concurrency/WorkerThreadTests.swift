import FileSystem
import SystemPackage
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Worker threads")
struct WorkerThreadTests {
  @Test("a body runs on a thread of its own, and its result comes back")
  func result() async throws {
    let threads = try await withThrowingTaskGroup(of: pthread_t.self) { group in
      let meeting = Monitor(0)
      for _ in 0..<8 {
        group.addTask {
          try await WorkerThread.run(named: "meeting") {
            // Nobody goes on before all eight are here: they cannot share a thread.
            meeting.withLockNotifying { $0 += 1 }
            meeting.wait { $0 == 8 ? () : nil }
            return pthread_self()
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(threads.count == 8)
  }

  @Test("an error of the body is the error of the call")
  func failure() async {
    await #expect(throws: Errno.ioError) {
      try await WorkerThread.run(named: "failing") { throw Errno.ioError }
    }
  }

  @Test("a thread that cannot be had is an error, not a wait", arguments: [1 << 60, 1])
  func impossible(stackSize: Int) async {
    #expect(throws: ThreadError.self) {
      try WorkerThread.start(named: "impossible", stackSize: stackSize) {
        Issue.record("there was such a thread")
      }
    }
    await #expect(throws: ThreadError.self) {
      try await WorkerThread.run(named: "impossible", stackSize: stackSize) {}
    }
  }

  @Test("a body may use the stack it asked for", arguments: [1 << 20, 64 << 20])
  func stack(size: Int) async throws {
    let used = try await WorkerThread.run(named: "deep", stackSize: size) {
      withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { top in
        descend(from: top.baseAddress, atLeast: size / 2)
      }
    }
    #expect(used >= size / 2)
  }

  #if os(Linux)
    @Test("the system knows the thread by the first fifteen bytes of its name")
    func name() async throws {
      let name = try await WorkerThread.run(named: "filecat walk number one") {
        try text(ofFile: "/proc/thread-self/comm")
      }
      #expect(name == "filecat walk nu\n")
    }
  #endif
}

/// Calls itself until so many bytes of stack lie between here and the top. Returns how many.
@inline(never)
private func descend(from top: UnsafeMutableRawPointer?, atLeast size: Int) -> Int {
  withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { frame in
    frame.initializeMemory(as: UInt8.self, repeating: 1)
    guard let top, let here = frame.baseAddress else { return 0 }
    let used = top - here
    return used >= size ? used : max(used, descend(from: top, atLeast: size))
  }
}

private func text(ofFile path: FilePath) throws -> String {
  let file = try FileDescriptor.open(path, .readOnly)
  defer { try? file.close() }
  return try withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
    let count = try file.read(into: buffer)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
