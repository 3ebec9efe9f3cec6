// The view of how a directory grew, and its largest directories.
import { here, linkTo } from "./address.js";
import { ask, isAbort } from "./api.js";
import { catalog, directory } from "./catalog.js";
import { curve } from "./chart.js";
import { byId, make, nameElement, visible } from "./dom.js";
import { bytes, date, day, grown, number } from "./format.js";
import { directoryName, drawStatus, drawTitle } from "./frame.js";
import { nameOf, parameter, pathOf, placeOf } from "./place.js";
import { t } from "./texts.js";
import { measures } from "./tree.js";
import { choice, emptiness } from "./widgets.js";

export class Growth extends EventTarget {
  #view = byId("growth");
  #answer = null;
  #asked = null;
  #asking = null;

  constructor() {
    super();
    let width = 0;
    new ResizeObserver(() => {
      if (this.#view.clientWidth === width) return;
      width = this.#view.clientWidth;
      if (this.#answer && width > 0) this.#draw();
    }).observe(this.#view);
  }

  get #measure() { return here.state.measure in measures ? here.state.measure : "allocated"; }
  #text = (value) => (this.#measure === "files" ? number(value) : bytes(value));
  #grown = (value) => (this.#measure === "files" ? `${value > 0 ? "+" : ""}${number(value)}` : grown(value));

  async show({ again = false } = {}) {
    drawTitle(t("growth.of", { name: visible(directoryName()) }));
    this.#drawTools();
    const place = directory();
    if (this.#answer && this.#asked === place && !again) return this.#draw();
    this.#asking?.abort();
    const { signal } = this.#asking = new AbortController();
    try {
      const answer = place ? await this.#ask(place, signal) : await this.#askRoots(signal);
      this.#asked = place;
      this.#answer = answer;
      this.#draw();
    } catch (error) {
      if (isAbort(error)) return;
      this.#answer = null;
      this.dispatchEvent(Object.assign(new Event("failed"), { error }));
    }
  }

  #ask(place, signal) { return ask("growth", [parameter("path", place), ["buckets", 240]], { signal }); }

  /// All roots together have no curve of their own: each has one.
  async #askRoots(signal) {
    const roots = [...catalog.roots].sort((a, b) => (b.total_allocated ?? 0) - (a.total_allocated ?? 0)).slice(0, 8);
    const answers = await Promise.all(roots.map((root) => this.#ask(placeOf(root), signal)));
    return { points: [], children: answers.map(({ points }, index) => ({ ...roots[index], points })) };
  }

  hide() { this.#asking?.abort(); }
  retranslate() { if (this.#answer) { this.#drawTools(); this.#draw(); } }

  #drawTools() {
    const tools = byId("tools");
    const focused = [...tools.querySelectorAll("input")].findIndex((input) => input === document.activeElement);
    tools.replaceChildren(choice(t("measure"), Object.keys(measures).map((key) => [key, t(`measure.${key}`)]), this.#measure,
      (measure) => here.go({ measure }, { step: false })));
    if (focused >= 0) tools.querySelectorAll("input")[focused]?.focus();
  }

  #values(points) {
    const key = measures[this.#measure].total;
    return points.map((point) => ({ at: point.at, value: point[key] ?? 0 }));
  }

  #draw() {
    const { points, children } = this.#answer;
    const place = directory();
    const style = getComputedStyle(this.#view);
    const width = this.#view.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (width <= 0) return;
    const base = this.#measure === "files" ? 1000 : 1024;
    const parts = [];
    if (place && points.length > 1) {
      const values = this.#values(points), change = values[values.length - 1].value - values[0].value;
      parts.push(make("figure", {},
        make("figcaption", {}, make("b", {}, this.#text(values[values.length - 1].value)), " ",
          make("span", {}, t("growth.since", { grown: this.#grown(change), date: day(values[0].at) }))),
        curve(values, { width, height: Math.max(220, Math.min(360, innerHeight * 0.4)), text: this.#text, base, label: t("growth.of", { name: visible(directoryName()) }), size: "large" }),
        this.#table(values)));
    } else if (place) {
      parts.push(emptiness(t("growth.none")));
    }
    if (children.length > 0) {
      parts.push(make("h2", {}, place ? t("growth.children") : t("roots")),
        make("div", { class: "multiples" }, children.map((child) => this.#small(child, base))));
    }
    const scroll = this.#view.scrollTop;
    this.#view.replaceChildren(...parts);
    this.#view.scrollTop = scroll;
    drawStatus(t("directories", { count: children.length + (place ? 1 : 0) }));
  }

  #small(child, base) {
    const values = this.#values(child.points), place = placeOf(child);
    const first = values[0]?.value ?? 0, last = values[values.length - 1]?.value ?? 0;
    const change = last - first;
    return make("a", { class: "small", href: linkTo({ in: [place] }), title: visible(pathOf(place)) },
      nameElement(directory() ? nameOf(place) : pathOf(place), { class: "name" }),
      make("span", { class: "amount" }, this.#text(last)),
      make("span", { class: `change ${change > 0 ? "grew" : change < 0 ? "shrank" : ""}` }, this.#grown(change)),
      values.length > 1 ? curve(values, { width: 240, height: 56, text: this.#text, base, label: "", size: "small" })
        : make("span", { class: "flat" }));
  }

  #table(values) {
    const rows = values.map((point, index) => make("tr", {}, make("th", { scope: "row" }, date(point.at)),
      make("td", {}, this.#text(point.value)), make("td", {}, index > 0 ? this.#grown(point.value - values[index - 1].value) : "")));
    return make("details", {}, make("summary", {}, t("growth.table")), make("table", { class: "data" },
      make("thead", {}, make("tr", {}, ["growth.date", null, "growth.change"].map((key) =>
        make("th", { scope: "col" }, key ? t(key) : t(`measure.${this.#measure}`))))),
      make("tbody", {}, rows.reverse())));
  }
}
