internal import CPlatform
internal import SystemPackage

/// What was read from a descriptor of the kernel's notifications.
final class EventBuffer {
  private static let size = 64 * 1024
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    .assumingMemoryBound(to: CChar.self)

  typealias Parser = (
    UnsafePointer<CChar>?, Int, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<cplatform_event>?
  ) -> Int32

  deinit {
    bytes.deallocate()
  }

  /// Reads once and hands over the events that came, in order.
  func read(
    _ descriptor: Int32, with parse: Parser, _ body: (cplatform_event) -> Void
  ) throws(Errno) {
    let filled = cplatform_read_events(descriptor, bytes, Self.size)
    guard filled >= 0 else { throw Errno(rawValue: Int32(-filled)) }
    var position = 0
    var event = cplatform_event()
    while parse(bytes, filled, &position, &event) == 1 { body(event) }
  }
}

extension cplatform_event {
  func has(_ change: cplatform_change) -> Bool { changes & change.rawValue != 0 }

  var nameBytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: UnsafeRawPointer(name)?.assumingMemoryBound(to: UInt8.self), count: name_length)
  }
}
