#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Keeps the names of the users and groups that own entries, so that reports can tell them on any
/// machine.
struct OwnerNames {
  private let insertUser: RawStatement
  private let insertGroup: RawStatement
  private var users: Set<UInt32> = []
  private var groups: Set<UInt32> = []
  private var last: (uid: UInt32, gid: UInt32)?

  init(on connection: OpaquePointer) throws(SQLiteFailure) {
    insertUser = try RawStatement(
      "INSERT OR REPLACE INTO users (uid, name) VALUES (?, ?)", on: connection)
    insertGroup = try RawStatement(
      "INSERT OR REPLACE INTO groups (gid, name) VALUES (?, ?)", on: connection)
  }

  /// Writes the names of an owner that was not met before. Ids without a name have none.
  @inline(__always)
  mutating func note(uid: UInt32, gid: UInt32) throws(SQLiteFailure) {
    if let last, last == (uid, gid) { return }
    try look(uid: uid, gid: gid)
  }

  private mutating func look(uid: UInt32, gid: UInt32) throws(SQLiteFailure) {
    last = (uid, gid)
    if users.insert(uid).inserted, let name = Self.userName(uid) {
      insertUser.bind(Int64(uid), at: 1)
      insertUser.bind(name, at: 2)
      try insertUser.run()
    }
    if groups.insert(gid).inserted, let name = Self.groupName(gid) {
      insertGroup.bind(Int64(gid), at: 1)
      insertGroup.bind(name, at: 2)
      try insertGroup.run()
    }
  }

  private static func userName(_ uid: UInt32) -> String? {
    withGrowingBuffer { buffer, size in
      var entry = passwd()
      var result: UnsafeMutablePointer<passwd>?
      let code = getpwuid_r(uid, &entry, buffer, size, &result)
      return (code, result.flatMap { $0.pointee.pw_name }.map { String(cString: $0) })
    }
  }

  private static func groupName(_ gid: UInt32) -> String? {
    withGrowingBuffer { buffer, size in
      var entry = group()
      var result: UnsafeMutablePointer<group>?
      let code = getgrgid_r(gid, &entry, buffer, size, &result)
      return (code, result.flatMap { $0.pointee.gr_name }.map { String(cString: $0) })
    }
  }

  private static func withGrowingBuffer(
    _ look: (UnsafeMutablePointer<CChar>, Int) -> (code: Int32, name: String?)
  ) -> String? {
    var size = 4096
    while size <= 1 << 20 {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      let (code, name) = look(buffer, size)
      if code != ERANGE { return name }
      size *= 4
    }
    return nil
  }
}
