/// Which release this is.
package enum Release {
  /// Its number, as CHANGELOG.md and tags have it.
  package static let version = "0.2.0"
}
