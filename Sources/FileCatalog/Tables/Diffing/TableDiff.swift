/// What turns one list of rows into the next, by index.
///
/// Indexes of ``deletions`` and ``updates``, and where moves come from, count in the old list;
/// indexes of ``insertions``, and where moves go to, count in the new one. To apply a diff, take the
/// deletions and the sources of moves out of the old list, from the highest down, and then put the
/// insertions and the moved rows at their places, from the lowest up: what stands between has kept
/// its order.
///
/// ```swift
/// let diff = TableDiff(from: before, to: after, shape: .batch)
/// list.performBatchUpdates(diff)
/// ```
///
/// Moves are as few as can be: rows that keep their order among each other never move, and these are
/// as many as possible. A row that only stands elsewhere because others came or went has not moved.
public struct TableDiff: Sendable, Hashable {
  /// How a row is told that is the same row with other values.
  public enum Shape: Sendable, Hashable, CaseIterable {
    /// As an update of the old index; if it stands elsewhere among the others, also as a move.
    case full
    /// As a deletion of the old index and an insertion at the new one. No index is then named twice,
    /// which is what collection views want of a batch.
    case batch
  }

  /// A row that changed its place.
  public struct Move: Sendable, Hashable {
    /// Where it was in the old list.
    public let from: Int
    /// Where it is in the new list.
    public let to: Int

    /// Makes a move.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// How updates are told.
  public let shape: Shape
  /// Rows that are gone, by old index; ascending.
  public let deletions: [Int]
  /// Rows that are new, by new index; ascending.
  public let insertions: [Int]
  /// Rows with other values, by old index; ascending. Empty in the shape ``Shape/batch``.
  public let updates: [Int]
  /// Rows that changed their place among the others; ascending by where they went.
  public let moves: [Move]

  /// Makes a diff from its parts, which must be ascending as described.
  public init(
    shape: Shape = .full, deletions: [Int] = [], insertions: [Int] = [], updates: [Int] = [],
    moves: [Move] = []
  ) {
    self.shape = shape
    self.deletions = deletions
    self.insertions = insertions
    self.updates = updates
    self.moves = moves
  }

  /// Whether both lists are the same.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && updates.isEmpty && moves.isEmpty
  }

  /// How many changes there are; one for each index named, and one for each move.
  public var changeCount: Int {
    deletions.count + insertions.count + updates.count + moves.count
  }
}

extension TableDiff {
  /// The new list, made from the old one and the rows that the diff names.
  ///
  /// - Parameters:
  ///   - old: the list that the diff starts from.
  ///   - row: the row at an index of the new list; asked for insertions only, and for rows of which
  ///     the diff has an update.
  /// - Complexity: linear.
  public func applied<Row>(to old: [Row], row: (_ newIndex: Int) throws -> Row) rethrows -> [Row] {
    var isTaken = [Bool](repeating: false, count: old.count)
    for index in deletions { isTaken[index] = true }
    for move in moves { isTaken[move.from] = true }
    var isUpdated = [Bool](repeating: false, count: old.count)
    for index in updates { isUpdated[index] = true }

    let count = old.count - deletions.count + insertions.count
    var new: [Row] = []
    new.reserveCapacity(count)
    var rest = old.indices.lazy.filter { !isTaken[$0] }.makeIterator()
    var arrivals = insertions[...]
    var moved = moves[...]
    while new.count < count {
      if arrivals.first == new.count {
        arrivals.removeFirst()
        new.append(try row(new.count))
      } else {
        let source: Int?
        if let move = moved.first, move.to == new.count {
          moved.removeFirst()
          source = move.from
        } else {
          source = rest.next()
        }
        guard let source else { break }
        new.append(isUpdated[source] ? try row(new.count) : old[source])
      }
    }
    return new
  }
}
