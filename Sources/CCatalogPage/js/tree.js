// Directories as a tree, of the rows that `/totals` answers with.
import { t } from "./texts.js";
import { placeOf } from "./place.js";

/// What can be measured: the sum over everything in a directory, and what lies in it directly.
export const measures = {
  allocated: { total: "total_allocated", own: "allocated" },
  size: { total: "total_size", own: "size" },
  files: { total: "total_files", own: "files" },
};

/// The tree below a place; `rows` have parents before children. Without a place the roots hang below one that is all
/// of them.
export function treeOf(rows, place) {
  const all = new Map();
  let top = null;
  if (!place) {
    top = { name: t("roots.all"), place: null, row: null, children: [], parent: null };
    top.values = {};
  }
  for (const row of rows) {
    // What was asked for twice, to different depths, is there once.
    if (all.has(row.path)) continue;
    const node = { name: row.name, place: placeOf(row), row, children: [], parent: null, values: {} };
    for (const [key, { total }] of Object.entries(measures)) node.values[key] = row[total] ?? 0;
    all.set(row.path, node);
    const parent = parentIn(all, row) ?? top;
    if (parent) {
      node.parent = parent;
      parent.children.push(node);
      if (!place && parent === top) node.name = row.path;
    } else {
      top = node;
    }
  }
  if (!place) {
    for (const key of Object.keys(measures)) top.values[key] = top.children.reduce((sum, child) => sum + child.values[key], 0);
  }
  return top;
}

function parentIn(all, row) {
  const cut = row.path.lastIndexOf("/");
  return row.path === "/" ? undefined : all.get(row.path.slice(0, Math.max(1, cut)));
}

/// The children that count, the largest first.
export const ranked = (node, measure) =>
  node.children.filter((child) => child.values[measure] > 0).sort((a, b) => b.values[measure] - a.values[measure]);

/// Whether there is something to zoom into.
export const isInner = (node) => node.children.length > 0 || (node.row?.total_directories ?? 0) > 0;

/// The parts of a directory, as a treemap wants them. What is in none of its children is its own files, and what the
/// server has not listed.
export function partsOf(node, measure) {
  const children = ranked(node, measure), valueOf = (each) => each.values[measure];
  const rest = Math.max(0, valueOf(node) - children.reduce((sum, child) => sum + valueOf(child), 0));
  const count = Math.max(0, (node.row?.directories ?? 0) - node.children.length);
  const own = count > 0 ? Math.min(rest, node.row?.[measures[measure].own] ?? 0) : rest;
  return { children, valueOf, own, unlisted: { count, value: rest - own } };
}

/// Which colour stands for a directory: the largest have one each, and what is in them has a shade of it.
export function paint(top, measure) {
  ranked(top, measure).forEach((child, index) => tint(child, index < 9 ? index : 9));
}
function tint(node, hue) {
  node.hue = hue;
  for (const child of node.children) tint(child, hue);
}
