/// Collects declarations layer by layer and turns them into a `RegistryStorage`.
///
/// The built-in table comes first, so that its positions are the same in every registry. The order
/// of the other layers decides positions only: authority is in `TagRecord.source`.
struct RegistryBuilder {
  private(set) var tables: TypeTables
  private(set) var edges: [(child: TypeIndex, parent: Text)] = []
  private(set) var diagnostics: [TypeDiagnostic] = []

  /// The most types one registry holds; further declarations are refused.
  static let maximumTypeCount = 60_000

  init(pool: TextPool) {
    tables = TypeTables(pool: pool)
    tables.types.reserveCapacity(2048)
    tables.tags.reserveCapacity(4096)
    edges.reserveCapacity(2048)
  }

  // MARK: - Adding

  /// Keeps some bytes that declarations refer to.
  mutating func intern(_ bytes: some Sequence<UInt8>) -> Text {
    tables.pool.append(bytes)
  }

  mutating func report(_ diagnostic: TypeDiagnostic) {
    diagnostics.append(diagnostic)
  }

  func index(of identifier: String) -> TypeIndex? {
    tables.identifierIndex.value(for: identifier, in: tables.pool).map { TypeIndex(Int($0)) }
  }

  /// Adds a type. The identifier must be new.
  mutating func add(_ record: TypeRecord) -> TypeIndex? {
    guard tables.types.count < Self.maximumTypeCount else { return nil }
    let index = TypeIndex(tables.types.count)
    tables.types.append(record)
    tables.identifierIndex.set(UInt32(index.position), for: record.identifier, in: tables.pool)
    return index
  }

  mutating func addParent(_ parent: Text, to child: TypeIndex) {
    edges.append((child, parent))
  }

  mutating func addTag(
    _ text: Text, kind: TagKind, to type: TypeIndex, source: TypeSource, rank: UInt8 = 1
  ) {
    tables.tags.append(
      TagRecord(text: text, type: type, tagClass: kind, source: source, rank: rank))
  }

  /// Adds a declaration made of strings, or merges it into the type of the same identifier: tags
  /// and parents are united, what the stronger layer says about itself is kept.
  mutating func add(_ declaration: TypeDeclaration) {
    let index: TypeIndex
    if let known = self.index(of: declaration.identifier) {
      index = known
      merge(declaration, into: known)
    } else {
      let identifier = tables.pool.append(declaration.identifier)
      var record = TypeRecord(identifier: identifier, source: declaration.source)
      record.description = tables.pool.append(declaration.description ?? "")
      record.reference = tables.pool.append(declaration.referenceURL ?? "")
      record.version = declaration.version.flatMap(Int32.init(exactly:)) ?? -1
      record.traits = declaration.isPackage ? .package : []
      guard let added = add(record) else {
        report(
          TypeDiagnostic(
            problem: .tooManyTypes, file: declaration.file, keyPath: declaration.keyPath))
        return
      }
      index = added
    }
    for parent in declaration.parents {
      addParent(tables.pool.append(parent), to: index)
    }
    for tag in declaration.tags {
      addTag(
        tables.pool.append(tag.text), kind: tag.kind, to: index, source: declaration.source,
        rank: tag.rank)
    }
  }

  private mutating func merge(_ declaration: TypeDeclaration, into index: TypeIndex) {
    let isStronger = declaration.source < tables.types[index.position].source
    if let description = declaration.description,
      isStronger || tables.types[index.position].description.isEmpty
    {
      tables.types[index.position].description = tables.pool.append(description)
    }
    if let reference = declaration.referenceURL,
      isStronger || tables.types[index.position].reference.isEmpty
    {
      tables.types[index.position].reference = tables.pool.append(reference)
    }
    if let version = declaration.version.flatMap(Int32.init(exactly:)), isStronger {
      tables.types[index.position].version = version
    }
    if isStronger {
      // A built-in type stays one, whoever adds tags to it: its number is built in as well.
      if tables.types[index.position].source != .builtIn {
        tables.types[index.position].source = declaration.source
      }
      // What the user declares is a package needs no proof by structure.
      if declaration.isPackage
        || declaration.tags.contains(where: { $0.kind == .filenameExtension })
      {
        tables.types[index.position].evidence = .empty
      }
    }
    if declaration.isPackage { tables.types[index.position].traits.insert(.package) }
  }

  // MARK: - Finishing

  consuming func finish(_ extraDiagnostics: [TypeDiagnostic] = []) -> RegistryStorage {
    resolveParents()
    closeConformance()
    groupTags()
    indexTags()
    let pool = tables.pool
    let identifiers = tables.identifierIndex
    let wellKnown = WellKnownIndexes { name in
      identifiers.value(for: name, in: pool).map { TypeIndex(Int($0)) }
    }
    let nameTable = NameTable(NameTableBuilder.content(of: tables, fallbacks: wellKnown.all))
    return RegistryStorage(
      tables: tables, nameTable: nameTable, wellKnown: wellKnown,
      diagnostics: diagnostics + extraDiagnostics)
  }

  /// Turns parent identifiers into positions; an identifier nobody declares is left out.
  private mutating func resolveParents() {
    var counts = [UInt32](repeating: 0, count: tables.types.count)
    var resolved: [(child: TypeIndex, parent: TypeIndex)] = []
    resolved.reserveCapacity(edges.count)
    for edge in edges {
      guard let value = tables.identifierIndex.value(for: edge.parent, in: tables.pool) else {
        continue
      }
      resolved.append((edge.child, TypeIndex(Int(value))))
      counts[edge.child.position] += 1
    }
    var start: UInt32 = 0
    for position in tables.types.indices {
      tables.types[position].parents = Run(start: start, count: 0)
      start += counts[position]
    }
    tables.parentPool = Array(repeating: .none, count: resolved.count)
    for (child, parent) in resolved {
      let run = tables.types[child.position].parents
      tables.parentPool[run.range.upperBound] = parent
      tables.types[child.position].parents.count += 1
    }
    // Each parent once: layers may repeat what another one says.
    var marks = [TypeIndex](repeating: .none, count: tables.types.count)
    for position in tables.types.indices {
      let child = TypeIndex(position)
      let run = tables.types[position].parents
      var end = run.range.lowerBound
      for place in run.range {
        let parent = tables.parentPool[place]
        guard parent != child, marks[parent.position] != child else { continue }
        marks[parent.position] = child
        tables.parentPool[end] = parent
        end += 1
      }
      tables.types[position].parents.count = UInt32(end) - run.start
    }
  }

  private mutating func closeConformance() {
    var closure = ConformanceClosure(types: tables.types, parentPool: tables.parentPool)
    closure.run()
    tables.ancestorPool = closure.pool
    let item = ["com.apple.package", "com.apple.bundle", "public.directory", "public.data"]
      .map { index(of: $0) ?? .none }
    let executable = index(of: "public.executable") ?? .none
    for position in tables.types.indices {
      tables.types[position].ancestors = closure.runs[position]
      let ancestors = tables.ancestorPool[closure.runs[position].range]
      func isA(_ other: TypeIndex) -> Bool {
        other.position == position || ancestors.contains(other)
      }
      var traits = tables.types[position].traits
      if isA(item[0]) { traits.insert(.package) }
      if isA(item[1]) { traits.insert(.bundle) }
      if isA(executable) { traits.insert(.executable) }
      if isA(item[2]) || traits.contains(.package) { traits.insert(.directory) }
      if isA(item[3]) || !traits.contains(.directory) { traits.insert(.file) }
      tables.types[position].traits = traits
    }
  }

  /// Sorts the tags by type, keeping for each type the strongest declaration first.
  private mutating func groupTags() {
    var starts = [UInt32](repeating: 0, count: tables.types.count + 1)
    for tag in tables.tags { starts[tag.type.position + 1] += 1 }
    for position in tables.types.indices { starts[position + 1] += starts[position] }
    var cursor = starts
    let placeholder = TagRecord(
      text: .empty, type: .none, tagClass: .name, source: .dynamic, rank: 0)
    var sorted = [TagRecord](repeating: placeholder, count: tables.tags.count)
    for source in TypeSource.allCases {
      for tag in tables.tags where tag.source == source {
        sorted[Int(cursor[tag.type.position])] = tag
        cursor[tag.type.position] += 1
      }
    }
    tables.tags = sorted
    for position in tables.types.indices {
      let start = starts[position]
      tables.types[position].tags = Run(start: start, count: starts[position + 1] - start)
    }
  }

  /// Links the tag records of equal class and text, the preferred one first.
  private mutating func indexTags() {
    var counts = [Int](repeating: 0, count: TagKind.allCases.count)
    for tag in tables.tags { counts[Int(tag.tagClass.rawValue)] += 1 }
    tables.tagIndexes = counts.map { TextIndex(minimumCapacity: $0) }
    var chains = TagChains()
    for position in tables.tags.indices {
      let tag = tables.tags[position]
      let first = tables.tagIndexes[Int(tag.tagClass.rawValue)].insert(
        UInt32(position), for: tag.text, in: tables.pool)
      if let first {
        chains.add(position, toChainFrom: Int(first), in: tables.tags)
      } else {
        tables.tags[position].isFirst = true
      }
    }
    for (old, new) in chains.link(&tables.tags) where old != new {
      let tag = tables.tags[new]
      tables.tagIndexes[Int(tag.tagClass.rawValue)].set(
        UInt32(new), for: tag.text, in: tables.pool)
    }
  }
}

/// The tag records that share class and text with others: a few, or thousands where somebody means
/// it badly.
private struct TagChains {
  /// The records by the chain that they belong to, named after the record that was met first.
  private var members: [(chain: Int, position: Int)] = []
  /// The last record of each chain.
  private var last: [Int: Int] = [:]
  /// Records of a type that has the tag already, and that one.
  private var repetitions: [(position: Int, linked: Int)] = []

  /// Adds a record. Those of one type come one after the other, the strongest first.
  mutating func add(_ position: Int, toChainFrom first: Int, in tags: [TagRecord]) {
    let before = last[first] ?? first
    if last[first] == nil { members.append((first, first)) }
    if tags[before].type == tags[position].type {
      // The same type may say a tag twice, in two layers.
      repetitions.append((position, before))
      last[first] = before
    } else {
      members.append((first, position))
      last[first] = position
    }
  }

  /// Links the records of each chain by preference. Returns for each chain the record that was first
  /// and the one that is it now.
  func link(_ tags: inout [TagRecord]) -> [(old: Int, new: Int)] {
    let sorted = members.sorted { left, right in
      if left.chain != right.chain { return left.chain < right.chain }
      let priorities = (tags[left.position].priority, tags[right.position].priority)
      return priorities.0 == priorities.1
        ? left.position < right.position : priorities.0 < priorities.1
    }
    var firsts: [(old: Int, new: Int)] = []
    var previous = (chain: -1, position: -1)
    for (chain, position) in sorted {
      tags[position].isFirst = chain != previous.chain
      if chain == previous.chain {
        tags[previous.position].next = Int32(position)
        tags[position].place = tags[previous.position].place + 1
      } else {
        firsts.append((chain, position))
      }
      previous = (chain, position)
    }
    for (position, linked) in repetitions { tags[position].place = tags[linked].place }
    return firsts
  }
}

/// Computes all supertypes of all types from the direct ones.
///
/// A depth-first walk with an explicit stack, so that a deep declaration cannot exhaust the
/// thread's stack. An edge back to a type that is still being visited would close a cycle; loading
/// refuses such declarations beforehand, and here the edge counts for nothing, so the walk always
/// ends.
struct ConformanceClosure {
  private let types: [TypeRecord]
  private let parentPool: [TypeIndex]
  /// Supertypes, sorted, one run after the other.
  private(set) var pool: [TypeIndex] = []
  /// The run of each type in `pool`.
  private(set) var runs: [Run]

  /// Used again for every type.
  private var scratch: [TypeIndex] = []

  private enum Mark { case unseen, open, done }

  init(types: [TypeRecord], parentPool: [TypeIndex]) {
    self.types = types
    self.parentPool = parentPool
    runs = Array(repeating: Run(), count: types.count)
    pool.reserveCapacity(types.count * 5)
  }

  mutating func run() {
    var marks = [Mark](repeating: .unseen, count: types.count)
    var stack: [(type: Int, next: Int)] = []
    for root in types.indices where marks[root] == .unseen {
      marks[root] = .open
      stack.append((root, 0))
      while let top = stack.last {
        let parents = types[top.type].parents
        if top.next < Int(parents.count) {
          stack[stack.count - 1].next += 1
          let parent = parentPool[Int(parents.start) + top.next].position
          if marks[parent] == .unseen {
            marks[parent] = .open
            stack.append((parent, 0))
          }
        } else {
          stack.removeLast()
          close(top.type, done: { marks[$0] == .done })
          marks[top.type] = .done
        }
      }
    }
  }

  private mutating func close(_ type: Int, done: (Int) -> Bool) {
    scratch.removeAll(keepingCapacity: true)
    for parent in parentPool[types[type].parents.range] where done(parent.position) {
      scratch.append(parent)
      scratch.append(contentsOf: pool[runs[parent.position].range])
    }
    if scratch.count > 1 { scratch.sort() }
    let start = pool.count
    for ancestor in scratch where ancestor.position != type {
      if pool.count > start, pool[pool.count - 1] == ancestor { continue }
      pool.append(ancestor)
    }
    runs[type] = Run(start: UInt32(start), count: UInt32(pool.count - start))
  }
}

extension RegistryBuilder {
  /// What has been added so far, as identifiers.
  var view: RegistryView {
    var builder = self
    builder.resolveParents()
    builder.closeConformance()
    return RegistryView(builder.tables)
  }
}

/// A look at a half-built registry.
struct RegistryView: Sendable {
  private let tables: TypeTables
  /// The records of each tag, the preferred one first.
  private let tagsByText: [TypeDeclaration.Tag: [TagRecord]]

  /// - Parameter tables: with all supertypes of all types.
  fileprivate init(_ tables: TypeTables) {
    self.tables = tables
    var records: [TypeDeclaration.Tag: [TagRecord]] = [:]
    for tag in tables.tags where tag.tagClass == .filenameExtension || tag.tagClass == .mimeType {
      let text = tables.pool.string(tag.text).lowercased()
      records[TypeDeclaration.Tag(text: text, kind: tag.tagClass), default: []].append(tag)
    }
    tagsByText = records.mapValues { $0.sorted { $0.priority < $1.priority } }
  }

  private func index(of identifier: String) -> TypeIndex? {
    tables.identifierIndex.value(for: identifier, in: tables.pool).map { TypeIndex(Int($0)) }
  }

  private func identifier(of index: TypeIndex) -> String {
    tables.pool.string(tables.types[index.position].identifier)
  }

  func isKnown(_ identifier: String) -> Bool { index(of: identifier) != nil }

  func parents(of identifier: String) -> [String] {
    guard let index = index(of: identifier) else { return [] }
    return tables.parentPool[tables.types[index.position].parents.range].map {
      self.identifier(of: $0)
    }
  }

  /// The identifier of the preferred type among those that carry a tag and satisfy a condition.
  func identifier(
    tag: String, kind: TagKind, where condition: (String) -> Bool = { _ in true }
  ) -> String? {
    let records = tagsByText[TypeDeclaration.Tag(text: tag, kind: kind)] ?? []
    return records.lazy.map { identifier(of: $0.type) }.first(where: condition)
  }

  /// Whether a type is another one or has it among its supertypes.
  func conforms(_ identifier: String, to ancestor: String) -> Bool {
    if identifier == ancestor { return true }
    guard let index = index(of: identifier), let ancestor = self.index(of: ancestor) else {
      return false
    }
    return tables.ancestorPool[tables.types[index.position].ancestors.range].contains(ancestor)
  }

  /// The identifiers of all types that some types conform to, without those types unless another
  /// one conforms to them.
  func supertypes(of identifiers: [String]) -> Set<String> {
    var found: Set<TypeIndex> = []
    for index in identifiers.lazy.compactMap(index) {
      found.formUnion(tables.ancestorPool[tables.types[index.position].ancestors.range])
    }
    return Set(found.map { identifier(of: $0) })
  }
}
