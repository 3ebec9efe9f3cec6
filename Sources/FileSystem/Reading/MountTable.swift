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
    /// The number that entries have as their device. Parts of a file system may have others.
    package let device: UInt64
    package let type: FileSystemType

    package init(number: UInt64, point: [UInt8], device: UInt64, type: FileSystemType) {
      self.number = number
      self.point = point
      self.device = device
      self.type = type
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

  /// Everything that is mounted.
  package var mounts: [Mount] {
    guard descriptor >= 0, let text = read() else { return [] }
    return Self.parse(text)
  }

  /// The mounts below a directory, which is not among them itself.
  package func mounts(below directory: [UInt8]) -> Set<Mount> {
    let base = FilePath(bytes: directory)
    return Set(
      mounts.filter { mount in
        mount.point != directory && FilePath(bytes: mount.point).starts(with: base)
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
  /// is the number, the third the device, the fifth the mount point, with blanks and the like as three
  /// octal digits. Behind a dash comes the type.
  package static func parse(_ text: [UInt8]) -> [Mount] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard fields.count > 4, let number = number(fields[0]),
        let end = fields.dropFirst(6).firstIndex(of: [UInt8(ascii: "-")]), end + 1 < fields.count
      else { return nil }
      let device = fields[2].split(separator: UInt8(ascii: ":")).compactMap(Self.number)
      guard device.count == 2 else { return nil }
      return Mount(
        number: number, point: unescape(fields[4]),
        device: cplatform_device(
          UInt32(truncatingIfNeeded: device[0]),
          UInt32(truncatingIfNeeded: device[1])),
        type: FileSystemType(String(decoding: unescape(fields[end + 1]), as: UTF8.self)))
    }
  }

  private static func number(_ field: ArraySlice<UInt8>) -> UInt64? {
    UInt64(String(decoding: field, as: UTF8.self))
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

/// The types of what is mounted, by the device that entries have. The table is read with the first
/// question; where it does not know a device, something may have been mounted since.
final class MountedTypes {
  private var table: MountTable?
  private var types: [UInt64: FileSystemType] = [:]

  /// The type of the file system with a device; `nil` for parts of others, and where there is no table.
  func type(ofDevice device: UInt64) -> FileSystemType? {
    if let type = types[device] { return type }
    let table = table ?? MountTable()
    self.table = table
    for mount in table.mounts { types[mount.device] = mount.type }
    return types[device]
  }
}
