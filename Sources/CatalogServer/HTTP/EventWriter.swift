internal import HummingbirdCore
internal import NIOCore

/// Writes server-sent events ([HTML, section 9.2](https://html.spec.whatwg.org/#server-sent-events)) to
/// one listener.
///
/// A listener that does not read makes its writer wait, and for that there is a limit: what an event would tell
/// is not made before the one before it has been taken.
final class EventWriter {
  private var body: any ResponseBodyWriter
  private let limit: WriteLimit

  init(_ body: any ResponseBodyWriter, _ limit: WriteLimit) {
    self.body = body
    self.limit = limit
  }

  /// Sends an event.
  ///
  /// - Parameters:
  ///   - id: what a listener names that comes again.
  ///   - data: JSON, which has no line ends.
  func send(_ event: String, id: Int64?, _ data: [UInt8]) async throws {
    var text = ""
    if let id { text += "id: \(id)\n" }
    text += "event: \(event)\ndata: "
    var buffer = ByteBuffer()
    buffer.writeString(text)
    buffer.writeBytes(data)
    buffer.writeString("\n\n")
    try await write(buffer)
  }

  /// Sends something that listeners pass over, to see whether there are any.
  func comment(_ text: String) async throws {
    try await write(ByteBuffer(string: ": \(text)\n\n"))
  }

  private func write(_ buffer: ByteBuffer) async throws {
    let end = limit.begin()
    defer { end.cancel() }
    try await body.write(buffer)
  }
}

/// Ends a connection whose reader takes nothing for so long.
struct WriteLimit: Sendable {
  private let channel: any Channel
  private let time: TimeAmount

  init(_ channel: any Channel, _ time: TimeAmount) {
    self.channel = channel
    self.time = time
  }

  /// Begins to count. What is returned has to be cancelled in time.
  func begin() -> Scheduled<Void> {
    let channel = channel
    return channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
