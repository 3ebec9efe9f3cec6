internal import FileSystem
internal import SystemPackage

/// One who asks providers about files, one file at a time: each thread that reads content has its own.
final class ContentSession {
  private let providers: [any ContentProvider]
  private let host: ContentHost
  private let isCancelled: @Sendable () -> Bool
  private var service: FileService?
  private var thread: LocalProvider?

  /// - Parameter providers: those that are asked, by their numbers.
  init(
    _ providers: [any ContentProvider], in host: ContentHost,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.providers = providers
    self.host = host
    self.isCancelled = isCancelled
  }

  /// The values of a file, by the provider with a number.
  func values(
    _ provider: Int, of file: OpenFile
  ) throws(ContentFailure) -> [String: ResourceValue] {
    switch host {
    case .thisProcess: try askHere(provider, about: file)
    case .program(let program, let arguments):
      try ask([program.string] + arguments + providers.map(\.key), provider, about: file)
    }
  }

  private func askHere(
    _ provider: Int, about file: OpenFile
  ) throws(ContentFailure) -> [String: ResourceValue] {
    let thread: LocalProvider
    if let waiting = self.thread {
      thread = waiting
    } else {
      thread = try LocalProvider(isCancelled: isCancelled)
    }
    // One that does not answer is left behind: it may still be at it.
    self.thread = nil
    let values = try thread.outcome(of: providers[provider], about: file)
    self.thread = thread
    return try values.get()
  }

  private func ask(
    _ command: [String], _ provider: Int, about file: OpenFile
  ) throws(ContentFailure) -> [String: ResourceValue] {
    let answer: ContentAnswer
    do throws(FileService.Failure) {
      let service: FileService
      if let waiting = self.service {
        service = waiting
      } else {
        service = try FileService(command)
      }
      // After a failure there is nobody to ask any more.
      self.service = nil
      let bytes = try service.ask(
        UInt8(truncatingIfNeeded: provider), about: FileDescriptor(rawValue: file.descriptor),
        within: providers[provider].timeLimit, isCancelled: isCancelled)
      guard let read = ContentAnswer(bytes) else { throw .tooLong }
      self.service = service
      answer = read
    } catch {
      switch error {
      case .notStarted(let reason): throw .unreadable(reason)
      case .ended(let status): throw .crashed(status)
      case .late: throw .late
      case .tooLong: throw .senseless
      case .cancelled: throw .cancelled
      }
    }
    let values = try answer.outcome.get()
    try values.requireStorable()
    return values
  }
}

/// The process that a ``ContentHost/program(_:arguments:)`` is.
package enum ContentService {
  /// How much memory it may take: what wants more has been told lies.
  private static let memory = 512 << 20

  /// Answers about files until nobody asks any more.
  package static func serve(_ providers: [any ContentProvider]) {
    FileService.serve(withMemory: memory) { question, descriptor in
      let outcome: Result<[String: ResourceValue], ContentFailure>
      do throws(ContentFailure) {
        guard Int(question) < providers.count else { throw .unstorable }
        let file: ContentFile
        do throws(Errno) {
          file = try ContentFile(descriptor)
        } catch {
          throw ContentFailure.unreadable(error)
        }
        outcome = .success(try providers[Int(question)].storableValues(of: file))
      } catch {
        outcome = .failure(error)
      }
      return ContentAnswer(outcome).bytes
    }
  }
}

/// A thread on which a provider of this process works, so that one that hangs can be left behind.
private final class LocalProvider: Sendable {
  typealias Outcome = Result<[String: ResourceValue], ContentFailure>

  private struct State {
    var work: (@Sendable () -> Outcome)?
    var outcome: Outcome?
    var isOver = false
  }

  private let state = Monitor(State())
  private let isCancelled: @Sendable () -> Bool

  init(isCancelled: @escaping @Sendable () -> Bool) throws(ContentFailure) {
    self.isCancelled = isCancelled
    let state = state
    do {
      try WorkerThread.start(named: "content") {
        while let work = state.wait(until: { state -> (@Sendable () -> Outcome)?? in
          if state.isOver { return .some(nil) }
          return state.work.map { .some($0) }
        }) {
          let outcome = work()
          state.withLockNotifying { state in
            state.work = nil
            state.outcome = outcome
          }
        }
      }
    } catch {
      throw .unreadable(error.errno)
    }
  }

  deinit { state.withLockNotifying { $0.isOver = true } }

  /// - Throws: ``ContentFailure/late`` where the provider does not answer in time.
  func outcome(
    of provider: any ContentProvider, about file: OpenFile
  ) throws(ContentFailure) -> Outcome {
    let isCancelled = isCancelled
    let isLate = Monitor(false)
    state.withLockNotifying { state in
      state.outcome = nil
      state.work = {
        // The file stays open as long as somebody is at it.
        withExtendedLifetime(file) {
          do throws(ContentFailure) {
            let content: ContentFile
            do throws(Errno) {
              content = try ContentFile(FileDescriptor(rawValue: file.descriptor)) {
                isCancelled() || isLate.withLock { $0 }
              }
            } catch {
              throw ContentFailure.unreadable(error)
            }
            return .success(try provider.storableValues(of: content))
          } catch {
            return .failure(error)
          }
        }
      }
    }
    let outcome: Outcome?
    if let limit = provider.timeLimit {
      outcome = state.wait(for: limit) { $0.outcome }
    } else {
      outcome = state.wait { $0.outcome }
    }
    guard let outcome else {
      isLate.withLock { $0 = true }
      throw .late
    }
    return outcome
  }
}
