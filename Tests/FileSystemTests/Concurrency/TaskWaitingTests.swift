import FileSystem
import Testing

@Suite("Waiting for a task", .timeLimit(.minutes(20)))
struct TaskWaitingTests {
  private struct Failure: Error {}

  @Test("gives what the task comes to")
  func outcome() async throws {
    #expect(try await Task<Int, any Error> { 7 }.valueUnlessCancelled == 7)
    await #expect(throws: Failure.self) {
      try await Task<Int, any Error> { throw Failure() }.valueUnlessCancelled
    }
  }

  @Test("ends with the one who waits, and the task goes on")
  func cancellation() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let work = Task<Int, any Error> {
      for await _ in gate { break }
      return Task.isCancelled ? 0 : 7
    }
    let waiting = Task { try await work.valueUnlessCancelled }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    open.yield()
    #expect(try await work.value == 7)
  }
}
