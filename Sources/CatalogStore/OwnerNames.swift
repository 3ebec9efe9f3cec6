package import SQLite

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Keeps the names of the users and groups that own entries, so that reports can tell them on any
/// machine.
package struct OwnerNames {
  private var users: Set<UInt32> = []
  private var groups: Set<UInt32> = []
  private var last: (uid: UInt32, gid: UInt32)?

  package init() {}

  /// Notes the owner of an entry.
  @inline(__always)
  package mutating func note(uid: UInt32, gid: UInt32) {
    if let last, last == (uid, gid) { return }
    last = (uid, gid)
    users.insert(uid)
    groups.insert(gid)
  }

  /// Writes the names of all owners that were met. Ids without a name have none.
  package func write(to db: Connection) throws {
    for uid in users {
      guard let name = Self.userName(uid) else { continue }
      try db.execute("INSERT OR REPLACE INTO _users (uid, name) VALUES (?, ?)", [Int64(uid), name])
    }
    for gid in groups {
      guard let name = Self.groupName(gid) else { continue }
      try db.execute(
        "INSERT OR REPLACE INTO _groups (gid, name) VALUES (?, ?)", [Int64(gid), name])
    }
  }

  /// Keeps the names that users and groups have on another machine, where their numbers have none yet.
  ///
  /// - Returns: the numbers that have another name here, such as `uid 7`.
  package static func insert(
    users: [Int64: String], groups: [Int64: String], in db: Connection
  ) throws -> [String] {
    var others: [String] = []
    for (table, key, names) in [("_users", "uid", users), ("_groups", "gid", groups)] {
      for (number, name) in names.sorted(by: { $0.key < $1.key }) {
        let select = SQL("SELECT name FROM \(table) WHERE \(key) = ?", [.integer(number)])
        guard let known = try db.first(select, { $0.text(0) }) else {
          try db.execute("INSERT INTO \(table) (\(key), name) VALUES (?, ?)", [number, name])
          continue
        }
        if known != name { others.append("\(key) \(number)") }
      }
    }
    return others
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
