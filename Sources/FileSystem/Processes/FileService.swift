internal import CPlatform
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A program that is asked about files, one at a time.
///
/// It gets each file open, so that no path has to lead to it once more, with a byte that says what is
/// asked, and answers with bytes. It may hang, crash or be ended for what the file holds: nobody else is
/// harmed by that.
package final class FileService {
  /// Why there is no answer. The program has ended then.
  package enum Failure: Error, Hashable {
    case notStarted(Errno)
    /// With what: 128 and more is the number of the signal that ended it.
    case ended(Int32)
    case late
    /// The answer is longer than any can be.
    case tooLong
    case cancelled
  }

  private static let longestAnswer = 64 << 20
  /// How often a question looks whether anybody still wants to know, in milliseconds.
  private static let step: CInt = 100

  private let process: pid_t
  private var connection: CInt

  /// Starts the program.
  package init(_ command: [String]) throws(Failure) {
    do throws(Errno) {
      var ends: [CInt] = [-1, -1]
      try Errno.check(cplatform_make_connection(&ends))
      defer { close(ends[1]) }
      let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
      defer { if nothing >= 0 { close(nothing) } }
      do throws(Errno) {
        // How Swift tells of a crash takes longer than to start anew.
        process = try ProgramStart(
          command, environment: ["SWIFT_BACKTRACE": "enable=no"]
        ).run(with: [ends[1], nothing, nothing])
      } catch {
        close(ends[0])
        throw error
      }
      connection = ends[0]
    } catch {
      throw .notStarted(error)
    }
  }

  deinit { _ = end() }

  /// Ends the program, if nobody has.
  @discardableResult
  private func end() -> Int32 {
    guard connection >= 0 else { return 0 }
    close(connection)
    connection = -1
    kill(-process, SIGKILL)
    return ProgramStart.end(of: process)
  }

  /// Asks about a file. After a failure there is nobody to ask any more.
  package func ask(
    _ question: UInt8, about file: FileDescriptor, within limit: Duration?,
    isCancelled: () -> Bool
  ) throws(Failure) -> [UInt8] {
    guard cplatform_send_file(connection, question, file.rawValue) == 0 else {
      throw .ended(collect())
    }
    let deadline = limit.map { ContinuousClock.now + $0 }
    let header = try read(4, deadline, isCancelled)
    let count = header.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard count <= Self.longestAnswer else {
      end()
      throw .tooLong
    }
    return try read(count, deadline, isCancelled)
  }

  private func read(
    _ count: Int, _ deadline: ContinuousClock.Instant?, _ isCancelled: () -> Bool
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    // A length that is not true takes no memory.
    var piece = [UInt8](repeating: 0, count: min(count, 1 << 16))
    while bytes.count < count {
      if isCancelled() {
        end()
        throw .cancelled
      }
      if let deadline, deadline <= .now {
        end()
        throw .late
      }
      var request = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, Self.step) > 0 else { continue }
      let received = recv(connection, &piece, min(piece.count, count - bytes.count), 0)
      if received > 0 {
        bytes += piece[..<received]
      } else if received == 0 || errno != EINTR && errno != EAGAIN {
        throw .ended(collect())
      }
    }
    return bytes
  }

  /// What a program ended with that has closed its end. One that lives on is ended.
  private func collect() -> Int32 {
    guard connection >= 0 else { return 0 }
    close(connection)
    connection = -1
    // It closes its end a moment before it can be collected; what has closed it and goes on is ended.
    for _ in 0..<100 {
      var information = siginfo_t()
      if waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) == 0,
        information.si_signo != 0
      {
        break
      }
      usleep(10_000)
    }
    kill(-process, SIGKILL)
    return ProgramStart.end(of: process)
  }

  // MARK: - The other side

  /// Answers questions until nobody asks any more: what such a program does.
  ///
  /// - Parameter memory: how many bytes it may take. What wants more crashes.
  package static func serve(
    withMemory memory: Int, _ answer: (UInt8, FileDescriptor) -> [UInt8]
  ) {
    cplatform_limit_memory(memory)
    var question: UInt8 = 0
    var file: CInt = -1
    while cplatform_receive_file(STDIN_FILENO, &question, &file) == 1 {
      defer { close(file) }
      let bytes = answer(question, FileDescriptor(rawValue: file))
      let header = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
      guard write(header + bytes) else { return }
    }
  }

  private static func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(STDIN_FILENO, $0.baseAddress, $0.count, 0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
