import FileCatalog
import TestSupport
import TestTraits
import Testing

@Suite("Table diffs")
struct TableDiffTests {
  typealias Row = VersionedRow<Character, Int>

  /// A list written as `a1 b1 c2`: a letter is which row it is, a digit its version.
  private func rows(_ text: String) -> [Row] {
    text.split(separator: " ").map { word in
      Row(word.first ?? "?", Int(word.dropFirst()) ?? 0)
    }
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    var old: String
    var new: String
    var insertions: [Int] = []
    var deletions: [Int] = []
    var updates: [Int] = []
    var moves: [[Int]] = []
    /// In the batch shape, where it is not what follows from the above.
    var batchMoves: [[Int]]?

    var testDescription: String { "\(old) → \(new)" }
  }

  static let vectors = [
    Vector(old: "a1 b1 c1", new: "a1 b1 c1"),
    Vector(old: "", new: ""),
    Vector(old: "", new: "a1 b1", insertions: [0, 1]),
    Vector(old: "a1 b1", new: "", deletions: [0, 1]),
    Vector(old: "a1 b1 c1", new: "a1 c1", deletions: [1]),
    Vector(old: "a1 c1", new: "a1 b1 c1", insertions: [1]),
    Vector(old: "b1 c1 d1", new: "a1 b1 c1 d1", insertions: [0]),
    Vector(old: "a1 b1 c1", new: "b1 c1", deletions: [0]),
    Vector(old: "a1 b1 c1", new: "a1 b2 c1", updates: [1]),
    Vector(old: "a1 b1 c1", new: "a2 b2 c2", updates: [0, 1, 2]),
    Vector(old: "a1 b1 c1", new: "x1 y1 z1", insertions: [0, 1, 2], deletions: [0, 1, 2]),
    Vector(old: "a1 b1", new: "b1 a1", moves: [[1, 0]]),
    Vector(old: "a1 b1 c1 d1 e1", new: "e1 a1 b1 c1 d1", moves: [[4, 0]]),
    Vector(
      old: "a1 b1 c1 d1 e1", new: "e2 a1 b1 c1 d1", updates: [4], moves: [[4, 0]], batchMoves: []),
    Vector(
      old: "a1 b1 c1 d1", new: "b1 d1 x1 c1", insertions: [2], deletions: [0], moves: [[3, 1]]),
  ]

  @Test(
    "lists differ in what they differ in, by old and by new indexes",
    .feature("JB-20", "JB-34", "JB-35", "JB-36", "JB-38"), arguments: vectors)
  func vector(_ vector: Vector) {
    let old = rows(vector.old)
    let new = rows(vector.new)
    func moves(_ pairs: [[Int]]) -> [TableDiff.Move] {
      pairs.map { TableDiff.Move(from: $0[0], to: $0[1]) }
    }
    #expect(
      TableDiff(from: old, to: new)
        == TableDiff(
          shape: .full, deletions: vector.deletions, insertions: vector.insertions,
          updates: vector.updates, moves: moves(vector.moves)))

    let updated = vector.updates.compactMap { index in new.firstIndex { $0.id == old[index].id } }
    #expect(
      TableDiff(from: old, to: new, shape: .batch)
        == TableDiff(
          shape: .batch, deletions: (vector.deletions + vector.updates).sorted(),
          insertions: (vector.insertions + updated).sorted(),
          moves: moves(vector.batchMoves ?? vector.moves)))
  }

  @Test("a list that is turned round moves all rows but one")
  func reversal() {
    let old = rows("a1 b1 c1 d1")
    let diff = TableDiff(from: old, to: old.reversed())
    #expect(diff.moves.count == 3)
    #expect(diff.deletions.isEmpty && diff.insertions.isEmpty && diff.updates.isEmpty)
  }

  @Test(
    "on random edits, the diff makes the new list from the old one",
    .feature("JB-34", "JB-36", "JB-37"), arguments: UInt64(0)..<400,
    TableDiff.Shape.allCases)
  func randomEdits(_ seed: UInt64, _ shape: TableDiff.Shape) {
    var random = SeededRandom(seed: seed)
    typealias Row = VersionedRow<Int, Int>
    let old = (0..<random.below(40)).map { Row($0, 0) }.shuffled(using: &random)
    var new = old
    for _ in 0..<random.below(20) {
      switch random.below(4) {
      case 0:
        new.insert(
          Row(1000 + new.count * 31 + random.below(31), 0), at: random.below(new.count + 1))
      case 1 where !new.isEmpty: new.remove(at: random.below(new.count))
      case 2 where !new.isEmpty:
        let index = random.below(new.count)
        new[index] = Row(new[index].id, new[index].version + 1)
      default:
        guard !new.isEmpty else { continue }
        let row = new.remove(at: random.below(new.count))
        new.insert(row, at: random.below(new.count + 1))
      }
    }
    // Inserting may have come upon the same number twice: rows of a list are told apart.
    var seen: Set<Int> = []
    new = new.filter { seen.insert($0.id).inserted }

    let diff = TableDiff(from: old, to: new, shape: shape)
    #expect(diff.applied(to: old) { new[$0] } == new, "seed \(seed)")
    #expect(new.count == old.count + diff.insertions.count - diff.deletions.count)
    #expect(diff.isEmpty == (old == new))
    #expect(TableDiff(from: new, to: new, shape: shape).isEmpty)
    #expect(diff.deletions == diff.deletions.sorted() && diff.updates == diff.updates.sorted())
    #expect(diff.insertions == diff.insertions.sorted())
    #expect(diff.moves.map(\.to) == diff.moves.map(\.to).sorted())
    if shape == .batch {
      #expect(diff.updates.isEmpty)
      #expect(Set(diff.deletions).isDisjoint(with: diff.moves.map(\.from)))
      #expect(Set(diff.insertions).isDisjoint(with: diff.moves.map(\.to)))
    }
    let keptInBatch = diff.moves.count + longestCommonOrder(old, new, shape)
    let common = common(old, new, shape)
    #expect(keptInBatch == common, "as few moves as can be; seed \(seed)")
  }

  /// How many rows are in both lists and, in the batch shape, are the same.
  private func common(
    _ old: [VersionedRow<Int, Int>], _ new: [VersionedRow<Int, Int>], _ shape: TableDiff.Shape
  ) -> Int {
    new.filter { row in
      old.contains { $0.id == row.id && (shape == .full || $0.version == row.version) }
    }.count
  }

  /// The length of the longest run of common rows in the same order, by the plain quadratic table.
  private func longestCommonOrder(
    _ old: [VersionedRow<Int, Int>], _ new: [VersionedRow<Int, Int>], _ shape: TableDiff.Shape
  ) -> Int {
    var lengths = [[Int]](
      repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
    for i in old.indices {
      for j in new.indices {
        let isSame =
          old[i].id == new[j].id && (shape == .full || old[i].version == new[j].version)
        lengths[i + 1][j + 1] =
          isSame ? lengths[i][j] + 1 : max(lengths[i][j + 1], lengths[i + 1][j])
      }
    }
    return lengths[old.count][new.count]
  }

  @Test(
    "two rows with one identity break nothing", .feature("JB-38"),
    arguments: TableDiff.Shape.allCases)
  func duplicates(_ shape: TableDiff.Shape) {
    let old = rows("a1 a1 b1 a2")
    let new = rows("b1 a1 b1 a1 a1")
    #expect(TableDiff(from: old, to: new, shape: shape).applied(to: old) { new[$0] } == new)
  }
}
