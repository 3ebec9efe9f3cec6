package import FileSystem
package import SQLite

/// Maps device numbers, which may differ after a remount, to the catalog's own volume numbers.
package struct VolumeNumbers {
  private var identities: [String: Int64]
  private var numbers: [UInt64: Int64] = [:]
  private var last: (device: UInt64, number: Int64)?

  /// No volumes: those of a new catalog.
  package init() {
    identities = [:]
  }

  /// The volumes that a catalog knows already.
  package init(in db: Connection) throws {
    var identities: [String: Int64] = [:]
    try db.forEach(SQL("SELECT identity, id FROM _volumes")) { row in
      identities[row.text(0)] = row.id(1)
    }
    self.identities = identities
  }

  /// Tells the identity of a device before its first entry comes.
  package mutating func register(device: UInt64, identity: VolumeIdentity) {
    let number = identities[identity.description] ?? (identities.values.max() ?? 0) + 1
    identities[identity.description] = number
    numbers[device] = number
  }

  /// Lets a volume keep its number although it is known by another identity since it was mounted
  /// again.
  package mutating func adopt(_ identity: VolumeIdentity, as number: Int64) {
    guard identities[identity.description] == nil else { return }
    identities = identities.filter { $0.value != number }
    identities[identity.description] = number
  }

  @inline(__always)
  package mutating func number(of device: UInt64) -> Int64 {
    if let last, last.device == device { return last.number }
    return look(device)
  }

  private mutating func look(_ device: UInt64) -> Int64 {
    if numbers[device] == nil {
      register(device: device, identity: VolumeIdentity(device: device))
    }
    let number = numbers[device] ?? 0
    last = (device, number)
    return number
  }

  /// Writes the volumes that were met, with the device numbers they have now.
  package func write(to db: Connection) throws {
    let names = Dictionary(identities.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for (device, number) in numbers {
      try db.execute(
        """
        INSERT INTO _volumes (id, identity, device) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET device = excluded.device, identity = excluded.identity
        WHERE device <> excluded.device OR identity <> excluded.identity
        """, [number, names[number], Int64(bitPattern: device)])
    }
  }
}
