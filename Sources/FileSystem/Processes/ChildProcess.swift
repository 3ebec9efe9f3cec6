internal import CPlatform
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A program that this process runs to its end: its input is given, its output and its errors are read
/// while it runs.
package final class ChildProcess: Sendable {
  /// What comes from the program, as it comes.
  package enum Output {
    case output
    case errors
  }

  /// Why a program did not run.
  package struct StartError: Error, Sendable, Hashable {
    package let program: String
    package let reason: Errno
  }

  /// Why a program was ended.
  package enum Interruption: Error, Sendable, Hashable {
    case late
    case cancelled
  }

  private let command: [String]
  private let group: ProcessGroup
  private let environment: [String: String]
  private let files: [FileDescriptor]
  private let state = Monitor<State>(.waiting)

  private enum State {
    case waiting
    case running(pid_t)
    case cancelled
    case ended
  }

  /// - Parameters:
  ///   - command: the program, which is looked for in `PATH`, and its arguments. Others can see them.
  ///   - environment: what is added to the variables of this process.
  ///   - files: what the program has open as well, with the numbers from 3 on.
  ///   - group: with whom it is ended.
  package init(
    _ command: [String], environment: [String: String] = [:], files: [FileDescriptor] = [],
    group: ProcessGroup = .own
  ) {
    self.command = command
    self.group = group
    self.environment = environment
    self.files = files
  }

  /// Ends the program, with all that it has started; it does not begin where it has not.
  package func cancel() { end(by: SIGTERM) }

  private func end(by signal: CInt) {
    state.withLock { state in
      switch state {
      case .waiting: state = .cancelled
      case .running(let process): kill(group == .own ? -process : process, signal)
      case .cancelled, .ended: break
      }
    }
  }

  /// Runs the program. To be called once, from a thread that may block.
  ///
  /// - Parameters:
  ///   - limit: after this time it is ended, whatever it says to that.
  ///   - isCancelled: asked now and then; if so, it is ended as well.
  ///   - body: called with what the program prints. When it throws, the program is ended.
  /// - Returns: what it ended with; 128 and the number of the signal that ended it.
  /// - Throws: ``StartError``, ``Interruption``, `CancellationError`, and what `body` throws.
  package func run(
    input: [UInt8] = [], within limit: Duration? = nil, isCancelled: (() -> Bool)? = nil,
    _ body: (Output, UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int32 {
    do {
      let pipes = try Pipes()
      let process = try start(with: pipes)
      // The program has them; without this its end would never be seen.
      pipes.closeTheirs()
      let deadline = limit.map { ContinuousClock.now + $0 }
      let exchange = Result {
        try pipes.exchange(input, until: deadline, isCancelled: isCancelled, body)
      }
      if case .failure(let error) = exchange { end(by: error is Interruption ? SIGKILL : SIGTERM) }
      // What it goes on to print has nobody to read it.
      pipes.closeOurs()
      let status = end(of: process)
      try exchange.get()
      return status
    } catch let error as Errno {
      throw StartError(program: command[0], reason: error)
    }
  }

  // MARK: - Beginning and end

  private func start(with pipes: borrowing Pipes) throws -> pid_t {
    try state.withLock { state in
      if case .cancelled = state { throw CancellationError() }
      let program = ProgramStart(command, environment: environment, group: group)
      let process = try program.run(
        with: [pipes.input.theirs, pipes.output.theirs, pipes.errors.theirs]
          + files.map(\.rawValue))
      state = .running(process)
      return process
    }
  }

  private func end(of process: pid_t) -> Int32 {
    ProgramStart.end(of: process) { collect in
      state.withLock { state in
        state = .ended
        return collect()
      }
    }
  }
}

/// What connects a program with this process.
private final class Pipes {
  struct Pair {
    var ours: Int32
    var theirs: Int32
  }

  private(set) var input: Pair
  private(set) var output: Pair
  private(set) var errors: Pair

  init() throws(Errno) {
    // A socket, because writing into a pipe that nobody reads ends a process that has not asked not to be.
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      try Errno.retrying { socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) }
      var isWanted: Int32 = 1
      setsockopt(
        ends[0], SOL_SOCKET, SO_NOSIGPIPE, &isWanted, socklen_t(MemoryLayout<Int32>.size))
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #else
      try Errno.retrying {
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
      }
    #endif
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    input = Pair(ours: ends[0], theirs: ends[1])
    output = Pair(ours: -1, theirs: -1)
    errors = Pair(ours: -1, theirs: -1)
    output = try Self.pipe()
    errors = try Self.pipe()
  }

  private static func pipe() throws(Errno) -> Pair {
    var ends: [Int32] = [-1, -1]
    try Errno.check(cplatform_make_pipe(&ends))
    // Programs expect to be made to wait.
    _ = fcntl(ends[1], F_SETFL, 0)
    return Pair(ours: ends[0], theirs: ends[1])
  }

  deinit {
    closeOurs()
    closeTheirs()
  }

  func closeOurs() { for pipe in [\Pipes.input, \.output, \.errors] { close(pipe, \.ours) } }
  func closeTheirs() { for pipe in [\Pipes.input, \.output, \.errors] { close(pipe, \.theirs) } }

  private func close(
    _ pipe: ReferenceWritableKeyPath<Pipes, Pair>, _ end: WritableKeyPath<Pair, Int32>
  ) {
    let descriptor = self[keyPath: pipe][keyPath: end]
    guard descriptor >= 0 else { return }
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #else
      Glibc.close(descriptor)
    #endif
    self[keyPath: pipe][keyPath: end] = -1
  }

  /// Writes the input and reads what is printed until the program has closed both streams.
  func exchange(
    _ bytes: [UInt8], until deadline: ContinuousClock.Instant?, isCancelled: (() -> Bool)?,
    _ body: (ChildProcess.Output, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { memory.deallocate() }
    var rest = bytes[...]
    if rest.isEmpty { close(\.input, \.ours) }
    // How often it is looked whether it takes too long, in milliseconds.
    let step: CInt = deadline == nil && isCancelled == nil ? -1 : 100
    while output.ours >= 0 || errors.ours >= 0 {
      if let deadline, deadline <= .now { throw ChildProcess.Interruption.late }
      if isCancelled?() == true { throw ChildProcess.Interruption.cancelled }
      var requests = [
        pollfd(fd: input.ours, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output.ours, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors.ours, events: Int16(POLLIN), revents: 0),
      ]
      _ = try Errno.retrying { poll(&requests, nfds_t(requests.count), step) }
      if requests[0].revents != 0 { write(&rest) }
      if requests[1].revents != 0 { try read(\.output, .output, memory, body) }
      if requests[2].revents != 0 { try read(\.errors, .errors, memory, body) }
    }
  }

  private func write(_ rest: inout ArraySlice<UInt8>) {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let count = rest.withUnsafeBytes { send(input.ours, $0.baseAddress, $0.count, flags) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EAGAIN && errno != EINTR {
      // The program does not want it.
      rest = []
    }
    if rest.isEmpty { close(\.input, \.ours) }
  }

  private func read(
    _ pipe: ReferenceWritableKeyPath<Pipes, Pair>, _ output: ChildProcess.Output,
    _ memory: UnsafeMutableRawBufferPointer,
    _ body: (ChildProcess.Output, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    #if canImport(Darwin)
      let count = Darwin.read(self[keyPath: pipe].ours, memory.baseAddress, memory.count)
    #else
      let count = Glibc.read(self[keyPath: pipe].ours, memory.baseAddress, memory.count)
    #endif
    if count > 0 {
      try body(output, UnsafeRawBufferPointer(rebasing: memory[..<count]))
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      close(pipe, \.ours)
    }
  }
}
