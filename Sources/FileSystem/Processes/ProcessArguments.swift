internal import CPlatform

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The words that this process was started with: bytes, as paths are, whatever Swift makes of them.
package enum ProcessArguments {
  /// The arguments, without the name of the program.
  package static var words: [[UInt8]] {
    var count: Int32 = 0
    guard let start = cplatform_arguments(&count) else {
      return CommandLine.arguments.dropFirst().map { Array($0.utf8) }
    }
    return UnsafeBufferPointer(start: start, count: Int(count)).dropFirst().compactMap { word in
      word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
  }
}
