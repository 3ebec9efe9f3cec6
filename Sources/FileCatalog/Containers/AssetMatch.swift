public import StandardDirectories
public import SystemPackage

/// A variant of an asset that a lookup has found.
public struct AssetMatch: Sendable, Hashable, Identifiable {
  /// The number of the entry.
  public let id: EntryID
  /// The absolute path.
  public let path: FilePath
  /// What the marks of its name say.
  public let variant: AssetVariant
  /// The steps from the directory that was asked about down to its own; from the root without one.
  public let depth: Int
  /// How well it suits the device, 0 being best.
  public let rank: Int

  /// How many pixels of it make one point: as its name says, else one.
  public var scale: AssetScale { variant.scale ?? .one }
}
