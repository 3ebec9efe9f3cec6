// A curve over time: what a directory held after each scan, until the next.
import { draw, make } from "./dom.js";
import { date, day } from "./format.js";

/// Numbers for the lines behind a curve: few, round, and around what is shown.
function ticks(low, high, wanted, base) {
  const span = Math.max(high - low, 1);
  let unit = 1;
  while (unit * base <= span) unit *= base;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].map((factor) => (factor * unit) / 100)
    .find((each) => span / each <= wanted) ?? unit;
  const first = Math.floor(low / step) * step;
  const list = [];
  for (let value = first; value < high + step; value += step) list.push(value);
  return list;
}

/// A figure of points `{ at, value }`.
///
/// - text: how a value is written.
/// - base: 1024 for bytes, 1000 for counts.
/// - size: `large` has axes and tells the point under the pointer or the keys, `small` is the curve alone.
export function curve(points, { width, height, text, base, label, size }) {
  const isLarge = size === "large";
  const left = isLarge ? 64 : 2, right = isLarge ? 20 : 2, above = isLarge ? 14 : 4, below = isLarge ? 30 : 4;
  const inner = Math.max(10, width - left - right), tall = height - above - below;
  const values = points.map((point) => point.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // A curve that hardly moves is not drawn as if it moved much.
  const lines = ticks(low - (high - low) * 0.1, Math.max(high, low + 1), isLarge ? 5 : 2, base).filter((each) => each >= 0);
  const floor = isLarge ? lines[0] : Math.max(0, low - (high - low) * 0.15 - 1), ceiling = isLarge ? lines[lines.length - 1] : high + 1;
  const first = points[0].at, last = Math.max(points[points.length - 1].at, first + 1);
  const x = (at) => left + ((at - first) / (last - first)) * inner;
  const y = (value) => above + tall - ((value - floor) / Math.max(1, ceiling - floor)) * tall;

  let path = "";
  points.forEach((point, index) => {
    path += index === 0 ? `M${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`
      : `H${x(point.at).toFixed(1)}V${y(point.value).toFixed(1)}`;
  });
  const drawing = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "curve", ...(isLarge ? {} : { preserveAspectRatio: "none", "aria-hidden": "true" }) });
  if (isLarge) {
    for (const value of lines) {
      drawing.append(draw("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "line" }),
        draw("text", { x: left - 10, y: y(value) + 4, class: "y" }, text(value)));
    }
    const count = Math.max(2, Math.min(6, Math.floor(inner / 130)));
    for (let index = 0; index < count; index += 1) {
      const at = first + ((last - first) * index) / (count - 1);
      const anchor = index === 0 ? "start" : index === count - 1 ? "end" : "middle";
      drawing.append(draw("text", { x: x(at), y: height - 8, class: `x ${anchor}` }, day(at)));
    }
  }
  drawing.append(draw("path", { d: `${path}V${y(floor)}H${x(first)}Z`, class: "area" }), draw("path", { d: path, class: "stroke", "vector-effect": "non-scaling-stroke" }));
  if (!isLarge) return drawing;
  return withReading(drawing, points, { x, y, text, top: above, bottom: above + tall, label });
}

/// Tells the point that is nearest to the pointer; the arrow keys go from point to point.
function withReading(drawing, points, { x, y, text, top, bottom, label }) {
  const line = draw("line", { y1: top, y2: bottom, class: "reading" }), dot = draw("circle", { r: 4, class: "dot" });
  const word = make("output", { class: "reading" });
  let current = points.length - 1;
  const tell = (index) => {
    current = index;
    const point = points[index];
    line.setAttribute("x1", x(point.at));
    line.setAttribute("x2", x(point.at));
    dot.setAttribute("cx", x(point.at));
    dot.setAttribute("cy", y(point.value));
    word.replaceChildren(make("b", {}, text(point.value)), " ", date(point.at));
  };
  drawing.append(line, dot);
  const box = make("div", { class: "plot", tabindex: "0", role: "slider", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": points.length - 1 }, drawing, word);
  drawing.setAttribute("aria-hidden", "true");
  const set = (index) => {
    tell(Math.max(0, Math.min(index, points.length - 1)));
    box.setAttribute("aria-valuenow", current);
    box.setAttribute("aria-valuetext", word.textContent);
  };
  box.addEventListener("pointermove", (event) => {
    const place = event.clientX - drawing.getBoundingClientRect().left;
    let nearest = 0;
    points.forEach((point, index) => { if (Math.abs(x(point.at) - place) < Math.abs(x(points[nearest].at) - place)) nearest = index; });
    set(nearest);
  });
  box.addEventListener("pointerleave", () => set(points.length - 1));
  box.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, ArrowUp: current + 1, ArrowDown: current - 1, Home: 0, End: points.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    set(to);
  });
  set(current);
  return box;
}
