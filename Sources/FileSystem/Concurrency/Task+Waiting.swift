extension Task where Failure == any Error {
  /// What the task comes to, unless the one who waits is cancelled first: the task itself goes on.
  ///
  /// - Throws: what the task throws, or `CancellationError`.
  package var valueUnlessCancelled: Success {
    get async throws {
      let (values, continuation) = AsyncThrowingStream<Success, any Error>.makeStream()
      Task<Void, Never> {
        continuation.yield(with: await result)
        continuation.finish()
      }
      for try await value in values { return value }
      throw _Concurrency.CancellationError()
    }
  }
}
