// The view of entries: a directory, or what a query finds, as a table.
import { here } from "./address.js";
import { ask, isAbort } from "./api.js";
import { catalog, directory } from "./catalog.js";
import {
  allColumns, columnsNamed, hasDirectoriesFirst, headOf, leastImportant, sortOf, usualColumns, usualSort, valuesOf,
} from "./columns.js";
import { announce, byId, make, whenQuiet } from "./dom.js";
import { bytes } from "./format.js";
import { directoryName, drawLive, drawStatus, drawTitle } from "./frame.js";
import { Grid } from "./grid.js";
import { parameter, placeOf } from "./place.js";
import { Rows } from "./rows.js";
import { recall, remember } from "./settings.js";
import { t } from "./texts.js";
import { button, choice, copy, emptiness, placeMenu, signButton, tick } from "./widgets.js";

/// Says `entry` when another one is selected.
export class Files extends EventTarget {
  #rows = new Rows();
  #widths = new Map(Object.entries(recall("widths", {})));
  #grid = new Grid(byId("grid"), this.#rows, this.#widths);
  #opened = "";
  #isOpening = null;
  #whole = null;
  #base = null;
  #depths = new Map();
  #wanted = null;
  #selectsFirst = false;
  #menuButton = null;
  #columns = [];

  constructor() {
    super();
    const grid = this.#grid, rows = this.#rows;
    placeMenu(byId("columns"), () => this.#menuButton);
    grid.addEventListener("select", () => this.#selected());
    grid.addEventListener("enter", () => this.enter());
    grid.addEventListener("out", () => this.out());
    grid.addEventListener("more", () => this.toggleDetails());
    grid.addEventListener("sort", ({ column }) => this.#sort(column));
    grid.addEventListener("resize", () => remember("widths", Object.fromEntries(this.#widths)));
    grid.addEventListener("shown", () => this.#keepTop());
    byId("grid").addEventListener("copy", (event) => {
      if (!grid.selectedRow || !getSelection().isCollapsed) return;
      event.preventDefault();
      copy(grid.selectedRow.path);
    });
    rows.addEventListener("opened", () => this.#arrived());
    rows.addEventListener("rows", () => { if (this.#wanted === "selected") this.#selected(); });
    rows.addEventListener("diff", ({ diff }) => this.#differed(diff));
    rows.addEventListener("state", () => catalog.changed());
    rows.addEventListener("live", () => drawLive(rows.isLive));
    rows.addEventListener("failed", ({ error }) => this.#failed(error));
  }

  get isLive() { return this.#rows.isLive; }

  // Showing ---------------------------------------------------------------------------------------

  /// Shows what the address says.
  async show(how) {
    const { state } = here;
    this.#drawTools();
    drawTitle(state.q || directoryName());
    const columns = this.#columns = columnsNamed(state.columns.length > 0 ? state.columns : usualColumns[this.scope]);
    const key = JSON.stringify([state.in, state.q, this.scope, this.#sortText, columns.map((column) => column.id)]);
    if (key === this.#opened) return this.#follow(how);
    const isSame = JSON.stringify(JSON.parse(this.#opened || "[]").slice(0, 3)) === JSON.stringify(JSON.parse(key).slice(0, 3));
    this.#opened = key;
    this.#isOpening?.abort();
    const { signal } = this.#isOpening = new AbortController();
    byId("grid").setAttribute("aria-busy", "true");
    try {
      const base = directory();
      // Another directory is shown with another whole; the same one keeps it until it is known anew.
      if (base !== this.#base) { this.#whole = null; this.#base = base; }
      let depth = -1;
      if (base && this.scope === "here") depth = this.#depths.get(base) ?? (await this.#learn(base, signal));
      else if (base) this.#learn(base, signal).then(() => this.#refresh(), () => {});
      signal.throwIfAborted();
      this.#position = { how, isSame, top: how === "travelled" ? here.kept.top ?? 0 : 0, entry: state.entry };
      await this.#rows.open({
        q: this.scope === "here" ? restricted(state.q, depth + 1) : state.q,
        in: state.in, sort: this.#sortText, columns: valuesOf(columns),
      });
      if (base && this.#whole === null) this.#learn(base, signal).then(() => this.#refresh(), () => {});
    } catch (error) {
      if (!isAbort(error)) this.#failed(error);
    }
  }

  #position = {};

  /// Shows the same table, but another entry of it.
  async #follow(how) {
    if (how !== "travelled" || !here.state.entry) return;
    this.#select(here.state.entry);
  }

  /// Nobody looks at the table now.
  hide() {
    this.#rows.close();
    this.#opened = "";
  }

  /// Shows the texts of another language.
  retranslate() {
    this.#drawTools();
    this.#refresh();
  }

  get scope() {
    const { scope, q, in: places } = here.state;
    if (places.length > 1) return "below";
    return scope || (q ? "below" : "here");
  }

  get #sortText() { return here.state.sort || usualSort[this.scope]; }

  /// Asks for the depth and the sums of the directory.
  async #learn(place, signal) {
    const { entry, totals } = await ask("entry", [parameter("path", place)], { signal });
    if (this.#depths.size > 500) this.#depths.clear();
    this.#depths.set(place, entry.depth);
    if (place === this.#base) this.#whole = totals ?? { total_allocated: entry.allocated, total_size: entry.size };
    return entry.depth;
  }

  /// What the parts are parts of.
  get #sum() {
    if (here.state.in.length === 0) return { total_allocated: catalog.total, total_size: catalog.totalSize };
    return this.#whole;
  }

  #refresh() {
    this.#grid.show({
      columns: this.#columns, sort: this.#sortText,
      context: { base: directory(), whole: this.#sum?.total_allocated ?? 0 },
      yields: here.state.columns.length === 0 ? leastImportant : [],
    });
    this.#drawStatus();
  }

  /// The sums of the catalog are others.
  catalogChanged() {
    if (directory()) this.#learn(directory()).then(() => this.#refresh(), () => {});
    else this.#refresh();
  }

  async #arrived() {
    const { how, isSame, top, entry } = this.#position;
    this.#position = { isSame: true, entry: "" };
    this.#refresh();
    this.#grid.restart({ top: isSame ? 0 : top, keeps: !how });
    this.#showEmptiness();
    if (!how) return;
    announce(here.state.q ? t("found", { count: this.#rows.count }) : t("entries", { count: this.#rows.count }));
    if (entry) await this.#select(entry);
    else if (this.#selectsFirst && this.#rows.count > 0) this.#grid.select(0);
    this.#selectsFirst = false;
    if (document.activeElement === document.body) this.#grid.focus();
  }

  async #select(place) {
    try {
      const index = await this.#rows.find(parameter("path", place));
      if (index === null) return this.#grid.deselect();
      this.#grid.select(index);
    } catch (error) {
      if (!isAbort(error)) this.#failed(error);
    }
  }

  #showEmptiness() {
    const note = byId("files").querySelector(".empty");
    const isEmpty = this.#rows.count === 0;
    note.hidden = !isEmpty;
    if (!isEmpty) return;
    const { q } = here.state;
    const text = q ? t("nothing") : catalog.roots.length === 0 ? t("roots.none") : t("nothing.here");
    note.replaceWith(q && this.scope === "here"
      ? emptiness(text, button(null, t("nothing.below"), () => here.go({ scope: "below" })))
      : emptiness(text));
  }

  #failed(error) {
    byId("grid").setAttribute("aria-busy", "false");
    this.#opened = "";
    this.dispatchEvent(Object.assign(new Event("failed"), { error }));
  }

  #drawStatus() {
    const { count } = this.#rows, sum = this.#sum;
    const { key, descending } = sortOf(this.#sortText);
    const sorted = allColumns.find((column) => column.sort === key && column.id !== "share");
    drawStatus(
      here.state.q ? t("found", { count }) : t("entries", { count }),
      sum && !here.state.q ? t("state.sum", { size: bytes(sum.total_size), allocated: bytes(sum.total_allocated) }) : null,
      sorted ? t(descending ? "sorted.down" : "sorted.up", { column: headOf(sorted) }) : null);
  }

  #differed(diff) {
    this.#showEmptiness();
    this.#drawStatus();
    const news = { arrived: diff.insertions.count, gone: diff.deletions.count, updated: diff.updates.count, moved: diff.moveCount };
    for (const [key, count] of Object.entries(news)) this.#news[key] = (this.#news[key] ?? 0) + count;
    this.#tellNews();
    catalog.changed();
  }

  /// What has come and gone since it was last told.
  #news = {};

  #tellNews = whenQuiet(500, () => {
    const parts = Object.entries(this.#news).filter(([, count]) => count > 0).map(([key, count]) => t(key, { count }));
    this.#news = {};
    announce([...parts, t("entries", { count: this.#rows.count })].join(", "));
  });

  // Doing -----------------------------------------------------------------------------------------

  #selected = whenQuiet(140, () => {
    const row = this.#grid.selectedRow;
    // A row that is not here yet is told as soon as it is.
    this.#wanted = row ? null : "selected";
    if (!row || placeOf(row) === here.state.entry) return;
    here.go({ entry: placeOf(row) }, { step: false });
    this.#grid.describe();
  });

  #keepTop = whenQuiet(400, () => {
    if (here.state.view === "files" && this.#opened && !this.#isMoving) here.keep({ top: this.#grid.top });
  });
  get #isMoving() { return byId("grid").getAttribute("aria-busy") === "true"; }

  /// Goes into the selected directory, or shows more of what is none.
  enter() {
    const row = this.#grid.selectedRow;
    if (!row) return;
    const place = placeOf(row);
    this.#selected.cancel();
    if (row.kind !== "directory") return here.go({ entry: place, details: "1" });
    here.keep({ top: this.#grid.top });
    here.go({ entry: place }, { step: false });
    this.#depths.set(place, row.depth);
    this.#selectsFirst = true;
    here.go({ in: [place], q: "", scope: "", entry: "", sort: here.state.q ? "" : here.state.sort });
  }

  /// Goes to the directory above, or leaves a search.
  out() {
    this.#selected.cancel();
    const base = directory();
    if (here.state.q) return here.go({ q: "", scope: "", entry: "" });
    if (here.state.in.length === 0) return;
    const above = base && catalog.above(base);
    here.go({ in: above ? [above] : [], scope: "", entry: base ?? "" });
  }

  toggleDetails() {
    const row = this.#grid.selectedRow;
    if (here.state.details) return here.go({ details: "" }, { step: false });
    here.go({ details: "1", entry: row ? placeOf(row) : here.state.entry });
  }

  focus() {
    this.#grid.focus();
    if (this.#grid.selected === null) this.#grid.select(0);
  }

  #sort(column) {
    const { key, descending } = sortOf(this.#sortText);
    // Large and new comes first, names and words from the beginning.
    const isDown = column.sort === key ? !descending : Boolean(column.numeric);
    const prefix = hasDirectoriesFirst(this.#sortText) ? "directories-first," : "";
    here.go({ sort: `${prefix}${isDown ? "-" : ""}${column.sort}` });
  }

  #drawTools() {
    const tools = byId("tools");
    const focused = tools.contains(document.activeElement) ? [...tools.querySelectorAll("input, button")].indexOf(document.activeElement) : -1;
    this.#menuButton = signButton("columns", t("columns"), null, {
      popovertarget: "columns", "aria-haspopup": "dialog", "aria-expanded": byId("columns").matches(":popover-open"),
    });
    tools.replaceChildren(
      choice(t("scope"), [["here", t("scope.here")], ["below", t("scope.below")]], this.scope,
        (scope) => here.go({ scope, sort: "" })),
      this.#menuButton,
      signButton("details", t("details"), () => this.toggleDetails(), { "aria-pressed": Boolean(here.state.details) }));
    // A choice is where it was, and so are the hands.
    const options = tools.querySelectorAll("input, button");
    if (focused >= 0) (document.activeElement === document.body ? options[focused] : null)?.focus();
    if (!byId("columns").matches(":popover-open")) this.#drawMenu();
  }

  #drawMenu() {
    const chosen = () => new Set(columnsNamed(here.state.columns.length > 0 ? here.state.columns : usualColumns[this.scope]).map((column) => column.id));
    const list = allColumns.filter((column) => column.id !== "name").map((column) =>
      tick(column.id === "share" ? t("column.share") : headOf(column), chosen().has(column.id), (isOn) => {
        const set = chosen();
        if (isOn) set.add(column.id); else set.delete(column.id);
        here.go({ columns: allColumns.map((each) => each.id).filter((id) => set.has(id)) }, { step: false });
      }));
    byId("columns").setAttribute("aria-label", t("columns"));
    byId("columns").replaceChildren(
      make("div", { class: "group" }, tick(t("columns.first"), hasDirectoriesFirst(this.#sortText), (isOn) => {
        const rest = this.#sortText.replace(/^directories-first,?/, "");
        here.go({ sort: isOn ? `directories-first,${rest}` : rest }, { step: false });
      })),
      make("div", { class: "group pair" }, list),
      make("div", { class: "group" }, button(null, t("columns.reset"), () => {
        this.#widths.clear();
        remember("widths", {});
        here.go({ columns: [], sort: "" }, { step: false });
        byId("columns").hidePopover();
      })));
  }
}

/// The query, for entries of one depth only.
function restricted(query, depth) {
  const at = `depth:${depth}`;
  if (query.trim() === "") return at;
  // What is about the whole query must not stand in parentheses.
  const options = query.match(/(?<!\S)case:\S+/gi) ?? [];
  const rest = query.replace(/(?<!\S)case:\S+/gi, "").trim();
  const parts = [rest === "" ? "" : /\bOR\b|\|/i.test(rest) ? `(${rest})` : rest, ...options, at];
  return parts.filter(Boolean).join(" ");
}
