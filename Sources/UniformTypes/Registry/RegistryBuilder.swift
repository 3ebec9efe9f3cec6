/// Collects declarations layer by layer and turns them into a `RegistryStorage`.
///
/// The built-in table comes first, so that its positions are the same in every registry. The order
/// of the other layers decides positions only: authority is in `TagRecord.source`.
struct RegistryBuilder {
  /// The arrays a storage is made of.
  struct Parts {
    var pool: TextPool
    var types: [TypeRecord] = []
    var parentPool: [TypeIndex] = []
    var ancestorPool: [TypeIndex] = []
    var tags: [TagRecord] = []
    var identifierIndex = TextIndex(minimumCapacity: 2048)
    var tagIndexes: [TextIndex] = []
  }

  private(set) var parts: Parts
  private(set) var edges: [(child: TypeIndex, parent: Text)] = []
  private(set) var diagnostics: [TypeDiagnostic] = []

  /// The most types one registry holds; further declarations are refused.
  static let maximumTypeCount = 60_000

  init(pool: TextPool) {
    parts = Parts(pool: pool)
    parts.types.reserveCapacity(2048)
    parts.tags.reserveCapacity(4096)
    edges.reserveCapacity(2048)
  }

  // MARK: - Adding

  /// Keeps some bytes that declarations refer to.
  mutating func intern(_ bytes: some Sequence<UInt8>) -> Text {
    parts.pool.append(bytes)
  }

  mutating func report(_ diagnostic: TypeDiagnostic) {
    diagnostics.append(diagnostic)
  }

  func index(of identifier: String) -> TypeIndex? {
    parts.identifierIndex.value(for: identifier, in: parts.pool).map { TypeIndex(Int($0)) }
  }

  /// Adds a type. The identifier must be new.
  mutating func add(_ record: TypeRecord) -> TypeIndex? {
    guard parts.types.count < Self.maximumTypeCount else { return nil }
    let index = TypeIndex(parts.types.count)
    parts.types.append(record)
    parts.identifierIndex.set(UInt32(index.position), for: record.identifier, in: parts.pool)
    return index
  }

  mutating func addParent(_ parent: Text, to child: TypeIndex) {
    edges.append((child, parent))
  }

  mutating func addTag(
    _ text: Text, kind: TagKind, to type: TypeIndex, source: TypeSource, rank: UInt8 = 1
  ) {
    parts.tags.append(
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
      let identifier = parts.pool.append(declaration.identifier)
      var record = TypeRecord(identifier: identifier, source: declaration.source)
      record.description = parts.pool.append(declaration.description ?? "")
      record.reference = parts.pool.append(declaration.referenceURL ?? "")
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
      addParent(parts.pool.append(parent), to: index)
    }
    for tag in declaration.tags {
      addTag(
        parts.pool.append(tag.text), kind: tag.kind, to: index, source: declaration.source,
        rank: tag.rank)
    }
  }

  private mutating func merge(_ declaration: TypeDeclaration, into index: TypeIndex) {
    let isStronger = declaration.source < parts.types[index.position].source
    if let description = declaration.description,
      isStronger || parts.types[index.position].description.isEmpty
    {
      parts.types[index.position].description = parts.pool.append(description)
    }
    if let reference = declaration.referenceURL,
      isStronger || parts.types[index.position].reference.isEmpty
    {
      parts.types[index.position].reference = parts.pool.append(reference)
    }
    if let version = declaration.version.flatMap(Int32.init(exactly:)), isStronger {
      parts.types[index.position].version = version
    }
    if isStronger {
      // A built-in type stays one, whoever adds tags to it: its number is built in as well.
      if parts.types[index.position].source != .builtIn {
        parts.types[index.position].source = declaration.source
      }
      // What the user declares is a package needs no proof by structure.
      if declaration.isPackage
        || declaration.tags.contains(where: { $0.kind == .filenameExtension })
      {
        parts.types[index.position].evidence = .empty
      }
    }
    if declaration.isPackage { parts.types[index.position].traits.insert(.package) }
  }

  // MARK: - Finishing

  consuming func finish(_ extraDiagnostics: [TypeDiagnostic] = []) -> RegistryStorage {
    resolveParents()
    closeConformance()
    groupTags()
    indexTags()
    let pool = parts.pool
    let identifiers = parts.identifierIndex
    let wellKnown = WellKnownIndexes { name in
      identifiers.value(for: name, in: pool).map { TypeIndex(Int($0)) }
    }
    let nameTable = NameTable(NameTableBuilder.content(of: parts, wellKnown: wellKnown))
    return RegistryStorage(
      parts: parts, nameTable: nameTable, wellKnown: wellKnown,
      diagnostics: diagnostics + extraDiagnostics)
  }

  /// Turns parent identifiers into positions; an identifier nobody declares is left out.
  private mutating func resolveParents() {
    var counts = [UInt32](repeating: 0, count: parts.types.count)
    var resolved: [(child: TypeIndex, parent: TypeIndex)] = []
    resolved.reserveCapacity(edges.count)
    for edge in edges {
      guard let value = parts.identifierIndex.value(for: edge.parent, in: parts.pool) else {
        continue
      }
      resolved.append((edge.child, TypeIndex(Int(value))))
      counts[edge.child.position] += 1
    }
    var start: UInt32 = 0
    for position in parts.types.indices {
      parts.types[position].parents = Run(start: start, count: 0)
      start += counts[position]
    }
    parts.parentPool = Array(repeating: .none, count: resolved.count)
    for (child, parent) in resolved {
      let run = parts.types[child.position].parents
      guard !parts.parentPool[run.range].contains(parent), child != parent else { continue }
      parts.parentPool[run.range.upperBound] = parent
      parts.types[child.position].parents.count += 1
    }
  }

  private mutating func closeConformance() {
    var closure = ConformanceClosure(types: parts.types, parentPool: parts.parentPool)
    closure.run()
    parts.ancestorPool = closure.pool
    let item = ["com.apple.package", "com.apple.bundle", "public.directory", "public.data"]
      .map { index(of: $0) ?? .none }
    let executable = index(of: "public.executable") ?? .none
    for position in parts.types.indices {
      parts.types[position].ancestors = closure.runs[position]
      let ancestors = parts.ancestorPool[closure.runs[position].range]
      func isA(_ other: TypeIndex) -> Bool {
        other.position == position || ancestors.contains(other)
      }
      var traits = parts.types[position].traits
      if isA(item[0]) { traits.insert(.package) }
      if isA(item[1]) { traits.insert(.bundle) }
      if isA(executable) { traits.insert(.executable) }
      if isA(item[2]) || traits.contains(.package) { traits.insert(.directory) }
      if isA(item[3]) || !traits.contains(.directory) { traits.insert(.file) }
      parts.types[position].traits = traits
    }
  }

  /// Sorts the tags by type, keeping for each type the strongest declaration first.
  private mutating func groupTags() {
    var starts = [UInt32](repeating: 0, count: parts.types.count + 1)
    for tag in parts.tags { starts[tag.type.position + 1] += 1 }
    for position in parts.types.indices { starts[position + 1] += starts[position] }
    var cursor = starts
    let placeholder = TagRecord(
      text: .empty, type: .none, tagClass: .name, source: .dynamic, rank: 0)
    var sorted = [TagRecord](repeating: placeholder, count: parts.tags.count)
    for source in TypeSource.allCases {
      for tag in parts.tags where tag.source == source {
        sorted[Int(cursor[tag.type.position])] = tag
        cursor[tag.type.position] += 1
      }
    }
    parts.tags = sorted
    for position in parts.types.indices {
      let start = starts[position]
      parts.types[position].tags = Run(start: start, count: starts[position + 1] - start)
    }
  }

  /// Links the tag records of equal class and text, the preferred one first.
  private mutating func indexTags() {
    var counts = [Int](repeating: 0, count: TagKind.allCases.count)
    for tag in parts.tags { counts[Int(tag.tagClass.rawValue)] += 1 }
    parts.tagIndexes = counts.map { TextIndex(minimumCapacity: $0) }
    for position in parts.tags.indices {
      let tag = parts.tags[position]
      let kind = Int(tag.tagClass.rawValue)
      let first = parts.tagIndexes[kind].insert(
        UInt32(position), for: tag.text, in: parts.pool)
      if let first {
        insert(position, intoChainFrom: Int(first), kind: kind)
      } else {
        parts.tags[position].isFirst = true
      }
    }
  }

  private mutating func insert(_ position: Int, intoChainFrom first: Int, kind: Int) {
    let tag = parts.tags[position]
    // The same type may say a tag twice, in two layers: its stronger record came first.
    var previous = -1
    var current = first
    var place: Int? = nil
    while current >= 0 {
      if parts.tags[current].type == tag.type { return }
      if place == nil, tag.priority < parts.tags[current].priority { place = previous }
      previous = current
      current = Int(parts.tags[current].next)
    }
    let after = place ?? previous
    if after < 0 {
      parts.tags[position].next = Int32(first)
      parts.tags[position].isFirst = true
      parts.tags[first].isFirst = false
      parts.tagIndexes[kind].set(UInt32(position), for: tag.text, in: parts.pool)
    } else {
      parts.tags[position].next = parts.tags[after].next
      parts.tags[after].next = Int32(position)
    }
  }
}
