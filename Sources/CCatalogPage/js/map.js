// The view of what takes the room: directories as tiles or as rings, and the largest of them as a list.
import { here } from "./address.js";
import { ask, isAbort } from "./api.js";
import { catalog, directory } from "./catalog.js";
import { announce, byId, draw, make, mayMove, nameElement, setText, visible } from "./dom.js";
import { bytes, number, share } from "./format.js";
import { directoryName, drawStatus, drawTitle } from "./frame.js";
import { parameter } from "./place.js";
import { middle, outline, sunburst } from "./sunburst.js";
import { t } from "./texts.js";
import { arrows, neighbour } from "./tiles.js";
import { isInner, measures, paint, partsOf, ranked, treeOf } from "./tree.js";
import { treemap } from "./treemap.js";
import { choice, emptiness } from "./widgets.js";

const levels = 3;

export class MapView extends EventTarget {
  #view = byId("map");
  #box = make("div", { id: "chart", role: "group" });
  #list = make("div", { id: "ranking" });
  #top = null;
  #asked = "";
  #asking = null;
  #cameFrom = null;
  #from = null;

  constructor() {
    super();
    this.#view.append(make("div", { class: "split" }, this.#box, this.#list));
    this.#box.addEventListener("keydown", (event) => this.#press(event));
    this.#box.addEventListener("click", (event) => this.#click(event));
    let width = 0, height = 0;
    new ResizeObserver(() => {
      if (this.#box.clientWidth === width && this.#box.clientHeight === height) return;
      [width, height] = [this.#box.clientWidth, this.#box.clientHeight];
      if (this.#top && width > 0) this.#draw();
    }).observe(this.#box);
  }

  get #measure() { return here.state.measure in measures ? here.state.measure : "allocated"; }
  get #shape() { return here.state.shape === "sunburst" ? "sunburst" : "treemap"; }

  #text(value) { return this.#measure === "files" ? t("files", { count: value }) : bytes(value); }
  #short(value) { return this.#measure === "files" ? number(value) : bytes(value); }

  async show({ again = false } = {}) {
    drawTitle(t("map", { name: visible(directoryName()) }));
    this.#drawTools();
    const place = directory();
    // What shows a level more shows fewer directories on each.
    const isRound = this.#shape === "sunburst", isLarge = this.#view.clientWidth > 1300;
    const asked = JSON.stringify([place, isRound, isLarge]);
    if (asked === this.#asked && this.#top && !again) return this.#draw();
    this.#asking?.abort();
    const { signal } = this.#asking = new AbortController();
    try {
      const totals = (depth, limit) => ask("totals",
        [...(place ? [parameter("path", place)] : []), ["depth", depth], ["limit", limit]], { signal });
      // What is in the largest directories, and beside these many more without what is in them.
      const answers = await Promise.all([totals(isRound || isLarge ? 3 : 2, isRound ? 16 : isLarge ? 24 : 48), totals(1, 600)]);
      const rows = answers.flatMap((answer) => answer.rows);
      const before = this.#asked;
      this.#asked = asked;
      this.#top = treeOf(rows, place);
      this.#draw();
      if (before && !again) {
        this.#zoom();
        const sum = this.#top?.values[this.#measure] ?? 0;
        announce(`${directoryName()}, ${this.#text(sum)}`);
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.#asked = "";
      this.dispatchEvent(Object.assign(new Event("failed"), { error }));
    }
  }

  hide() { this.#asking?.abort(); }
  retranslate() { if (this.#top) this.show({ again: true }); }

  #drawTools() {
    const tools = byId("tools");
    const focused = [...tools.querySelectorAll("input")].findIndex((input) => input === document.activeElement);
    tools.replaceChildren(
      choice(t("measure"), Object.keys(measures).map((key) => [key, t(`measure.${key}`)]), this.#measure,
        (measure) => here.go({ measure }, { step: false })),
      choice(t("shape"), ["treemap", "sunburst"].map((key) => [key, t(`shape.${key}`)]), this.#shape,
        (shape) => here.go({ shape }, { step: false }), { treemap: "treemap", sunburst: "sunburst" }));
    if (focused >= 0) tools.querySelectorAll("input")[focused]?.focus();
  }

  // Drawing ---------------------------------------------------------------------------------------

  #draw() {
    const top = this.#top, measure = this.#measure;
    const hadFocus = this.#box.contains(document.activeElement);
    this.#box.setAttribute("aria-label", t("map", { name: visible(directoryName()) }));
    this.#box.className = this.#shape;
    if (!top || top.values[measure] <= 0) {
      this.#box.replaceChildren(emptiness(t("map.empty")));
      this.#list.replaceChildren();
      return;
    }
    paint(top, measure);
    if (this.#shape === "sunburst") this.#drawRings(); else this.#drawTiles();
    this.#drawList();
    const first = this.#stops[0];
    const back = this.#stops.find((stop) => stop.node && stop.node.place === this.#cameFrom);
    const stop = back ?? first;
    if (stop) {
      stop.setAttribute("tabindex", "0");
      if (hadFocus || back) stop.focus({ preventScroll: true });
    }
    this.#cameFrom = null;
    drawStatus(this.#text(top.values[measure]),
      top.row ? t("directories", { count: top.row.total_directories ?? 0 }) : null);
  }

  /// What the Tab key, the arrows and the pointer stop at.
  get #stops() { return [...this.#box.querySelectorAll("[tabindex]")]; }

  #describe(node, value, whole) { return `${visible(node.name)}: ${this.#text(value)}, ${share(value, whole)}`; }

  #drawTiles() {
    const top = this.#top, measure = this.#measure, whole = top.values[measure];
    const width = this.#box.clientWidth, height = this.#box.clientHeight;
    const least = matchMedia("(pointer: coarse)").matches ? 28 : 16;
    const tiles = treemap(partsOf(top, measure), width, height, least).map((place) => {
      const { node, count, value } = place.item;
      if (!node) {
        const name = count ? t("map.smaller", { count }) : t("map.rest");
        return put(make("div", { class: "tile rest", title: `${name}: ${this.#text(value)}, ${share(value, whole)}` },
          this.#label(place, name, value)), place, width, height);
      }
      const tile = make("button", {
        type: "button", class: `tile hue-${node.hue}`, tabindex: "-1", "aria-label": this.#describe(node, value, whole),
        title: `${visible(node.row.path)}\n${this.#text(value)}, ${share(value, whole)}`,
      }, this.#label(place, node.name, value), this.#preview(node, place.w - 8, place.h - 27));
      tile.node = node;
      return put(tile, place, width, height);
    });
    this.#box.replaceChildren(...tiles);
  }

  /// A picture of what is in a tile.
  #preview(node, width, height) {
    if (width < 36 || height < 20 || node.children.length === 0) return null;
    const inner = make("span", { class: "in", "aria-hidden": "true" });
    for (const place of treemap(partsOf(node, this.#measure), width, height, 9)) {
      if (!place.item.node || place.w < 4 || place.h < 4) continue;
      inner.append(put(make("span", { class: "one" }, this.#label(place, place.item.node.name, place.item.value, 44),
        this.#preview(place.item.node, place.w - 6, place.h - 23)), place, width, height));
    }
    return inner;
  }

  #label(place, name, value, least = 34) {
    if (place.w < least || place.h < 20) return null;
    const label = make("span", { class: "label" }, nameElement(name, { class: "name" }));
    if (place.w > 120) label.append(make("span", { class: "amount" }, this.#short(value)));
    return label;
  }

  #drawRings() {
    const top = this.#top, measure = this.#measure, whole = top.values[measure];
    const size = 400, hole = 66, ring = (size / 2 - hole - 2) / levels;
    const center = make("div", { class: "center", "aria-hidden": "true" });
    const tell = (node, value) => {
      center.replaceChildren(nameElement(node.name, { class: "name" }),
        make("span", { class: "amount" }, this.#short(value)),
        make("span", { class: "part" }, node === top ? t("map.whole") : share(value, whole)));
    };
    const arcs = sunburst(top, measure, levels, 0.004).map(({ node, level, from, to }) => {
      const value = node.values[measure];
      const inner = hole + (level - 1) * ring;
      const arc = draw("path", {
        d: outline(from, to, inner, inner + ring), class: `arc hue-${node.hue} level-${level}`, role: "button", tabindex: "-1",
        "aria-label": this.#describe(node, value, whole),
      });
      Object.assign(arc, { node, level, from, to });
      arc.addEventListener("pointerenter", () => tell(node, value));
      arc.addEventListener("focus", () => tell(node, value));
      return arc;
    });
    // A name stands where it fits: a ring is as wide as eight letters.
    const isLegible = Math.min(this.#box.clientWidth, this.#box.clientHeight) > 460;
    const names = arcs.filter((arc) => isLegible && arc.level < levels).flatMap((arc) => {
      const at = middle(arc.from, arc.to, hole + (arc.level - 0.5) * ring);
      if (at.length < 26) return [];
      const letters = [...visible(arc.node.name)];
      return [draw("text", { x: at.x, y: at.y, "aria-hidden": "true" }, letters.length > 8 ? `${letters.slice(0, 7).join("")}…` : letters.join(""))];
    });
    const rings = draw("svg", { viewBox: `${-size / 2} ${-size / 2} ${size} ${size}`, role: "presentation" }, arcs, names);
    rings.addEventListener("pointerleave", () => tell(top, whole));
    tell(top, whole);
    this.#box.replaceChildren(rings, center);
  }

  #drawList() {
    const top = this.#top, measure = this.#measure, whole = top.values[measure];
    const children = ranked(top, measure).slice(0, 40);
    const rows = children.map((node) => {
      const value = node.values[measure];
      const bar = make("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--part", value / children[0].values[measure]);
      const row = make("button", { type: "button", class: `hue-${node.hue}`, title: visible(node.row.path) },
        make("span", { class: "swatch", "aria-hidden": "true" }), nameElement(node.name, { class: "name" }),
        make("span", { class: "amount" }, this.#short(value)), make("span", { class: "part" }, share(value, whole)), bar);
      row.addEventListener("click", () => this.#enter(node));
      return make("li", {}, row);
    });
    this.#list.replaceChildren(make("h2", {}, t("map.list")), rows.length > 0 ? make("ol", {}, rows) : emptiness(t("map.empty")));
  }

  // Zooming ---------------------------------------------------------------------------------------

  #enter(node, element) {
    const box = this.#box.getBoundingClientRect(), from = element?.getBoundingClientRect();
    this.#from = from && { x: (from.x - box.x) / box.width, y: (from.y - box.y) / box.height, w: from.width / box.width, h: from.height / box.height };
    if (isInner(node)) here.go({ in: [node.place] });
    else here.go({ view: "files", in: [node.place], q: "", scope: "", entry: "" });
  }

  #out() {
    const place = directory();
    if (!place) return;
    this.#cameFrom = place;
    const above = catalog.above(place);
    here.go({ in: above ? [above] : [] });
  }

  /// What is new grows out of the tile that it was.
  #zoom() {
    const from = this.#from;
    this.#from = null;
    if (!mayMove()) return;
    const children = this.#shape === "treemap" ? [...this.#box.children] : [this.#box.firstElementChild];
    const timing = { duration: 240, easing: "cubic-bezier(.2, .7, .2, 1)" };
    if (!from || this.#shape !== "treemap") {
      for (const each of children) each?.animate([{ opacity: 0, scale: "0.97" }, { opacity: 1, scale: "1" }], timing);
      return;
    }
    const { clientWidth: width, clientHeight: height } = this.#box;
    for (const tile of children) {
      const x = from.x * width + tile.offsetLeft * from.w - tile.offsetLeft;
      const y = from.y * height + tile.offsetTop * from.h - tile.offsetTop;
      tile.animate([{ transformOrigin: "0 0", transform: `translate(${x}px, ${y}px) scale(${from.w}, ${from.h})`, opacity: 0.4 },
        { transformOrigin: "0 0", transform: "none", opacity: 1 }], timing);
    }
  }

  // Hands -----------------------------------------------------------------------------------------

  #click(event) {
    const stop = event.target.closest("[tabindex]");
    if (stop?.node) this.#enter(stop.node, stop);
    else if (event.target.closest(".center")) this.#out();
  }

  #stop(stop) {
    for (const each of this.#stops) each.setAttribute("tabindex", "-1");
    stop.setAttribute("tabindex", "0");
    stop.focus({ preventScroll: true });
  }

  #press(event) {
    const stop = event.target.closest("[tabindex]");
    if (!stop?.node || event.altKey || event.ctrlKey || event.metaKey) return;
    const stops = this.#stops;
    let next = null;
    if (event.key in arrows) {
      next = (this.#shape === "sunburst" ? ringNeighbour(stop, stops, event.key) : neighbour(stop, stops, ...arrows[event.key])) ?? stop;
    } else if (event.key === "Home") next = stops[0];
    else if (event.key === "End") next = stops[stops.length - 1];
    else if (event.key === "Enter" || event.key === " ") this.#enter(stop.node, stop);
    else if (event.key === "Backspace" || event.key === "Escape") this.#out();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next) this.#stop(next);
  }
}

const percent = (part, whole) => `${(part / whole) * 100}%`;
function put(element, place, width, height) {
  Object.assign(element.style, {
    left: percent(place.x, width), top: percent(place.y, height), width: percent(place.w, width), height: percent(place.h, height),
  });
  return element;
}

/// The arc beside: left and right around, up and down out of the middle and back.
function ringNeighbour(arc, arcs, key) {
  const middle = (arc.from + arc.to) / 2;
  if (key === "ArrowUp") return arcs.find((each) => each.level === arc.level + 1 && each.node.parent === arc.node);
  if (key === "ArrowDown") return arcs.find((each) => each.node === arc.node.parent);
  const ring = arcs.filter((each) => each.level === arc.level).sort((a, b) => a.from - b.from);
  const at = ring.indexOf(arc), step = key === "ArrowRight" ? 1 : -1;
  return ring[(at + step + ring.length) % ring.length] ?? arcs.find((each) => each.from <= middle && middle <= each.to);
}
