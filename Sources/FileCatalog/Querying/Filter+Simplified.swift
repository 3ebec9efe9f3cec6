internal import TextMatching

extension Filter {
  /// The same condition in the one form that ``Query`` keeps and prints.
  ///
  /// Conjunctions within conjunctions are flattened, as are disjunctions; those of one element
  /// are replaced by it; double negation goes. What is always true becomes ``all``, what never
  /// is (an empty list, a range with its ends the wrong way round) becomes ``nothing``.
  ///
  /// - Complexity: linear in the size of the filter.
  public var simplified: Filter {
    switch condition {
    case .all(let filters): Self.simplifiedConjunction(filters)
    case .any(let filters): Self.simplifiedDisjunction(filters)
    case .not(let filter): filter.simplified.negated

    case .text(.name, let pattern):
      pattern.simplified == .glob("*") ? .all : .name(pattern.simplified)
    case .text(.path, let pattern): .path(pattern.simplified)
    case .extensions(let texts): Self.simplifiedExtensions(texts)
    case .kinds(let kinds): kinds.isEmpty ? .nothing : self

    case .number(let field, let range):
      Self.simplified(range.overNaturalNumbers) { .number(field, $0) }
    case .date(let field, let range):
      range.isUnbounded ? .all : range.isEmpty ? .nothing : .date(field, range.simplified)
    case .mode(let test): .mode(test.simplified)
    case .scale(let scale): scale.isFinite && scale > 0 ? self : .nothing
    case .value(let test): Self.simplified(test)
    case .everything, .word, .flag: self
    }
  }

  private var negated: Filter {
    if case .not(let filter) = condition { filter } else { .not(self) }
  }

  private static func simplifiedConjunction(_ filters: [Filter]) -> Filter {
    var result: [Filter] = []
    for filter in filters {
      let filter = filter.simplified
      switch filter.condition {
      case .everything: continue
      case .not(.all): return .nothing
      case .all(let inner): result += inner
      default: result.append(filter)
      }
    }
    return result.isEmpty ? .all : result.count == 1 ? result[0] : .all(result)
  }

  private static func simplifiedDisjunction(_ filters: [Filter]) -> Filter {
    var result: [Filter] = []
    for filter in filters {
      let filter = filter.simplified
      switch filter.condition {
      case .everything: return .all
      case .not(.all): continue
      case .any(let inner): result += inner
      default: result.append(filter)
      }
    }
    return result.isEmpty ? .nothing : result.count == 1 ? result[0] : .any(result)
  }

  /// An empty extension can be written on its own only, so a list that has one is taken apart.
  private static func simplifiedExtensions(_ texts: [ExactString]) -> Filter {
    let present = texts.filter { !$0.isEmpty }
    if texts.isEmpty { return .nothing }
    if present.isEmpty { return .extensions([""]) }
    if present.count == texts.count { return Filter(.extensions(texts)) }
    return .any([.extensions([""]), Filter(.extensions(present))])
  }

  private static func simplified(_ test: ValueTest) -> Filter {
    guard !test.key.isEmpty else { return .nothing }
    switch test.question {
    case .presence: return Filter(.value(test))
    case .text(let pattern):
      return Filter(.value(ValueTest(test.key.text, .text(pattern.simplified))))
    case .number(let range):
      if range.isEmpty { return .nothing }
      // A range without ends cannot be written, and every number is in this one.
      return .value(test.key.text, range.isUnbounded ? .atLeast(.lowest) : range)
    }
  }

  private static func simplified(
    _ range: ValueRange<Int64>, _ make: (ValueRange<Int64>) -> Condition
  ) -> Filter {
    range.isUnbounded ? .all : range.isEmpty ? .nothing : Filter(make(range))
  }
}

extension TextPattern {
  /// The same pattern, with a glob that has no wildcard written as the text it stands for, and
  /// one that begins with `=`, which would ask for the whole text, with a backslash before it.
  fileprivate var simplified: TextPattern {
    guard form == .glob else { return self }
    if bytes.first == UInt8(ascii: "=") { return TextPattern.glob("\\" + text).simplified }
    guard let literal = try? TextPattern.literal(of: text) else { return self }
    return .exact(bytes: literal)
  }
}

extension Filter {
  /// Checks that the filter is no larger than a query may be.
  ///
  /// The text of a query is checked when it is parsed, a filter that a program has put together
  /// when it is used.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument``.
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
      switch filter.condition {
      case .all(let filters), .any(let filters): pending += filters.map { ($0, depth + 1) }
      case .not(let filter): pending.append((filter, depth + 1))
      default: terms += filter.termCount
      }
      guard terms <= Query.Limits.terms else {
        throw CatalogError(
          .invalidArgument,
          "the query has too many terms; at most \(Query.Limits.terms) are understood")
      }
    }
  }
}
