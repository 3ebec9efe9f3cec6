// The view of reports: what there is to know about a catalog, each answer as a table with bars and as its statement.
import { here, linkTo } from "./address.js";
import { ask, isAbort } from "./api.js";
import { announce, byId, make, nameElement, pathElement, setText, visible } from "./dom.js";
import { bytes, date, fullDate, mode, number, share } from "./format.js";
import { drawStatus, drawTitle } from "./frame.js";
import { parameter, parentOf, placeOf } from "./place.js";
import { hasText, t } from "./texts.js";
import { button, copyButton, emptiness } from "./widgets.js";

const page = 100;

export class Reports extends EventTarget {
  #view = byId("reports");
  #reports = null;
  #answer = null;
  #asked = "";
  #asking = null;
  #limit = page;

  async show({ again = false } = {}) {
    byId("tools").replaceChildren();
    const { report, order } = here.state;
    drawTitle(report ? titleOf({ name: report }) : t("views.reports"));
    const asked = JSON.stringify([report, here.state.in, order]);
    if (asked !== this.#asked) this.#limit = page;
    if (asked === this.#asked && !again) return this.#draw();
    this.#asking?.abort();
    const { signal } = this.#asking = new AbortController();
    this.#view.setAttribute("aria-busy", "true");
    try {
      this.#reports ??= (await ask("reports", [], { signal })).reports;
      this.#answer = report === "" ? null : await ask(`reports/${encodeURIComponent(report)}`,
        [...here.state.in.map((each) => parameter("in", each)), ["sort", order], ["limit", this.#limit]], { signal });
      this.#asked = asked;
      this.#draw();
      if (this.#answer) announce(t("reports.rows", { count: this.#answer.rows.length }));
    } catch (error) {
      if (isAbort(error)) return;
      this.#asked = "";
      this.dispatchEvent(Object.assign(new Event("failed"), { error }));
    } finally {
      this.#view.setAttribute("aria-busy", "false");
    }
  }

  hide() { this.#asking?.abort(); }
  retranslate() { if (this.#reports) this.#draw(); }

  #draw() {
    const { report } = here.state;
    const list = make("nav", { class: "list", "aria-label": t("reports.list") }, make("ul", {}, this.#reports.map((each) =>
      make("li", {}, make("a", { href: linkTo({ report: each.name, order: "" }), "aria-current": each.name === report ? "page" : null },
        make("b", {}, titleOf(each)), make("span", { class: "about" }, each.abstract))))));
    const focused = this.#view.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.#view.classList.toggle("chosen", report !== "");
    this.#view.replaceChildren(...(this.#answer && report ? [list, this.#article()] : [make("h2", { class: "ask" }, t("reports.pick")), list]));
    if (focused) [...this.#view.querySelectorAll("button, a")].find((each) => each.textContent === focused)?.focus();
    if (report === "") drawStatus();
    else this.#view.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  #article() {
    const { name, columns, measure, rows, sql } = this.#answer;
    const known = this.#reports.find((each) => each.name === name);
    const isAll = rows.length < this.#limit;
    drawStatus(isAll ? t("reports.rows", { count: rows.length }) : t("reports.first", { count: rows.length }));
    return make("article", {},
      make("p", { class: "back" }, make("a", { href: linkTo({ report: "", order: "" }) }, t("reports.list"))),
      make("h2", {}, titleOf({ name })),
      make("p", { class: "about" }, known?.abstract ?? ""),
      rows.length === 0 ? emptiness(t("reports.none")) : make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": titleOf({ name }) }, this.#table(columns, measure, rows)),
      isAll ? null : make("p", { class: "foot" }, button("down", t("reports.more"), () => { this.#limit *= 5; this.show({ again: true }); })),
      sql ? make("section", { class: "sql" },
        make("div", { class: "head" }, make("h3", {}, t("reports.sql")), copyButton(t("reports.copy"), () => sql)),
        setCode(make("pre", { tabindex: "0", "aria-label": t("reports.sql") }), sql),
        make("p", { class: "about" }, t("reports.sql.note"))) : null);
  }

  #table(columns, measure, rows) {
    const largest = Math.max(0, ...rows.map((row) => Math.abs(row[measure] ?? 0)));
    const whole = rows.reduce((sum, row) => sum + Math.max(0, row[measure] ?? 0), 0);
    const [key, isDown] = here.state.order.startsWith("-") ? [here.state.order.slice(1), true] : [here.state.order, false];
    const heads = columns.map((column) => {
      const isSorted = column.name === key;
      const spare = isSpare(column, columns, measure);
      const head = make("button", { type: "button", title: column.meaning ?? null }, columnTitle(column.name));
      head.addEventListener("click", () => {
        const down = isSorted ? !isDown : isNumber(column);
        here.go({ order: `${down ? "-" : ""}${column.name}` }, { step: false });
      });
      return make("th", {
        scope: "col", class: classOf(column, spare), "aria-sort": isSorted ? (isDown ? "descending" : "ascending") : null,
      }, head);
    });
    const body = rows.map((row) => make("tr", {}, columns.map((column, index) => {
      const cell = make(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: classOf(column, isSpare(column, columns, measure)) });
      fill(cell, column, row, index === 0 ? questionOf(this.#answer.name, row) : null);
      if (column.name === measure && largest > 0) {
        cell.classList.add("bar");
        if (row[measure] < 0) cell.classList.add("less");
        cell.style.setProperty("--part", Math.abs(row[measure] ?? 0) / largest);
        if (whole > 0) cell.title = share(row[measure] ?? 0, whole);
      }
      return cell;
    })));
    return make("table", { class: "data" }, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, body));
  }
}

/// What a narrow screen can do without: all but what a row is about, and how much it matters.
const isSpare = (column, columns, measure) => Boolean(measure) && column !== columns[0] && column.name !== measure;
const classOf = (column, spare) => [isNumber(column) ? "numeric" : "", spare ? "spare" : ""].join(" ").trim();

const unitOf = (column) => column.unit ?? "";
const isBytes = (column) => /^bytes/.test(unitOf(column));
const isMoment = (column) => /^(nano)?seconds since/.test(unitOf(column));
const isIdentifier = (name) => /(^|_)(id|uid|gid|inode|device)$/.test(name);
const isNumber = (column) => isBytes(column) || isMoment(column) || /^(entries|files|directories|copies|links|names|depth|uid|gid|total_|min_|max_|outside|alike|count|seconds|wasted|freed$)/.test(column.name);

function fill(cell, column, row, question) {
  const value = row[column.name];
  let shown;
  if (value === null || value === undefined || value === "") shown = make("span", { class: "none" }, "\u2013");
  else if (isBytes(column)) shown = bytes(value);
  else if (isMoment(column)) {
    const seconds = /^nano/.test(unitOf(column)) ? value / 1e9 : value;
    shown = make("time", { title: fullDate(seconds) }, date(seconds));
  } else if (typeof value === "boolean" || /^(yes|no|truth|1 )/.test(unitOf(column))) shown = value ? t("yes") : t("no");
  else if (column.name === "mode" && typeof value === "number") shown = mode(value);
  else if (typeof value === "number") shown = isIdentifier(column.name) ? String(value) : number(value);
  else if (/(^|_)path$|directory$/.test(column.name) && value.startsWith("/")) shown = pathElement(value);
  else if (/name$|target$|stem$/.test(column.name)) shown = nameElement(value);
  else shown = setText(make("span", {}), String(value));
  cell.append(question ? make("a", { href: question }, shown) : shown);
  if (typeof value === "string" && value.length > 40) cell.title = visible(value);
}

/// What leads from a row to the entries that it counts.
function questionOf(report, row) {
  const find = (q) => linkTo({ view: "files", q, scope: "", entry: "", details: "", sort: "", columns: [] });
  const word = (text) => (/^[\p{L}\p{N}._-]+$/u.test(text) ? text : `"${text.replace(/(["\\])/g, "\\$1")}"`);
  const size = (from, to) => `size:${from ?? 0}..${to ?? ""}`;
  switch (report) {
    case "usage_by_type": return row.type && find(`type:${word(row.type)}`);
    case "usage_by_kind": return row.kind && find(`kind:${row.kind}`);
    case "usage_by_extension": return row.extension && find(`ext:${word(row.extension)}`);
    case "usage_by_owner": return row.owner && find(`owner:${word(row.owner)}`);
    case "usage_by_group": return row.group_name && find(`group:${word(row.group_name)}`);
    case "usage_by_role": return row.role && find(`role:${row.role}`);
    case "usage_by_size": return row.min_size !== null && row.min_size !== undefined && find(`kind:file ${size(row.min_size, row.max_size)}`);
    case "usage_by_directory": case "growth_by_directory":
      return row.path && linkTo({ view: "files", in: [placeOf(row)], q: "", scope: "", entry: "", details: "" });
    default: {
      if (!row.path?.startsWith("/")) return null;
      const place = placeOf(row), above = parentOf(place);
      return linkTo({ view: "files", in: above ? [above] : [], q: "", scope: "", entry: place, details: "1" });
    }
  }
}

/// “usage_by_type” as people write it.
const titleOf = ({ name, title }) => {
  const text = hasText(`report.${name}`) ? t(`report.${name}`) : title ?? name.replace(/_/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};
const columnTitle = (name) => {
  const key = `column.${name.replace("group_name", "group")}`;
  return hasText(key) ? t(key) : name.replace(/_/g, " ").replace(/^./, (first) => first.toUpperCase());
};

const words = /\b(SELECT|FROM|WHERE|GROUP BY|ORDER BY|LIMIT|AS|AND|OR|NOT|DESC|ASC|NULL|IS|JOIN|LEFT|ON|WITH|CASE|WHEN|THEN|ELSE|END|IN|SUM|COUNT|MAX|MIN)\b/;
function setCode(element, sql) {
  for (const part of sql.split(words)) element.append(words.test(part) ? make("b", {}, part) : part);
  return element;
}
