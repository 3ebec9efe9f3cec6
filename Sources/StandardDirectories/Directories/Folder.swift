/// Declares a folder of a container.
///
/// ```swift
/// struct Images_Cache: Folder {}
/// container.caches.appending(Images_Cache())      // …/Caches/Images Cache
///
/// struct UserFolder: Folder {
///   let id: Int
///   var folderName: String { "User-\(id)" }
/// }
/// container.applicationSupport.appending(UserFolder(id: 5))
/// ```
///
/// Without a name of its own a folder is called like its type, see
/// ``FolderName/derived(fromTypeName:)``.
public protocol Folder: Sendable {
  /// The name of the folder.
  var folderName: String { get }
}

extension Folder {
  /// The name that the type gives.
  public var folderName: String {
    FolderName.derived(fromTypeName: String(describing: type(of: self)))
  }
}

/// A folder that is known by its type alone, so that the type itself can be appended.
public protocol ParameterlessFolder: Folder {
  /// The folder.
  init()
}

/// A folder whose name is known only when the program runs. The name is taken as it is.
public struct NamedFolder: Folder, Hashable {
  /// The name of the folder.
  public let folderName: String

  /// A folder of this name.
  public init(_ name: String) {
    folderName = name
  }
}
