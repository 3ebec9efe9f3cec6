extension Filter {
  /// No entry at all.
  public static let nothing = Filter.not(.all)

  /// The same condition in the one form that ``Query`` keeps and prints.
  ///
  /// Conjunctions within conjunctions are flattened, as are disjunctions; those of one element
  /// are replaced by it; double negation goes. What is always true becomes ``all``, what never
  /// is (an empty list, a range with its ends the wrong way round) becomes ``nothing``.
  ///
  /// - Complexity: linear in the size of the filter.
  public var simplified: Filter {
    switch self {
    case .and(let filters): Self.simplifiedConjunction(filters)
    case .or(let filters): Self.simplifiedDisjunction(filters)
    case .not(let filter): filter.simplified.negated

    case .name(let pattern):
      pattern.simplified == .glob("*") ? .all : .name(pattern.simplified)
    case .path(let pattern): .path(pattern.simplified)
    case .extensions(let texts): Self.simplifiedExtensions(texts)
    case .kinds(let kinds): kinds.isEmpty ? .nothing : self

    case .size(let range): Self.simplified(range, Filter.size)
    case .allocated(let range): Self.simplified(range, Filter.allocated)
    case .uid(let range): Self.simplified(range, Filter.uid)
    case .gid(let range): Self.simplified(range, Filter.gid)
    case .depth(let range): Self.simplified(range, Filter.depth)
    case .links(let range): Self.simplified(range, Filter.links)
    case .date(let field, let range):
      range.isUnbounded ? .all : range.isEmpty ? .nothing : .date(field, range.simplified)
    case .mode(let test): .mode(test.simplified)
    case .scale(let scale): scale.isFinite && scale > 0 ? self : .nothing

    case .all, .type, .conformsTo, .owner, .group, .flag, .role, .container, .backup, .idiom,
      .tag:
      self
    }
  }

  private var negated: Filter {
    if case .not(let filter) = self { filter } else { .not(self) }
  }

  private static func simplifiedConjunction(_ filters: [Filter]) -> Filter {
    var result: [Filter] = []
    for filter in filters {
      switch filter.simplified {
      case .all: continue
      case .nothing: return .nothing
      case .and(let inner): result += inner
      case let other: result.append(other)
      }
    }
    return result.isEmpty ? .all : result.count == 1 ? result[0] : .and(result)
  }

  private static func simplifiedDisjunction(_ filters: [Filter]) -> Filter {
    var result: [Filter] = []
    for filter in filters {
      switch filter.simplified {
      case .all: return .all
      case .nothing: continue
      case .or(let inner): result += inner
      case let other: result.append(other)
      }
    }
    return result.isEmpty ? .nothing : result.count == 1 ? result[0] : .or(result)
  }

  /// An empty extension can be written on its own only, so a list that has one is taken apart.
  private static func simplifiedExtensions(_ texts: [ExactString]) -> Filter {
    let present = texts.filter { !$0.isEmpty }
    if texts.isEmpty { return .nothing }
    if present.isEmpty { return .extensions([""]) }
    if present.count == texts.count { return .extensions(texts) }
    return .or([.extensions([""]), .extensions(present)])
  }

  private static func simplified(
    _ range: ValueRange<Int64>, _ make: (ValueRange<Int64>) -> Filter
  ) -> Filter {
    let range = range.overNaturalNumbers
    return range.isUnbounded ? .all : range.isEmpty ? .nothing : make(range)
  }
}

extension TextPattern {
  /// The same pattern, with a glob that has no wildcard written as the text it stands for, and
  /// one that begins with `=`, which would ask for the whole text, with a backslash before it.
  var simplified: TextPattern {
    if case .glob(let text) = self, text.text.unicodeScalars.first == "=" {
      return TextPattern.glob(ExactString("\\" + text.text)).simplified
    }
    guard case .glob(let text) = self,
      let glob = try? Glob(text.text, syntax: .name, caseSensitivity: .sensitive),
      let literal = glob.literalText
    else { return self }
    return .exact(ExactString(literal))
  }
}

extension DateRange {
  /// The same range with days no further away than can be written.
  fileprivate var simplified: DateRange {
    guard case .times(let from, let until) = self else { return self }
    return .times(from: from?.simplified, until: until?.simplified)
  }
}

extension TimePoint {
  fileprivate var simplified: TimePoint {
    guard case .day(let offset) = self else { return self }
    return .day(max(-Self.dayLimit, min(Self.dayLimit, offset)))
  }
}

extension ModeTest {
  fileprivate var simplified: ModeTest {
    switch self {
    case .exactly(let bits): .exactly(bits & 0o7777)
    case .all(let bits): .all(bits & 0o7777)
    case .any(let bits): .any(bits & 0o7777)
    }
  }
}
