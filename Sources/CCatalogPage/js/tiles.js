// Tiles that fill a rectangle: where they lie, and which is beside which. The page of reports has this file within its
// script.

/// How much of the area is for an item.
export const drawn = (item) => item.drawn ?? item.value;

/// The places of items, the largest first: `{ item, x, y, w, h }`.
///
/// Squarified treemaps, after Bruls, Huizing and van Wijk (2000): rows of areas that are as square as can be, laid along
/// the shorter side.
export function squarify(items, width, height) {
  const places = [];
  let x = 0, y = 0, start = 0, total = items.reduce((sum, item) => sum + drawn(item), 0);
  while (start < items.length && width > 0.5 && height > 0.5) {
    const side = Math.min(width, height), scale = (width * height) / total;
    let end = start, sum = 0, worst = Infinity;
    while (end < items.length) {
      const next = sum + drawn(items[end]);
      const ratio = (area) => Math.max((side * side * area) / (next * next * scale), (next * next * scale) / (side * side * area));
      const would = Math.max(ratio(drawn(items[start])), ratio(drawn(items[end])));
      if (would > worst) break;
      worst = would; sum = next; end += 1;
    }
    const thickness = (sum * scale) / side;
    let offset = 0;
    for (; start < end; start += 1) {
      const length = side * (drawn(items[start]) / sum);
      places.push(width >= height ? { item: items[start], x, y: y + offset, w: thickness, h: length }
        : { item: items[start], x: x + offset, y, w: length, h: thickness });
      offset += length;
    }
    if (width >= height) { x += thickness; width -= thickness; } else { y += thickness; height -= thickness; }
    total -= sum;
  }
  return places;
}

/// The direction of a key.
export const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/// The nearest tile in a direction: one that lies beside this one before one that lies askew.
export function neighbour(tile, tiles, dx, dy) {
  const from = tile.getBoundingClientRect();
  let nearest = null, least = Infinity;
  for (const each of tiles) {
    const to = each.getBoundingClientRect();
    const ahead = dx ? dx * (to.x + to.width / 2 - from.x - from.width / 2) : dy * (to.y + to.height / 2 - from.y - from.height / 2);
    const gap = dx > 0 ? to.left - from.right : dx < 0 ? from.left - to.right : dy > 0 ? to.top - from.bottom : from.top - to.bottom;
    if (each === tile || ahead <= 0 || gap < -2) continue;
    const aside = dx ? Math.max(0, to.top - from.bottom + 1, from.top - to.bottom + 1)
      : Math.max(0, to.left - from.right + 1, from.left - to.right + 1);
    const start = dx ? Math.abs(to.top - from.top) : Math.abs(to.left - from.left);
    const distance = gap + aside * 4 + start / 100;
    if (distance < least) { least = distance; nearest = each; }
  }
  return nearest;
}
