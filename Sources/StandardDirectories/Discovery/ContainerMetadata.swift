internal import Foundation

/// The property list that Apple's container manager keeps beside or in a container.
public enum ContainerMetadata {
  /// The file's name on iOS and in its simulators, then that on macOS.
  public static let fileNames = [
    ".com.apple.mobile_container_manager.metadata.plist",
    ".com.apple.containermanagerd.metadata.plist",
  ]

  /// The identifier of the application or group, from the bytes of a property list, binary or XML.
  ///
  /// - Returns: `nil` for other bytes, and without an identifier that could be one.
  public static func identifier(in bytes: [UInt8]) -> String? {
    let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    let identifier = (list as? [String: Any])?["MCMMetadataIdentifier"] as? String
    return identifier.flatMap { $0.isEmpty ? nil : $0 }
  }
}
