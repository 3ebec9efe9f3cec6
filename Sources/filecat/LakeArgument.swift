import ArgumentParser
import FileCatalog
import SystemPackage

/// A lake as it is typed.
enum LakeArgument {
  /// What it can be, for help.
  static let forms = "a directory, which may be another machine's, or s3://BUCKET/PREFIX"

  /// The lake that a path or an address names.
  ///
  /// - Throws: `ValidationError` for another address: a directory of that name would be made.
  @Sendable
  static func lake(_ argument: String) throws -> Lake {
    let bytes = RawArguments.bytes(of: argument)
    if let text = String(validating: bytes, as: UTF8.self), let bucket = BucketAddress(text) {
      return Lake(bucket)
    }
    let path = FilePath(bytes: bytes)
    guard !path.isEmpty, path.isAbsolute || !RawArguments.shown(argument).contains(":/") else {
      throw ValidationError("a lake is \(forms)")
    }
    return Lake(path)
  }
}
