internal import FileSystem
internal import SystemPackage

/// Has providers read files, several at a time.
struct FileReader {
  private let providers: [any ContentProvider]
  private let host: ContentHost
  private let threads: Int
  private let control: ScanControl

  init(
    _ providers: [any ContentProvider], in host: ContentHost, threads: Int, _ control: ScanControl
  ) {
    self.providers = providers
    self.host = host
    self.threads = threads
    self.control = control
  }

  /// A file that providers are asked about, by their numbers.
  struct Question: Sendable {
    let file: ContentTable.File
    let asked: [Int]
  }

  /// What they have said.
  struct Answer: Sendable {
    typealias Outcome = Result<[String: ResourceValue], ContentFailure>

    let file: ContentTable.File
    /// What each provider has said, by its number.
    var outcomes: [(provider: Int, outcome: Outcome)] = []
    /// Whether the file was another before or after: the next scan will say so.
    var isChanged = false

    /// The providers that cannot work on this system.
    var unavailable: [Int] {
      outcomes.compactMap {
        if case .failure(.unavailable) = $0.outcome { $0.provider } else { nil }
      }
    }

    /// Whether it would be asked about again at once.
    var isUnsettled: Bool {
      isChanged
        || outcomes.contains {
          if case .failure(let failure) = $0.outcome { failure.isPassing } else { false }
        }
    }
  }

  /// The answers to as many questions as there was time for until it was stopped, in any order.
  ///
  /// - Parameter root: what all files are below.
  func read(_ questions: [Question], in root: OpenRoot) -> [Answer] {
    let rest = Monitor((questions: questions[...], answers: [Answer]()))
    WorkerThread.together(min(threads, questions.count), named: "catalog content") {
      [providers, host, control] in
      let session = ContentSession(providers, in: host) { control.isCancelled }
      while !control.isCancelled, let next = rest.withLock({ $0.questions.popFirst() }) {
        let answer = Self.answer(to: next, by: session, in: root)
        rest.withLock { $0.answers.append(answer) }
      }
    }
    return rest.withLock { $0.answers }
  }

  private static func answer(
    to question: Question, by session: ContentSession, in root: OpenRoot
  ) -> Answer {
    var answer = Answer(file: question.file)
    do throws(Errno) {
      let file = try root.open(question.file.path)
      answer.isChanged = try !isSame(file, as: question.file)
      if answer.isChanged { return answer }
      for provider in question.asked {
        do throws(ContentFailure) {
          answer.outcomes.append((provider, .success(try session.values(provider, of: file))))
        } catch {
          answer.outcomes.append((provider, .failure(error)))
        }
      }
      // What was read while it was written to is of no state that it ever had.
      answer.isChanged = try !isSame(file, as: question.file)
      if answer.isChanged { answer.outcomes = [] }
    } catch {
      if error.saysReplaced {
        answer.isChanged = true
      } else {
        answer.outcomes = question.asked.map { ($0, .failure(.unreadable(error))) }
      }
    }
    return answer
  }

  private static func isSame(
    _ file: OpenFile, as known: ContentTable.File
  ) throws(Errno) -> Bool {
    let status = try file.status()
    return EntryKind(mode: status.mode) == (known.kind == .package ? .directory : known.kind)
      && ContentTable.FileState(status).isSame(as: known.state, .content)
  }
}
