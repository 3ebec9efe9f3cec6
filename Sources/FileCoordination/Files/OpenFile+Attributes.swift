internal import CPlatform
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Carrying over what a file has besides its content.
extension OpenFile {
  /// Takes over owner, extended attributes and permissions of another file or directory.
  ///
  /// The set-user-id and set-group-id bits are kept with the owner and the group whose rights they
  /// grant: whoever could give the file to these could set the bits as well. An owner that this process
  /// may not give is not kept, and the bits with it: they would grant the rights of somebody else.
  /// Attributes that only the system may set are left to the system; attributes of users are all kept,
  /// or the call throws.
  func takeAttributes(of original: OpenFile) throws(Errno) {
    let status = try original.status()
    let own = try self.status()
    var mode = mode_t(status.mode & 0o7777)
    if own.uid != status.uid || own.gid != status.gid,
      fchown(descriptor, status.uid, status.gid) != 0
    {
      mode &= 0o1777
      // The group alone may be given by its members.
      _ = fchown(descriptor, uid_t.max, status.gid)
    }
    try takeExtendedAttributes(of: original)
    // Last: changing the owner takes bits away, and so does an access list.
    try setPermissions(mode)
  }

  func setPermissions(_ mode: mode_t) throws(Errno) {
    try Errno.retrying { fchmod(descriptor, mode) }
  }

  /// Takes over the times of access and modification.
  func takeTimes(of status: FileStatus) throws(Errno) {
    let times = [timespec(nanoseconds: status.accessed), timespec(nanoseconds: status.modified)]
    try Errno.retrying { futimens(descriptor, times) }
  }

  private func takeExtendedAttributes(of original: OpenFile) throws(Errno) {
    let source = original.descriptor
    let names: [UInt8]
    do throws(Errno) {
      names = try sized { cplatform_open_attribute_names(source, $0, $1) }
    } catch {
      if error == .notSupported { return }
      throw error
    }
    for bytes in names.split(separator: 0) {
      let name = String(decoding: bytes, as: UTF8.self)
      // The rights that a capability gives were given to the old content.
      if name == "security.capability" { continue }
      do throws(Errno) {
        let value = try sized { cplatform_attribute_of_open(source, name, $0, $1) }
        try Errno.check(cplatform_set_open_attribute(descriptor, name, value, value.count))
      } catch {
        if !name.hasPrefix("user.") && error != .noSpace { continue }
        throw error
      }
    }
  }

  /// Calls `body` with room for what it reports, again when that grew meanwhile.
  private func sized(
    _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int
  ) throws(Errno) -> [UInt8] {
    while true {
      let size = body(nil, 0)
      if size < 0 { throw Errno(rawValue: Int32(-size)) }
      if size == 0 { return [] }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
        buffer.withMemoryRebound(to: CChar.self) { count = body($0.baseAddress, size) }
        used = max(0, count)
      }
      if count >= 0 { return bytes }
      if Int32(-count) != ERANGE { throw Errno(rawValue: Int32(-count)) }
    }
  }
}

extension timespec {
  init(nanoseconds: Int64) {
    let second: Int64 = 1_000_000_000
    let rest = ((nanoseconds % second) + second) % second
    self.init(tv_sec: Int((nanoseconds - rest) / second), tv_nsec: Int(rest))
  }
}
