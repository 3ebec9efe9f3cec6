internal import CPlatform
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The file systems that are mounted, and being told when that changes.
///
/// On systems without `/proc/self/mountinfo` the table is empty and nothing is told.
package final class MountTable {
  /// A mounted file system.
  package struct Mount: Sendable, Hashable {
    /// Differs when something is unmounted and mounted again.
    package let number: UInt64
    /// The path of the mount point, without symbolic links.
    package let point: [UInt8]

    package init(number: UInt64, point: [UInt8]) {
      self.number = number
      self.point = point
    }
  }

  /// Has an exceptional condition when something was mounted or unmounted; -1 if there is no table.
  let descriptor: Int32

  package init() {
    descriptor = max(-1, cplatform_open_mount_table())
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The mounts below a directory, which is not among them itself.
  package func mounts(below directory: [UInt8]) -> Set<Mount> {
    guard descriptor >= 0, let text = read() else { return [] }
    return Set(
      Self.parse(text).filter { mount in
        TreePath(mount.point, in: directory).map { $0 != .root } ?? false
      })
  }

  private func read() -> [UInt8]? {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { return nil }
    var text: [UInt8] = []
    let piece = 64 * 1024
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: piece) { buffer, count in
        let address = UnsafeMutableRawPointer(buffer.baseAddress)
        let characters = address?.assumingMemoryBound(to: CChar.self)
        count = max(0, cplatform_read_events(descriptor, characters, piece))
      }
      guard !part.isEmpty else { return text }
      text += part
    }
  }

  /// Reads the format of `/proc/PID/mountinfo`, described in `proc_pid_mountinfo(5)`: the first field
  /// is the number, the fifth the mount point, with blanks and the like as three octal digits.
  package static func parse(_ text: [UInt8]) -> [Mount] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4, let number = UInt64(String(decoding: fields[0], as: UTF8.self))
      else { return nil }
      return Mount(number: number, point: unescape(fields[4]))
    }
  }

  private static func unescape(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        result.append(code)
        rest = rest.dropFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
