internal import CTypeData

/// Reads the built-in table: lines of tab-separated cells, lists separated by commas.
///
/// The whole table becomes the start of the text pool and cells are places in it, so reading makes
/// no string at all. Columns: number, identifier, supertypes, extensions, MIME types, literal
/// names, patterns, flags, evidence, description, version, reference, source. A tag may end in `^`
/// and a digit: its preference among the types that share it, 1 when nothing is written.
struct TypeTableParser {
  private enum Column: Int {
    case number, identifier, supertypes, extensions, mimeTypes, names, patterns, flags, evidence
    case description, version, reference
  }

  private var builder: RegistryBuilder

  /// Reads the table compiled into the library.
  static func builtIn() -> RegistryBuilder {
    let bytes = UnsafeBufferPointer(
      start: ctypedata_table_bytes(), count: ctypedata_table_length())
    return parse(bytes)
  }

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> RegistryBuilder {
    var pool = TextPool()
    _ = pool.append(bytes)
    var parser = TypeTableParser(builder: RegistryBuilder(pool: pool))
    // One pass over the bytes: a tab ends a cell, a line feed ends a row.
    var cells: [Text] = []
    cells.reserveCapacity(16)
    var start = 0
    var position = 0
    var isComment = bytes.first == UInt8(ascii: "#")
    while position < bytes.count {
      let byte = bytes[position]
      if byte == 0x09 || byte == 0x0A {
        cells.append(Text(offset: UInt32(start), count: UInt32(position - start)))
        start = position + 1
        if byte == 0x0A {
          if !isComment { parser.addRow(cells, bytes) }
          cells.removeAll(keepingCapacity: true)
          isComment = start < bytes.count && bytes[start] == UInt8(ascii: "#")
        }
      }
      position += 1
    }
    if start < position, !isComment {
      cells.append(Text(offset: UInt32(start), count: UInt32(position - start)))
      parser.addRow(cells, bytes)
    }
    return parser.builder
  }

  private mutating func addRow(_ cells: [Text], _ bytes: UnsafeBufferPointer<UInt8>) {
    guard cells.count > Column.reference.rawValue else { return }
    func cell(_ column: Column) -> Text { cells[column.rawValue] }

    var record = TypeRecord(identifier: cell(.identifier), source: .builtIn)
    record.stableID = Self.number(cell(.number), bytes) ?? 0
    record.description = cell(.description)
    record.reference = cell(.reference)
    record.evidence = cell(.evidence)
    record.version = Self.number(cell(.version), bytes) ?? -1
    Self.forEachItem(cell(.flags), bytes) { item in
      switch bytes[Int(item.offset)] {
      case UInt8(ascii: "a"): record.traits.insert(.abstract)
      case UInt8(ascii: "p"): record.traits.insert(.package)
      default: break
      }
    }
    guard let index = builder.add(record) else { return }
    Self.forEachItem(cell(.supertypes), bytes) { builder.addParent($0, to: index) }
    addTags(cell(.extensions), .filenameExtension, to: index, bytes)
    addTags(cell(.mimeTypes), .mimeType, to: index, bytes)
    addTags(cell(.names), .name, to: index, bytes)
    addTags(cell(.patterns), .pattern, to: index, bytes)
  }

  private mutating func addTags(
    _ cell: Text, _ kind: TagKind, to index: TypeIndex, _ bytes: UnsafeBufferPointer<UInt8>
  ) {
    Self.forEachItem(cell, bytes) { item in
      let (text, rank) = Self.ranked(item, bytes)
      builder.addTag(text, kind: kind, to: index, source: .builtIn, rank: rank)
    }
  }

  /// Calls the closure with each item of a list separated by commas.
  @inline(__always)
  private static func forEachItem(
    _ cell: Text, _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Text) -> Void
  ) {
    guard cell.count > 0 else { return }
    var start = cell.offset
    let end = cell.offset + cell.count
    for position in cell.offset..<end where bytes[Int(position)] == UInt8(ascii: ",") {
      body(Text(offset: start, count: position - start))
      start = position + 1
    }
    body(Text(offset: start, count: end - start))
  }

  private static func ranked(
    _ item: Text, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (Text, UInt8) {
    let end = Int(item.offset + item.count)
    guard item.count > 2, bytes[end - 2] == UInt8(ascii: "^") else { return (item, 1) }
    let rank = bytes[end - 1] &- UInt8(ascii: "0")
    return (Text(offset: item.offset, count: item.count - 2), rank)
  }

  private static func number(_ cell: Text, _ bytes: UnsafeBufferPointer<UInt8>) -> Int32? {
    guard cell.count > 0, cell.count < 9 else { return nil }
    var value: Int32 = 0
    for position in Int(cell.offset)..<Int(cell.offset + cell.count) {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int32(digit)
    }
    return value
  }
}
