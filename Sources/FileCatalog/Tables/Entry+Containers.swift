internal import FileSystem
public import StandardDirectories
internal import SystemPackage

// What follows from the role and from the name. Nothing is read for it: whoever does not ask does not
// pay.

extension Entry {
  /// Whether the role promises that a backup holds the entry; `nil` without a role.
  public var backupPolicy: Role.Policy.Backup? { role?.policy.backup }

  /// Whether the system may delete the entry by itself; `nil` without a role.
  public var isPurgeable: Bool? { role?.policy.isPurgeable }

  /// The name taken apart as that of an asset, such as `icon@2x~ipad.png`; `nil` for what can be none:
  /// directories, pipes, sockets and devices.
  public var asset: AssetName? {
    switch kind {
    case .file, .package, .symlink: AssetName(bytes: path.lastComponent?.bytes ?? [])
    default: nil
    }
  }

  /// The name without marks and extension: `icon` of `icon@2x~ipad.png`. What is not UTF-8 becomes
  /// U+FFFD; ``asset`` has the bytes.
  public var assetStem: String? { asset?.stem }

  /// The scale that the name states; `nil` where it states none, which is not the same as 1.
  public var assetScale: AssetScale? { asset?.variant.scale }

  /// The kind of device that the name states.
  public var assetIdiom: Idiom? { asset?.variant.idiom }

  /// The height of a screen that the name states, in points.
  public var assetHeight: Int? { asset?.variant.height }

  /// Whether the name has the mark `-hd`; `nil` for what can be no asset.
  public var isAssetHD: Bool? { asset?.variant.isHD }
}
