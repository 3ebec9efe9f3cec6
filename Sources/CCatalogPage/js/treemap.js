// Where the tiles of a treemap lie.

import { drawn, squarify } from "./tiles.js";

/// Tiles for what is in a directory: `{ item, x, y, w, h }`. `parts` are its `children`, the largest first, what each is
/// worth by `valueOf`, what its `own` files are worth, and what is `unlisted`, as `{ count, value }`.
///
/// An item has a `node`, or a `count` of directories that go together, or neither: then it is the files. No tile of a node is
/// smaller than `least` on a side.
export function treemap({ children, valueOf, own, unlisted }, width, height, least) {
  const whole = children.reduce((sum, child) => sum + valueOf(child), own + unlisted.value);
  const scale = (width * height) / Math.max(1, whole);
  let kept = children.findIndex((child) => valueOf(child) * scale < least * least);
  if (kept < 0) kept = children.length;
  for (;; kept -= Math.max(1, kept >> 4)) {
    const items = children.slice(0, kept).map((node) => ({ node, value: valueOf(node) }));
    const others = children.slice(kept);
    if (others.length === 1 && unlisted.count === 0) {
      items.push({ node: others[0], value: valueOf(others[0]) });
    } else if (others.length + unlisted.count > 0) {
      items.push({ count: others.length + unlisted.count, value: others.reduce((sum, each) => sum + valueOf(each), unlisted.value) });
    }
    if (own > 0) items.push({ value: own });
    // Where nothing can go together any more, what is too small is drawn larger than it is.
    if (kept <= 1) {
      const floor = (whole * (least + 2)) / Math.max(width, height);
      for (const item of items) item.drawn = item.node ? Math.max(item.value, floor) : item.value;
    }
    items.sort((a, b) => drawn(b) - drawn(a));
    const places = squarify(items.filter((item) => drawn(item) > 0), width, height);
    const fits = (place) => !place.item.node || (place.w >= least && place.h >= least);
    if (kept <= 1 || places.every(fits)) return places;
  }
}
