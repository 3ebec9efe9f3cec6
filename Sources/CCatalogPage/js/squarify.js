// Squarified treemaps, after Bruls, Huizing and van Wijk (2000): rows of areas that are as square as can be, laid along
// the shorter side. The page of reports has this file within its script.

/// How much of the area is for an item.
export const drawn = (item) => item.drawn ?? item.value;

/// The places of items, the largest first: `{ item, x, y, w, h }`.
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
