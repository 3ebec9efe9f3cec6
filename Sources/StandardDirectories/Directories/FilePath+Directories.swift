internal import SystemPackage

extension FilePath {
  /// The path of something inside this directory.
  ///
  /// `.` components and double slashes are dropped, as the file system does.
  func appending(inside relative: String) throws(DirectoryError) -> FilePath {
    guard !relative.utf8.contains(0) else { throw .refusedPath(relative) }
    let path = FilePath(relative)
    let components = path.components.filter { $0.kind != .currentDirectory }
    guard path.isRelative, !components.isEmpty,
      !components.contains(where: { $0.kind == .parentDirectory })
    else { throw .refusedPath(relative) }
    return appending(components)
  }

  /// The path as a `file` URL of a directory. Every byte that is not unreserved is escaped, so that
  /// names which are not UTF-8 are kept.
  var directoryURL: String {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    var url = "file://"
    for byte in pathBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), NameByte.dash, NameByte.dot, UInt8(ascii: "_"),
        NameByte.tilde, NameByte.slash:
        url.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        url.unicodeScalars.append("%")
        url.unicodeScalars.append(digits[Int(byte >> 4)])
        url.unicodeScalars.append(digits[Int(byte & 15)])
      }
    }
    return url.hasSuffix("/") ? url : url + "/"
  }
}
