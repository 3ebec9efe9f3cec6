/// A declaration made of strings: what user files and shared-mime-info are turned into before they
/// join a registry.
struct TypeDeclaration: Sendable {
  struct Tag: Sendable, Hashable {
    var text: String
    var kind: TagKind
    /// Preference among declarations of one source; 1 is first.
    var rank: UInt8 = 1
  }

  /// Lower case.
  var identifier: String
  var source: TypeSource
  var parents: [String] = []
  var tags: [Tag] = []
  var description: String?
  var version: Int?
  var referenceURL: String?
  /// Declared as a package by LSTypeIsPackage; conformance to com.apple.package says it too.
  var isPackage = false
  /// Where it was written, for diagnostics.
  var file = ""
  var keyPath = ""
}
