import FileCoordination
import FileSystem
import SystemPackage
import TestSupport
import Testing

/// Expects a ``CoordinationError`` with this code, and a message of one line that names the item.
func expectError(
  _ code: CoordinationError.Code, cocoa: Int? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as CoordinationError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    if let cocoa { #expect(error.cocoaCode == cocoa, sourceLocation: sourceLocation) }
    #expect(error.description.hasPrefix(error.path.string), sourceLocation: sourceLocation)
    #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func number(_ bytes: [UInt8]) -> Int { Int(String(decoding: bytes, as: UTF8.self)) ?? .min }

extension FileCoordinator {
  /// Without waiting for the disk: these tests do not pull the plug.
  /// On a busy machine they may wait for long.
  static var fast: FileCoordinator { FileCoordinator(writeConcern: .fast, timeout: .seconds(1100)) }
}

/// Claims what is about to change, and knows whether a claim is kept.
final class Claimant: CoordinationObserver {
  private final class Claim: Sendable {}

  private struct State {
    weak var last: Claim?
    var made = 0
  }

  private let state = Monitor(State())

  var made: Int { state.withLock { $0.made } }
  var hasOpenClaim: Bool { state.withLock { $0.last != nil } }

  func coordinator(
    _ coordinator: FileCoordinator, willChange items: [FilePath]
  ) -> (any AnyObject & Sendable)? {
    let claim = Claim()
    state.withLock {
      $0.last = claim
      $0.made += 1
    }
    return claim
  }

  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) {}
}

/// Collects what an observer hears.
actor Witness: CoordinationObserver {
  private(set) var changes: [CoordinatedChange] = []

  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) {
    self.changes += changes
  }

  /// The changes so far as text, paths relative to a directory.
  func log(relativeTo directory: TemporaryDirectory) -> [String] {
    changes.map { change in
      let paths = ([change.previousPath].compactMap { $0 } + [change.path]).map { path in
        var path = path
        _ = path.removePrefix(directory.path)
        return path.string
      }
      return "\(change.kind.rawValue) \(paths.joined(separator: " -> "))"
    }
  }
}
