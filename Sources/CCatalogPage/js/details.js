// All that is known of an entry, beside the view.
import { here } from "./address.js";
import { Problem, ask, isAbort } from "./api.js";
import { catalog } from "./catalog.js";
import { kindText } from "./columns.js";
import { byId, make, nameElement, pathElement, setText } from "./dom.js";
import { ago, bytes, date, exactBytes, fullDate, mode, number } from "./format.js";
import { entryIcon } from "./icons.js";
import { parameter, parentOf, placeOf } from "./place.js";
import { t } from "./texts.js";
import { copyButton, button, emptiness, signButton } from "./widgets.js";

export class Details {
  #pane = byId("details");
  #shown = "";
  #asking = null;

  constructor() { catalog.addEventListener("changed", () => this.show({ again: true })); }

  /// Shows the entry that the address names, if it says so.
  async show({ again = false } = {}) {
    const { entry, details, view } = here.state;
    const isWanted = details !== "" && (view === "files" || view === "changes");
    const wasHidden = this.#pane.hidden;
    this.#pane.hidden = !isWanted;
    document.body.classList.toggle("has-details", isWanted);
    if (!isWanted) { this.#shown = ""; return; }
    if (entry === this.#shown && !again && !wasHidden) return;
    this.#asking?.abort();
    this.#shown = entry;
    if (entry === "") return this.#pane.replaceChildren(this.#head(null), emptiness(t("details.none")));
    const { signal } = this.#asking = new AbortController();
    try {
      const answer = await ask("entry", [parameter("path", entry)], { signal });
      this.#draw(answer);
    } catch (error) {
      if (isAbort(error)) return;
      if (!(error instanceof Problem)) throw error;
      this.#pane.replaceChildren(this.#head(null), emptiness(error.message));
    }
  }

  #head(entry) {
    const close = signButton("clear", t("details.close"), () => here.go({ details: "" }, { step: false }), { class: "quiet close" });
    if (!entry) return make("div", { class: "title" }, make("h2", {}, t("details")), close);
    return make("div", { class: "title" }, entryIcon(entry), nameElement(entry.name, { role: "heading", "aria-level": 2 }), close);
  }

  #draw({ entry, values, tags, totals, errors, type_description: description, supertypes }) {
    const place = placeOf(entry), row = { ...entry, type_description: description };
    const isDirectory = entry.kind === "directory";
    const above = parentOf(place);
    const tools = make("div", { class: "actions" },
      copyButton(t("copy.path"), () => entry.path),
      isDirectory ? button("files", t("show.files"), () => here.go({ view: "files", in: [place], q: "", scope: "", entry: "" })) : null,
      isDirectory ? button("map", t("show.map"), () => here.go({ view: "map", in: [place] })) : null,
      isDirectory ? button("growth", t("show.growth"), () => here.go({ view: "growth", in: [place] })) : null,
      !isDirectory && above && (here.state.q || here.state.view !== "files") ? button("up", t("show.directory"),
        () => here.go({ view: "files", in: [above], q: "", scope: "", entry: place })) : null);

    const whole = totals ?? (entry.total_allocated != null ? entry : null);
    const sections = [
      section(t("section.general"), [
        [t("column.kind"), kindText(row)],
        [t("column.type"), entry.type && make("code", {}, entry.type)],
        supertypes?.length > 0 && [t("field.supertypes"), make("span", { class: "chips" }, supertypes.slice(0, 8).map((type) => make("code", {}, type)))],
        [t("column.size"), sizeText(entry.size)],
        [t("column.allocated"), sizeText(entry.allocated)],
        entry.link_target != null && [t("column.link_target"), setText(make("span", {}), entry.link_target)],
        entry.links > 1 && !isDirectory && [t("column.links"), number(entry.links)],
      ]),
      whole && section(t("section.totals"), [
        [t("column.size"), sizeText(whole.total_size)],
        [t("column.allocated"), sizeText(whole.total_allocated)],
        [t("column.files"), whole.total_files != null && number(whole.total_files)],
        [t("field.directories"), whole.total_directories != null && number(whole.total_directories)],
        [t("field.newest"), whole.newest_modified && timeText(whole.newest_modified)],
      ]),
      section(t("section.times"), ["modified", "created", "changed", "accessed"].map((key) =>
        [t(`column.${key}`), entry[key] != null && timeText(entry[key])])),
      section(t("section.owner"), [
        [t("column.owner"), entry.owner != null ? `${entry.owner} (${entry.uid})` : entry.uid != null && String(entry.uid)],
        [t("column.group"), entry.group_name != null ? `${entry.group_name} (${entry.gid})` : entry.gid != null && String(entry.gid)],
        [t("column.mode"), entry.mode != null && make("code", {}, mode(entry.mode))],
        [t("field.flags"), Boolean(entry.flags) && `0x${entry.flags.toString(16)}`],
      ]),
      section(t("section.place"), [
        [t("field.root"), entry.root && pathElement(entry.root)],
        [t("column.inode"), entry.inode != null && String(entry.inode)],
        [t("field.device"), entry.device != null && String(entry.device)],
        [t("column.container"), entry.container],
        [t("column.role"), entry.role],
        [t("field.backup"), entry.backup_policy],
        [t("field.purgeable"), entry.purgeable != null && (entry.purgeable ? t("yes") : t("no"))],
      ]),
      (entry.asset_scale > 1 || entry.asset_idiom) && section(t("section.asset"), [
        [t("field.stem"), entry.asset_stem],
        [t("field.scale"), entry.asset_scale && `${entry.asset_scale}×`],
        [t("field.idiom"), entry.asset_idiom],
      ]),
      Object.keys(values ?? {}).length > 0 && section(t("section.values"), Object.entries(values).map(([key, value]) =>
        [key, setText(make("span", {}), typeof value === "string" ? value : JSON.stringify(value))])),
      tags?.length > 0 && make("section", {}, make("h3", {}, t("section.tags")),
        make("p", { class: "chips" }, tags.map((tag) => setText(make("span", { class: "chip" }), typeof tag === "string" ? tag : tag.name)))),
      section(t("section.history"), [
        [t("field.first"), entry.first_seen_scan && t("field.scan", { id: entry.first_seen_scan })],
        [t("field.last"), entry.last_changed_scan && t("field.scan", { id: entry.last_changed_scan })],
      ]),
      errors?.length > 0 && make("section", { class: "errors" }, make("h3", {}, t("section.errors")),
        errors.map((error) => make("p", {}, pathElement(error.path), " ", setText(make("span", {}), error.message ?? error.operation)))),
    ];
    const top = this.#pane.scrollTop;
    this.#pane.replaceChildren(this.#head(entry), pathElement(entry.path, { class: "path" }), tools, ...sections.filter(Boolean));
    this.#pane.scrollTop = top;
  }
}

/// Words and values; those that are not known are left out, and with nothing known all of it.
function section(title, fields) {
  const known = fields.filter((field) => field && field[1] !== null && field[1] !== undefined && field[1] !== false && field[1] !== "");
  if (known.length === 0) return null;
  return make("section", {}, make("h3", {}, title),
    make("dl", {}, known.map(([name, value]) => make("div", {}, setText(make("dt", {}), name), make("dd", {}, value)))));
}

function sizeText(value) {
  if (value === null || value === undefined) return null;
  return make("span", {}, bytes(value), value >= 1024 ? make("small", {}, ` ${exactBytes(value)}`) : null);
}

const timeText = (seconds) => make("time", { title: fullDate(seconds) }, date(seconds), make("small", {}, ` ${ago(seconds)}`));
