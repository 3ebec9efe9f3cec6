/// The content providers that every catalog knows, all off by default.
package enum BuiltInProviders {
  package static var all: [any ContentProvider] {
    [
      FileHash(), ImageDetails(), MediaDetails(), DocumentDetails(), AccessRights(), FileOrigin(),
    ]
  }
}
