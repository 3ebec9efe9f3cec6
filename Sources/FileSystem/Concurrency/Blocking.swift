internal import Dispatch

/// Threads on which system calls may block, so that the few threads that run tasks never do.
package enum Blocking {
  private static let queue = DispatchQueue(
    label: "FileSystem.blocking", qos: .userInitiated, attributes: .concurrent)

  /// Runs `body` on such a thread.
  package static func run<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(Failure) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }
}
