// The catalog as a whole: which one it is, its roots, and when it has changed.
import { Feed, address, ask, connection, isAbort } from "./api.js";
import { here } from "./address.js";
import { parentOf, placeOf } from "./place.js";

/// Says `roots` when these are others, `changed` when a scan has changed something, `live` when that is heard or no longer.
class Catalog extends EventTarget {
  session = null;
  roots = [];
  #feed = new Feed(() => this.dispatchEvent(new Event("live")));
  #wantsEvents = false;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#feed.close(); else { this.#follow(); this.changed(); }
    });
    connection.addEventListener("lost", () => this.#feed.close());
    connection.addEventListener("back", () => { this.#follow(); this.changed(); });
  }

  #timer = 0;

  /// Told that the catalog is another. Where that happens again and again, it is looked at twice a second.
  changed() {
    if (this.#timer) return;
    this.#timer = setTimeout(async () => {
      await this.load();
      this.#timer = 0;
      this.dispatchEvent(new Event("changed"));
    }, 500);
  }

  async load() {
    try {
      const [session, { roots }] = await Promise.all([ask("session"), ask("roots")]);
      this.session = session;
      this.roots = roots;
      this.dispatchEvent(new Event("roots"));
    } catch (error) {
      if (!isAbort(error)) this.dispatchEvent(Object.assign(new Event("failed"), { error }));
    }
  }

  /// Whether changes are to be heard of here; the table of entries hears of them by itself.
  set listens(wants) {
    this.#wantsEvents = wants;
    if (wants) this.#follow(); else this.#feed.close();
  }

  #follow() {
    if (!this.#wantsEvents || this.#feed.isOpen || document.hidden || connection.isLost) return;
    this.#feed.open(address("events"), { state: () => this.changed() }, () => setTimeout(() => this.#follow(), 2000));
  }

  get isLive() { return this.#feed.isLive; }

  /// The root at a place; undefined if none is there.
  rootAt(place) { return this.roots.find((root) => placeOf(root) === place); }

  /// The directories from a root to a place, the root first.
  wayTo(place) {
    const way = [];
    for (let each = place; each; each = each === "/" ? null : parentOf(each)) {
      way.unshift(each);
      if (this.rootAt(each)) return way;
    }
    // No root is known to hold it: then it stands alone.
    return [place];
  }

  /// The directory above a place; null where that is all roots.
  above(place) {
    const way = this.wayTo(place);
    return way.length > 1 ? way[way.length - 2] : null;
  }

  get total() { return this.roots.reduce((sum, root) => sum + (root.total_allocated ?? 0), 0); }
  get totalSize() { return this.roots.reduce((sum, root) => sum + (root.total_size ?? 0), 0); }
  get lastScan() { return Math.max(0, ...this.roots.map((root) => root.last_scan_at ?? 0)); }
}

export const catalog = new Catalog();

/// The one directory that the page is about; null for all roots, or for several.
export const directory = () => (here.state.in.length === 1 ? here.state.in[0] : null);
