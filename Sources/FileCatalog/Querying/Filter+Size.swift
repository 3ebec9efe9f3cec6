extension Filter {
  /// Refuses what is larger than a query may be, however it was made: the text of a query is checked
  /// when it is parsed, a filter that a program has put together when it is used.
  ///
  /// - Throws: ``CatalogError/Code/invalidArgument``.
  func checkSize() throws(CatalogError) {
    // A stack of its own: the one of the thread is what is to be protected.
    var pending = [(filter: self, depth: 0)]
    var terms = 0
    while let (filter, depth) = pending.popLast() {
      // An `or` within an `and` is one pair of parentheses.
      guard depth <= Query.Limits.nesting * 2 + 1 else {
        throw CatalogError(
          .invalidArgument,
          "the query is nested too deeply; at most \(Query.Limits.nesting) parentheses and negations "
            + "within each other are understood")
      }
      switch filter {
      case .and(let filters), .or(let filters):
        pending += filters.map { ($0, depth + 1) }
      case .not(let filter): pending.append((filter, depth + 1))
      case .extensions(let list): terms += list.count
      case .kinds(let list): terms += list.count
      default: terms += 1
      }
      guard terms <= Query.Limits.terms else {
        throw CatalogError(
          .invalidArgument,
          "the query has too many terms; at most \(Query.Limits.terms) are understood")
      }
    }
  }
}
