// The view of what has changed since a scan, the newest first.
import { here } from "./address.js";
import { ask, isAbort } from "./api.js";
import { directory } from "./catalog.js";
import { announce, byId, make, mayMove, pathElement, visible } from "./dom.js";
import { bytes, date, fullDate, grown } from "./format.js";
import { drawStatus, drawTitle } from "./frame.js";
import { entryIcon } from "./icons.js";
import { parameter, placeOf, relative } from "./place.js";
import { hasText, t } from "./texts.js";
import { button, choice, emptiness } from "./widgets.js";

const signs = { added: "+", removed: "\u2212", modified: "~", moved: ">" };
const page = 200;

export class Changes extends EventTarget {
  #view = byId("changes");
  #changes = [];
  #next = null;
  #horizon = null;
  #scans = [];
  #asked = "";
  #asking = null;
  #known = new Set();

  constructor() {
    super();
    this.#view.addEventListener("keydown", (event) => this.#press(event));
  }

  /// The scan or the moment from which on changes are shown; a day, unless the address says otherwise.
  get #since() {
    const { since } = here.state;
    if (since === "start") return "";
    const span = { "": 86_400, week: 7 * 86_400 }[since];
    // Whole minutes: the same question again has the same answer.
    return span === undefined ? since : new Date((Math.floor(Date.now() / 60_000) * 60 - span) * 1000).toISOString().slice(0, 19) + "Z";
  }

  get #parameters() {
    return [["since", this.#since], ...here.state.in.map((each) => parameter("in", each)), ["kind", here.state.kind],
      ["limit", page]];
  }

  async show({ again = false } = {}) {
    drawTitle(t("views.changes"));
    const asked = JSON.stringify([here.state.in, here.state.since, here.state.kind]);
    if (asked === this.#asked && !again) { this.#drawTools(); return this.#draw(); }
    this.#asking?.abort();
    const { signal } = this.#asking = new AbortController();
    try {
      const [answer, { scans }] = await Promise.all([
        ask("changes", this.#parameters, { signal }), ask("scans", [["limit", 60]], { signal })]);
      const isAgain = asked === this.#asked;
      this.#asked = asked;
      this.#scans = scans;
      this.#next = answer.next;
      this.#horizon = answer.horizon;
      this.#changes = newestFirst(answer.changes);
      this.#drawTools();
      const fresh = isAgain ? this.#changes.filter((change) => !this.#known.has(keyOf(change))) : [];
      this.#draw(new Set(fresh.map(keyOf)));
      announce(t("changes.shown", { count: isAgain ? fresh.length : this.#changes.length }));
    } catch (error) {
      if (isAbort(error)) return;
      this.#asked = "";
      this.dispatchEvent(Object.assign(new Event("failed"), { error }));
    }
  }

  hide() { this.#asking?.abort(); }
  retranslate() { if (this.#asked) { this.#drawTools(); this.#draw(); } }

  async #more() {
    const { changes, next } = await ask("changes", [...this.#parameters, ["cursor", this.#next]]);
    const first = this.#changes.length;
    this.#changes = [...this.#changes, ...newestFirst(changes)];
    this.#next = next;
    this.#draw();
    this.#view.querySelectorAll("button.change")[first]?.focus();
  }

  #drawTools() {
    const tools = byId("tools");
    const focused = [...tools.querySelectorAll("input, select")].findIndex((each) => each === document.activeElement);
    const options = [["", t("changes.day")], ["week", t("changes.week")], ["start", t("changes.start")],
      ...this.#scans.map((scan) => [String(scan.id), t("changes.scan", { id: scan.id, date: date(scan.finished_at ?? scan.started_at) })])];
    if (here.state.since && !options.some(([value]) => value === here.state.since)) options.push([here.state.since, here.state.since]);
    const select = make("select", {}, options.map(([value, text]) => make("option", { value, selected: value === here.state.since }, text)));
    select.addEventListener("change", () => here.go({ since: select.value }));
    tools.replaceChildren(
      make("label", { class: "select" }, make("span", {}, t("changes.since")), select),
      choice(t("changes.kind"), [["", t("changes.all")], ...Object.keys(signs).map((kind) => [kind, t(`changes.${kind}`)])],
        here.state.kind, (kind) => here.go({ kind })));
    if (focused >= 0) tools.querySelectorAll("input, select")[focused]?.focus();
  }

  #draw(fresh = new Set()) {
    const parts = [];
    let scan = null, list = null;
    for (const change of this.#changes) {
      if (change.scan_id !== scan) {
        scan = change.scan_id;
        list = make("ul", {});
        parts.push(make("h2", {}, make("time", { title: fullDate(change.at) }, date(change.at)),
          make("small", {}, t("field.scan", { id: scan }))), list);
      }
      list.append(this.#row(change, fresh.has(keyOf(change))));
    }
    this.#known = new Set(this.#changes.map(keyOf));
    if (this.#changes.length === 0) parts.push(emptiness(t("changes.none")));
    if (this.#next) parts.push(make("p", { class: "foot" }, button("down", t("changes.more"), () => this.#more())));
    else if (this.#horizon) parts.push(make("p", { class: "foot" }, t("changes.horizon", { id: this.#horizon })));
    const top = this.#view.scrollTop;
    const focused = [...this.#view.querySelectorAll("button.change")].indexOf(document.activeElement);
    this.#view.setAttribute("aria-label", t("changes.list"));
    this.#view.replaceChildren(...parts);
    this.#view.scrollTop = top;
    if (focused >= 0) this.#view.querySelectorAll("button.change")[focused + fresh.size]?.focus();
    const count = this.#changes.length;
    drawStatus(this.#next ? t("changes.shown.more", { count }) : t("changes.shown", { count }));
  }

  #row(change, isFresh) {
    const base = directory();
    const step = change.kind === "added" ? change.size : change.kind === "removed" ? -(change.old_size ?? change.size ?? 0)
      : (change.size ?? 0) - (change.old_size ?? change.size ?? 0);
    const fields = change.kind === "modified" ? change.fields : [];
    const more = change.kind === "moved" && change.old_path
      ? make("span", { class: "more" }, pathElement(t("changes.from", { path: relative(change.old_path, base) })))
      : fields.length > 0 ? make("span", { class: "more" }, fields.map(fieldText).join(", ")) : null;
    const row = make("button", { type: "button", class: `change ${change.kind}` },
      make("span", { class: "sign", "aria-hidden": "true" }, signs[change.kind]),
      make("span", { class: "unseen" }, `${t(`changes.${change.kind}`)} `),
      entryIcon({ kind: change.entry_kind, extension: extensionOf(change.path) }),
      make("span", { class: "what" }, pathElement(relative(change.path, base), { class: "name" }), more),
      make("span", { class: `amount ${step > 0 ? "grew" : step < 0 ? "shrank" : ""}` }, step ? grown(step) : change.kind === "moved" ? bytes(change.size ?? 0) : ""));
    row.title = visible(change.path);
    row.addEventListener("click", () => {
      if (change.kind !== "removed") here.go({ entry: placeOf(change), details: "1" });
    });
    const item = make("li", { class: isFresh ? "fresh" : "" }, row);
    if (isFresh && mayMove()) {
      item.animate([{ opacity: 0, transform: "translateX(-28px)" }, { opacity: 1, transform: "none" }], { duration: 260, easing: "ease-out" });
    }
    return item;
  }

  #press(event) {
    const rows = [...this.#view.querySelectorAll("button.change")];
    const at = rows.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    rows[Math.max(0, Math.min(to, rows.length - 1))].focus();
  }

  focus() { this.#view.querySelector("button.change")?.focus(); }
}

const keyOf = (change) => `${change.scan_id} ${change.kind} ${change.entry_id} ${change.path}`;
const newestFirst = (changes) => [...changes].sort((a, b) => b.scan_id - a.scan_id);
const extensionOf = (path) => (/[^/]\.([^./ ]+)$/.exec(path) ?? [])[1] ?? null;

/// What a column is called that has changed.
function fieldText(field) {
  const key = `column.${field.replace(/_ns$/, "").replace("group_name", "group")}`;
  return hasText(key) ? t(key) : field;
}
