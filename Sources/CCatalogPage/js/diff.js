// Where rows go when a table turns into its next state: a diff by index, as the server tells it. Deletions, updates and
// the sources of moves count in the old table; insertions and the targets of moves in the new one.

/// Ascending ranges of indexes, which can be counted.
class Ranges {
  #ranges;
  #before = [];

  constructor(ranges) {
    this.#ranges = ranges;
    let sum = 0;
    for (const [first, last] of ranges) {
      this.#before.push(sum);
      sum += last - first + 1;
    }
    this.count = sum;
  }

  /// How many indexes lie below one.
  below(index) {
    const at = this.#search(index);
    if (at < 0) return 0;
    const [first, last] = this.#ranges[at];
    return this.#before[at] + Math.min(index - first, last - first + 1);
  }

  has(index) {
    const at = this.#search(index);
    return at >= 0 && index <= this.#ranges[at][1];
  }

  /// The index at which so many others stand that are in no range.
  free(rank) {
    // The last range before which at most so many are free.
    let low = 0, high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ranges[middle][0] - this.#before[middle] <= rank) low = middle + 1; else high = middle;
    }
    if (low === 0) return rank;
    const [first, last] = this.#ranges[low - 1];
    return rank + this.#before[low - 1] + last - first + 1;
  }

  * indexes() {
    for (const [first, last] of this.#ranges) for (let index = first; index <= last; index += 1) yield index;
  }

  /// The last range that begins at or before an index.
  #search(index) {
    let low = 0, high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ranges[middle][0] <= index) low = middle + 1; else high = middle;
    }
    return low - 1;
  }
}

const single = (indexes) => indexes.sort((a, b) => a - b).map((index) => [index, index]);

/// Ranges of two lists that name no index twice, as one.
const merged = (a, b) => [...a, ...b].sort((one, other) => one[0] - other[0]);

export class Diff {
  #moves;
  #targets;
  #taken;
  #filled;

  constructor({ deletions, insertions, updates, moves, count }) {
    this.count = count;
    this.deletions = new Ranges(deletions);
    this.insertions = new Ranges(insertions);
    this.updates = new Ranges(updates);
    this.#moves = new Map(moves);
    this.#targets = new Set(this.#moves.values());
    this.#taken = new Ranges(merged(deletions, single(moves.map(([from]) => from))));
    this.#filled = new Ranges(merged(insertions, single(moves.map(([, to]) => to))));
  }

  /// Whether the row at a new index stands elsewhere among the others than before.
  hasMoved(index) { return this.#targets.has(index); }

  get moveCount() { return this.#moves.size; }

  /// The new index of a row; null if it is gone.
  map(index) {
    if (this.#moves.has(index)) return this.#moves.get(index);
    if (this.deletions.has(index)) return null;
    return this.#filled.free(index - this.#taken.below(index));
  }
}
