// The columns of the table of entries: which values of a row each shows, how it sorts, how wide it is.
import { nameElement, pathElement, setText, visible } from "./dom.js";
import { bytes, exactBytes, fullDate, mode, number, share, shortDate } from "./format.js";
import { entryIcon } from "./icons.js";
import { relative } from "./place.js";
import { t } from "./texts.js";

const size = (row) => row.total_size ?? row.size;
const allocated = (row) => row.total_allocated ?? row.allocated;

/// What people call the kind of an entry.
export function kindText(row) {
  if (row.kind === "symlink" && row.is_broken) return t("kind.broken");
  if (row.kind === "directory") return t("kind.directory");
  return row.type_description ?? t(`kind.${row.kind}`);
}

// What each column is made of. `values` are names of the view `files`; `fill` puts them into a cell.
const text = (id, width, values = [id], sort = id) => ({
  id, width, values, sort, fill: (cell, row) => setText(cell, String(row[values[0]] ?? "")),
});
const count = (id, width, values = [id], sort = id) => ({
  id, width, values, sort, numeric: true,
  fill: (cell, row) => { cell.textContent = row[values[0]] == null ? "" : number(row[values[0]]); },
});
const time = (id) => ({
  id, width: 142, values: [id], sort: id, numeric: true, aligned: "start",
  fill: (cell, row) => {
    cell.textContent = row[id] == null ? "" : shortDate(row[id]);
    if (row[id] != null) cell.title = fullDate(row[id]);
  },
});
const amount = (id, values, sort, value) => ({
  id, width: 92, values, sort, numeric: true, measure: value,
  fill: (cell, row) => {
    cell.textContent = bytes(value(row));
    cell.title = exactBytes(value(row));
  },
});

export const allColumns = [
  {
    id: "name", width: 0, least: 140, values: ["name"], sort: "name",
    fill: (cell, row) => {
      // A root is known by its whole path.
      const label = row.depth === 0 ? pathElement(row.path) : nameElement(row.name);
      label.className = "name";
      cell.replaceChildren(entryIcon(row), label);
      if (row.is_broken) cell.append(setText(Object.assign(document.createElement("span"), { className: "target" }), `→ ${row.link_target ?? ""}`));
    },
  },
  {
    id: "directory", width: 260, values: ["directory"], sort: "path",
    fill: (cell, row, { base }) => {
      const shown = relative(row.directory ?? "", base);
      cell.replaceChildren(shown === "." ? "" : pathElement(shown));
      cell.title = visible(row.directory ?? "");
    },
  },
  {
    id: "path", width: 320, values: ["path"], sort: "path",
    fill: (cell, row) => { cell.replaceChildren(pathElement(row.path)); },
  },
  amount("allocated", ["allocated", "total_allocated"], "full_allocated", allocated),
  amount("size", ["size", "total_size"], "full_size", size),
  count("files", 84, ["total_files"], "total_files"),
  {
    id: "share", width: 132, values: ["allocated", "total_allocated"], sort: "full_allocated", numeric: true, bar: true,
    fill: (cell, row, { whole }) => { cell.textContent = whole ? share(allocated(row), whole) : ""; },
    part: (row, { whole }) => (whole ? allocated(row) / whole : 0),
  },
  time("modified"),
  {
    id: "kind", width: 150, values: ["kind", "type_description"], sort: "kind",
    fill: (cell, row) => { cell.textContent = kindText(row); },
  },
  text("type", 190),
  text("extension", 84),
  time("created"), time("changed"), time("accessed"),
  text("owner", 92),
  text("group", 92, ["group_name"]),
  {
    id: "mode", width: 116, values: ["mode"], sort: "mode",
    fill: (cell, row) => { cell.textContent = row.mode == null ? "" : mode(row.mode); },
  },
  count("links", 64), count("depth", 64),
  text("inode", 104),
  text("container", 170, ["container"], null),
  text("role", 110, ["role"], null),
  text("link_target", 220, ["link_target"], null),
];
const byId = new Map(allColumns.map((column) => [column.id, column]));

/// The usual columns of a directory, and of what was searched for.
export const usualColumns = {
  here: ["name", "allocated", "share", "size", "files", "modified", "kind"],
  below: ["name", "directory", "allocated", "size", "modified", "kind"],
};
/// Which of them go first where there is no room for all.
export const leastImportant = ["kind", "files", "size", "modified", "share", "directory"];
export const usualSort = { here: "-full_allocated", below: "name" };

/// The columns with these names; what is no name is left out, and the name of an entry always stands first.
export const columnsNamed = (names) =>
  [byId.get("name"), ...names.filter((name) => name !== "name").map((name) => byId.get(name)).filter(Boolean)];

/// What to ask the server for, so that these columns can be shown.
export function valuesOf(columns) {
  const always = ["name", "path", "kind", "extension", "depth", "is_broken", "link_target", "modified", "size",
    "total_size", "allocated", "total_allocated", "directory"];
  return [...new Set([...always, ...columns.flatMap((column) => column.values)])];
}

export const headOf = (column) => (column.id === "share" ? "%" : t(`column.${column.id}`));

/// The key of a sort order that matters most, and its direction.
export function sortOf(text) {
  const first = text.split(",").find((each) => each !== "directories-first") ?? "name";
  return first.startsWith("-") ? { key: first.slice(1), descending: true } : { key: first, descending: false };
}
export const hasDirectoriesFirst = (text) => text.split(",")[0] === "directories-first";
