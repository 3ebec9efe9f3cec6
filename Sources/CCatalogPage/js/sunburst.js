// Where the rings of a sunburst lie: directories around the one in the middle, each as wide as its part of it.
import { ranked } from "./tree.js";

/// The arcs around a node: `{ node, level, from, to }`, with angles as parts of the whole turn.
export function sunburst(top, measure, levels, least) {
  const arcs = [];
  const place = (node, level, from, width) => {
    if (level > levels) return;
    let at = from;
    for (const child of ranked(node, measure)) {
      const part = width * (child.values[measure] / node.values[measure]);
      if (part >= least / level) {
        arcs.push({ node: child, level, from: at, to: at + part });
        place(child, level + 1, at, part);
      }
      at += part;
    }
  };
  if (top.values[measure] > 0) place(top, 1, 0, 1);
  return arcs;
}

/// The middle of an arc, and how long it is there.
export function middle(from, to, radius) {
  const angle = ((from + to) / 2) * 2 * Math.PI - Math.PI / 2;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), length: (to - from) * 2 * Math.PI * radius };
}

/// The outline of an arc between two radii.
export function outline(from, to, inner, outer) {
  // A whole turn begins and ends at one point, which draws nothing.
  const end = Math.min(to, from + 0.9999);
  const point = (part, radius) => {
    const angle = part * 2 * Math.PI - Math.PI / 2;
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  };
  const isLarge = end - from > 0.5 ? 1 : 0;
  return `M${point(from, inner)}L${point(from, outer)}A${outer} ${outer} 0 ${isLarge} 1 ${point(end, outer)}`
    + `L${point(end, inner)}A${inner} ${inner} 0 ${isLarge} 0 ${point(from, inner)}Z`;
}
