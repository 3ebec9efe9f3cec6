extension Filter {
  /// Whether entries may match that did not a moment ago, though none has changed: it asks for ages, or for days
  /// counted from today.
  package var isAboutThePresent: Bool {
    switch condition {
    case .all(let filters), .any(let filters): filters.contains(where: \.isAboutThePresent)
    case .not(let filter): filter.isAboutThePresent
    case .date(_, .ages): true
    case .date(_, .times(let start, let end)):
      [start, end].contains { if case .day? = $0 { true } else { false } }
    default: false
    }
  }
}
