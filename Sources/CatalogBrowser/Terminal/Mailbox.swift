internal import CPlatform
internal import FileSystem
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Where events wait for the main thread, from whatever thread they come.
package final class Mailbox: Sendable {
  /// A pipe with a byte in it when there is something.
  package struct Bell: Sendable {
    let listening: Int32
    let ringing: Int32
  }

  package let bell: Bell
  private let events = Monitor<[BrowserEvent]>([])

  package init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    let code = cplatform_make_pipe(&ends)
    guard code == 0 else { throw Errno(rawValue: code) }
    bell = Bell(listening: ends[0], ringing: ends[1])
  }

  package func post(_ event: BrowserEvent) {
    events.withLock { $0.append(event) }
    // Where the pipe is full there are enough bytes to be woken by.
    _ = write(bell.ringing, [0], 1)
  }

  package func take() -> [BrowserEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
