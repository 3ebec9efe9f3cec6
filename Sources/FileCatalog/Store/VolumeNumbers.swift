internal import FileSystem

/// Maps device numbers, which may differ after a remount, to the catalog's own volume numbers.
struct VolumeNumbers {
  private let insert: RawStatement
  private let select: RawStatement
  private var numbers: [UInt64: Int64] = [:]
  private var last: (device: UInt64, number: Int64)?

  init(on connection: OpaquePointer) throws(SQLiteFailure) {
    insert = try RawStatement(
      """
      INSERT INTO volumes (identity, device) VALUES (?, ?)
      ON CONFLICT (identity) DO UPDATE SET device = excluded.device
      """, on: connection)
    select = try RawStatement("SELECT id FROM volumes WHERE identity = ?", on: connection)
  }

  /// Tells the identity of a device before its first entry comes.
  mutating func register(device: UInt64, identity: VolumeIdentity) throws(SQLiteFailure) {
    insert.bind(identity.description, at: 1)
    insert.bind(Int64(bitPattern: device), at: 2)
    try insert.run()
    select.bind(identity.description, at: 1)
    defer { select.reset() }
    numbers[device] = try select.step() ? select.integer(at: 0) : 0
  }

  @inline(__always)
  mutating func number(of device: UInt64) throws(SQLiteFailure) -> Int64 {
    if let last, last.device == device { return last.number }
    return try look(device)
  }

  private mutating func look(_ device: UInt64) throws(SQLiteFailure) -> Int64 {
    if numbers[device] == nil {
      try register(device: device, identity: VolumeIdentity(device: device))
    }
    let number = numbers[device] ?? 0
    last = (device, number)
    return number
  }
}
