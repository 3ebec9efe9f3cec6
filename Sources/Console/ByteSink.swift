/// A buffer of bytes on their way to a file descriptor or into memory.
///
/// Only this module has sinks: what others print goes through ``StandardStream``, ``RowPrinter`` and
/// ``ProgressLine``, which know what may be written as it is.
///
/// A sink cannot be copied: two copies would each write the bytes that wait in the buffer.
/// What has not been flushed when a sink goes away is lost.
struct ByteSink: ~Copyable, Sendable {
  private enum Destination {
    case descriptor(Int32)
    case memory
  }

  /// How many bytes wait before they are written.
  ///
  /// This is also the size of a pipe on Linux; larger writes gain nothing.
  static let capacity = 64 * 1024

  /// The bytes not yet written; writers append here and then call `drainIfFull`.
  var buffer: [UInt8] = []

  private let destination: Destination

  private init(destination: Destination) {
    self.destination = destination
    buffer.reserveCapacity(Self.capacity * 2)
  }

  /// A sink that writes to a file descriptor, which stays open when the sink goes away.
  init(descriptor: Int32) {
    self.init(destination: .descriptor(descriptor))
  }

  /// A sink that keeps everything, to be read from ``bytes``.
  static var memory: ByteSink { ByteSink(destination: .memory) }

  /// The bytes that a sink in memory has taken; for a descriptor, those that still wait.
  var bytes: [UInt8] { buffer }

  /// ``bytes`` as text, with U+FFFD for what is not UTF-8.
  var text: String { String(decoding: buffer, as: UTF8.self) }

  /// Appends bytes, and writes the buffer out when it is full.
  mutating func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    try drainIfFull()
  }

  /// Writes out everything that waits.
  mutating func flush() throws(OutputError) {
    guard case .descriptor(let descriptor) = destination, !buffer.isEmpty else { return }
    // Bytes that failed once are not tried again: after an error the sink is empty.
    let outcome = buffer.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
    buffer.removeAll(keepingCapacity: buffer.capacity <= Self.capacity * 4)
    if let error = outcome { throw error }
  }

  /// Writes the buffer out once it holds a full block.
  mutating func drainIfFull() throws(OutputError) {
    if buffer.count >= Self.capacity { try flush() }
  }

  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> OutputError? {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch SystemCalls.write(descriptor, UnsafeRawBufferPointer(rebasing: rest)) {
      case .wrote(let count): rest = rest.dropFirst(count)
      case .interrupted: continue
      case .wouldBlock: SystemCalls.waitUntilWritable(descriptor)
      case .readerGone: return .readerGone
      case .failed(let code): return .failed(errno: code)
      }
    }
    return nil
  }
}

/// Why output could not be written.
package enum OutputError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reader of a pipe has gone, as in `filecat find | head`.
  ///
  /// Nobody is left to read what follows: a command stops here, quietly.
  case readerGone

  /// The system refused the bytes, for example because the disk is full.
  case failed(errno: Int32)

  /// One line for a terminal.
  package var description: String {
    switch self {
    case .readerGone: "the reader of the output has gone"
    case .failed(let code): "cannot write the output: \(SystemCalls.message(errno: code))"
    }
  }
}
