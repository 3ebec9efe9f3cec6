// A table of the server: its rows by index, fetched as they are looked at, and kept up to date by its diffs. However long
// the table is, only the rows around those that are looked at are kept.
import { Feed, Problem, address, ask, connection, isAbort, tell } from "./api.js";
import { Diff } from "./diff.js";

/// How many rows beyond those that are looked at are fetched in advance, and how many are kept.
const ahead = 80, kept = 400;
const largest = 500;

/// Says `opened`, `rows` (some have come), `diff` (with the diff), `state` (the catalog has changed), `live`, `failed`.
export class Rows extends EventTarget {
  count = 0;

  #specification = null;
  #id = null;
  #generation = 0;
  #rows = new Map();
  #first = 0;
  #last = -1;
  #fetching = null;
  #opening = null;
  #feed = new Feed(() => this.#send("live"));
  /// The last generation that was told of while another table was being asked for.
  #missed = 0;

  constructor() {
    super();
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => { if (event.persisted) this.#reopen(); });
    // A page that nobody sees takes none of the few connections that a browser has for a server.
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#feed.close(); else this.#catchUp();
    });
    connection.addEventListener("lost", () => this.#feed.close());
    connection.addEventListener("back", () => this.#catchUp());
  }

  get isLive() { return this.#feed.isLive; }

  /// The row at an index, if it is here. One that is `stale` may have other values by now.
  at(index) { return this.#rows.get(index); }

  /// Opens a table, or makes the open one show something else: `{ q, in, sort, columns }`.
  async open(specification) {
    this.#specification = specification;
    this.#opening?.abort();
    const opening = this.#opening = new AbortController();
    const { signal } = opening;
    try {
      const table = await this.#ask(specification, signal);
      signal.throwIfAborted();
      this.#id = table.id;
      this.#take(table);
      this.#send("opened");
      this.#follow();
      return true;
    } catch (error) {
      if (!isAbort(error)) this.#fail(error);
      return false;
    } finally {
      if (this.#opening === opening) {
        this.#opening = null;
        // What was told meanwhile may have been of the table as it is now.
        if (this.#missed > this.#generation) this.#catchUp(); else this.#fetch();
        this.#missed = 0;
      }
    }
  }

  async #ask(specification, signal) {
    const body = requestOf(specification);
    if (this.#id !== null) {
      try {
        return await ask(`tables/${this.#id}`, [], { method: "PATCH", body, signal });
      } catch (error) {
        if (!isGone(error)) throw error;
        this.#id = null;
        this.#feed.close();
      }
    }
    return ask("tables", [], { method: "POST", body, signal });
  }

  #take({ count, generation }) {
    this.count = count;
    this.#generation = generation;
    for (const [index, row] of this.#rows) {
      if (index < count) row.stale = true; else this.#rows.delete(index);
    }
    this.#fetching?.abort();
    this.#fetching = null;
  }

  /// No table is wanted any more.
  close() {
    this.#specification = null;
    this.#opening?.abort();
    this.#close();
  }

  #close() {
    this.#feed.close();
    this.#fetching?.abort();
    if (this.#id !== null) tell(`tables/${this.#id}`, "DELETE");
    this.#id = null;
    this.#rows.clear();
  }

  async #reopen() {
    this.#id = null;
    this.#feed.close();
    if (this.#specification) await this.open(this.#specification);
  }

  /// Where an entry stands; null if it is not in the table.
  async find(pair, signal) {
    if (this.#id === null) return null;
    const { index } = await ask(`tables/${this.#id}/find`, [pair], { signal });
    return index;
  }

  // Rows ------------------------------------------------------------------------------------------

  /// Says which rows are looked at.
  want(first, last) {
    this.#first = first;
    this.#last = Math.min(last, this.count - 1);
    const fetching = this.#fetching;
    // What was asked for where nobody looks any more is not waited for.
    if (fetching && (fetching.to < this.#first || fetching.from > this.#last) && this.#isMissing(first, last)) {
      fetching.abort();
      this.#fetching = null;
    }
    this.#fetch();
  }

  get isComplete() { return this.#id !== null && !this.#isMissing(this.#first, this.#last); }

  #isMissing(first, last) {
    for (let index = first; index <= last; index += 1) {
      const row = this.#rows.get(index);
      if (!row || row.stale) return true;
    }
    return false;
  }

  /// The next rows to fetch: what is looked at before what stands beside it.
  #missing() {
    const end = Math.min(this.count - 1, this.#last + ahead), start = Math.max(0, this.#first - ahead);
    const isHere = (index) => this.#rows.get(index)?.stale === false;
    for (const [first, last, limit] of [[this.#first, this.#last, this.#last], [this.#last + 1, end, end], [start, this.#first - 1, this.#first - 1]]) {
      let from = first;
      while (from <= last && isHere(from)) from += 1;
      if (from > last) continue;
      let to = limit;
      while (to > from && isHere(to)) to -= 1;
      return [from, Math.min(to, from + largest - 1)];
    }
    return null;
  }

  async #fetch() {
    if (this.#fetching || this.#id === null || this.#opening) return;
    const range = this.#missing();
    if (!range) return;
    const [from, to] = range;
    const fetching = this.#fetching = Object.assign(new AbortController(), { from, to });
    const generation = this.#generation;
    try {
      const answer = await ask(`tables/${this.#id}/rows`,
        [["from", from], ["count", to - from + 1], ["generation", generation]], { signal: fetching.signal });
      if (this.#fetching !== fetching) return;
      this.#fetching = null;
      if (generation === this.#generation) {
        answer.rows.forEach((row, index) => {
          row.stale = false;
          this.#rows.set(from + index, row);
        });
        // A server that has fewer rows than it said is not asked for them again and again.
        if (answer.rows.length === 0) return;
        this.#trim();
        this.#send("rows", { from, to });
      }
      this.#fetch();
    } catch (error) {
      if (this.#fetching === fetching) this.#fetching = null;
      if (isAbort(error)) return;
      if (error instanceof Problem && error.status === 409) return this.#awaitNews(generation);
      if (isGone(error)) return this.#reopen();
      this.#fail(error);
    }
  }

  /// The table has changed, and its listeners are being told what: that shows more than to read it again.
  async #awaitNews(generation) {
    await new Promise((resume) => setTimeout(resume, 300));
    if (this.#generation === generation) this.#catchUp(); else this.#fetch();
  }

  #trim() {
    for (const index of this.#rows.keys()) {
      if (index < this.#first - kept || index > this.#last + kept) this.#rows.delete(index);
    }
  }

  // Changes ---------------------------------------------------------------------------------------

  #follow() {
    if (this.#feed.isOpen || this.#id === null || document.hidden || connection.isLost) return;
    this.#feed.open(address(`tables/${this.#id}/events`, [["shape", "full"]]), {
      diff: (diff) => this.#apply(diff),
      reset: (table) => {
        if (table.generation <= this.#generation) return;
        if (this.#opening) { this.#missed = table.generation; return; }
        this.#take(table);
        this.#send("opened");
      },
      state: (state) => this.#send("state", { state }),
    }, () => setTimeout(() => this.#catchUp(), 1000));
  }

  #apply(message) {
    if (message.generation <= this.#generation) return;
    if (this.#opening) { this.#missed = message.generation; return; }
    if (message.from_generation !== this.#generation) return this.#catchUp();
    const diff = new Diff(message);
    const rows = new Map();
    for (const [index, row] of this.#rows) {
      const to = diff.map(index);
      if (to === null) continue;
      if (diff.updates.has(index)) row.stale = true;
      rows.set(to, row);
    }
    this.#rows = rows;
    this.#generation = message.generation;
    this.count = message.count;
    this.#fetching?.abort();
    this.#fetching = null;
    this.#send("diff", { diff });
  }

  /// Learns where the table stands after it may have changed unseen.
  async #catchUp() {
    if (!this.#specification || this.#opening) return;
    if (this.#id === null) return this.#reopen();
    const id = this.#id;
    try {
      const table = await ask(`tables/${id}`);
      if (this.#id !== id) return;
      if (table.generation !== this.#generation || table.count !== this.count) {
        this.#take(table);
        this.#send("opened");
      } else {
        this.#fetch();
      }
      this.#follow();
    } catch (error) {
      if (isGone(error)) this.#reopen();
      else if (!isAbort(error)) this.#fail(error);
    }
  }

  #fail(error) { this.#send("failed", { error }); }

  #send(name, values = {}) { this.dispatchEvent(Object.assign(new Event(name), values)); }
}

const isGone = (error) => error instanceof Problem && (error.status === 404 || error.status === 410);

/// Places are in a request as the server wants them: as text, or as bytes.
function requestOf({ q, in: places, sort, columns }) {
  const odd = places.filter((place) => place.startsWith("b64:")).map((place) => place.slice(4));
  const body = { q, in: places.filter((place) => !place.startsWith("b64:")), sort, columns };
  return odd.length > 0 ? { ...body, in_base64: odd } : body;
}
