// Adds to the page what needs a script: the map of directories, tables that sort, and titles for what is
// shortened. Whatever comes from the catalog becomes text, never markup. `tiles.js` stands before it.

const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Tables ----------------------------------------------------------------------------------------

document.documentElement.classList.add("scripted");

// As many rows as show what matters; the others wait behind a button.
const shownAtFirst = 12;

function fold(table) {
  const rows = table.tBodies[0].rows.length;
  if (rows <= shownAtFirst + 3) return;
  let note = table.nextElementSibling;
  if (!note) { note = make("p", { class: "cut" }); table.after(note); }
  const button = make("button", { type: "button", "aria-expanded": "false" });
  const label = () => {
    const isShort = table.classList.contains("short");
    button.textContent = isShort ? `Show ${rows.toLocaleString("en-US")} rows` : `Show ${shownAtFirst} rows`;
    button.setAttribute("aria-expanded", !isShort);
  };
  button.addEventListener("click", () => { table.classList.toggle("short"); label(); nameWhatIsShortened(); });
  table.classList.add("short");
  label();
  note.prepend(button);
}

function value(cell) {
  if (cell.dataset.n !== undefined) return Number(cell.dataset.n);
  const width = cell.style.getPropertyValue("--w");
  if (width !== "") return Number(width);
  return cell.classList.contains("none") ? null : cell.textContent;
}
const collator = new Intl.Collator("en", { numeric: true });
// What is unknown comes last, whichever way.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
}

function sort(table, head) {
  const first = head.classList.contains("n") ? "descending" : "ascending";
  const other = { ascending: "descending", descending: "ascending" };
  const order = head.hasAttribute("aria-sort") ? other[head.getAttribute("aria-sort")] : first;
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: value(row.cells[head.cellIndex]) }));
  rows.sort((a, b) => compare(a.value, b.value, sign));
  table.tBodies[0].append(...rows.map((each) => each.row));
  nameWhatIsShortened();
}

for (const table of all("table")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = make("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sort(table, head));
    head.replaceChildren(button);
  }
  fold(table);
}

// What is cut off says all of it where a pointer rests.
const isCut = (element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
function nameWhatIsShortened() {
  for (const cell of all("tbody td:not([data-n])")) {
    const parts = [cell, ...cell.querySelectorAll("span, b")];
    if (parts.some(isCut)) cell.title = cell.textContent; else cell.removeAttribute("title");
  }
}

// Map -------------------------------------------------------------------------------------------

const count = (value) => value.toLocaleString("en-US");
// Rounded up, as du -h does: what is shown is never less than what is there.
function bytes(value) {
  const units = ["", "K", "M", "G", "T", "P", "E"];
  let rest = value, unit = 0;
  while (rest >= 1024 && unit < units.length - 1) { rest /= 1024; unit += 1; }
  let digits = unit > 0 && rest <= 9.9 ? (Math.ceil(rest * 10) / 10).toFixed(1) : String(Math.ceil(rest));
  if (digits === "1024" && unit < units.length - 1) { digits = "1.0"; unit += 1; }
  return digits + units[unit];
}
function share(part, whole) {
  if (part >= whole) return "100%";
  const tenths = Math.round((part / whole) * 1000);
  return tenths < 1 ? "<0.1%" : `${(Math.min(tenths, 999) / 10).toFixed(1)}%`;
}

const measures = { allocated: ["On disk", bytes], size: ["Size", bytes], files: ["Files", count] };
const sums = (list, into) => {
  for (const key of Object.keys(measures)) into[key] = list.reduce((sum, each) => sum + each[key], 0);
  return into;
};

const directories = [], tops = [];
for (const [parent, name, files, size, allocated] of JSON.parse(byId("directories").textContent)) {
  const directory = { name, files, size, allocated, children: [], parent: directories[parent] || null };
  directories.push(directory);
  (directory.parent ? directory.parent.children : tops).push(directory);
}
let top = tops[0];
if (tops.length > 1) {
  top = sums(tops, { name: "All roots", children: tops, parent: null });
  for (const each of tops) each.parent = top;
}
function path(directory) {
  if (directory.path) return directory.path;
  if (directory === top || tops.includes(directory)) return directory.name;
  return `${path(directory.parent).replace(/\/$/, "")}/${directory.name}`;
}

// The children of a directory as areas, none of them smaller than `least`: those that would be go
// together into one, and what is in no child is the rest.
function layout(directory, measure, width, height, least) {
  const children = directory.children.filter((child) => child[measure] > 0)
    .sort((a, b) => b[measure] - a[measure]);
  const known = children.reduce((sum, child) => sum + child[measure], 0);
  const rest = Math.max(0, directory[measure] - known);
  const scale = (width * height) / Math.max(1, directory[measure]);
  let kept = children.findIndex((child) => child[measure] * scale < least * least);
  if (kept < 0) kept = children.length;
  for (;; kept -= Math.max(1, kept >> 4)) {
    const items = children.slice(0, kept).map((child) => ({ directory: child, value: child[measure] }));
    const others = children.slice(kept);
    const smaller = others.reduce((sum, child) => sum + child[measure], 0);
    if (others.length > 0) {
      const bundle = others.length === 1 ? others[0] : sums(others, {
        name: `${count(others.length)} smaller directories`, path: path(directory), children: others,
        parent: directory });
      items.push({ directory: bundle, value: smaller });
    }
    if (rest > 0) items.push({ directory: null, value: rest });
    // Where nothing can go together any more, what is too small is drawn larger than it is.
    if (kept <= 1) {
      const floor = (directory[measure] * (least + 2)) / Math.max(width, height);
      for (const item of items) item.drawn = item.directory ? Math.max(item.value, floor) : item.value;
    }
    items.sort((a, b) => drawn(b) - drawn(a));
    const places = squarify(items, width, height);
    const fits = (place) => !place.item.directory || (place.w >= least && place.h >= least);
    if (kept <= 1 || places.every(fits)) return places;
  }
}

let measure = top && (top.allocated > 0 ? "allocated" : top.size > 0 ? "size" : "files");
let current = top;
const amount = (each) => measures[measure][1](each[measure]);
const percent = (part, whole) => `${(part / whole) * 100}%`;

function put(element, place, width, height) {
  Object.assign(element.style, { left: percent(place.x, width), top: percent(place.y, height),
    width: percent(place.w, width), height: percent(place.h, height) });
  return element;
}

function label(place, name, number) {
  if (place.w < 34 || place.h < 20) return [];
  const text = make("span", {}, name);
  if (place.w > 110) text.append(make("i", {}, number));
  return [text];
}

// Pictures of what is inside, two levels deep.
function preview(directory, width, height, level) {
  if (level === 0 || width < 40 || height < 24 || directory.children.length === 0) return [];
  const inner = make("div", { class: "in", "aria-hidden": "true" });
  for (const place of layout(directory, measure, width, height, 8)) {
    if (!place.item.directory || place.w < 4 || place.h < 4) continue;
    inner.append(put(make("div", { class: level === 2 ? "one" : "two" },
      ...label(place, place.item.directory.name, amount(place.item.directory)),
      ...preview(place.item.directory, place.w - 6, place.h - 23, level - 1)), place, width, height));
  }
  return [inner];
}

const box = byId("treemap");
const tiles = () => all("button.tile", box);

function draw() {
  const width = box.clientWidth, height = box.clientHeight;
  box.replaceChildren(...layout(current, measure, width, height, 26).map((place) => {
    const { directory, value } = place.item;
    const name = directory ? directory.name : "other files and directories";
    const number = measures[measure][1](value), part = share(value, current[measure]);
    if (!directory) {
      return put(make("div", { class: "tile rest", title: `${name}: ${number}, ${part}` },
        ...label(place, name, number)), place, width, height);
    }
    const tile = make("button", { type: "button", class: "tile", tabindex: "-1",
      "aria-label": `${name}: ${number}, ${part}`,
      title: `${path(directory)}\n${directory.path ? `${name}: ` : ""}${number}, ${part}` },
      ...label(place, name, number), ...preview(directory, place.w - 8, place.h - 25, 2));
    if (directory.children.length === 0) tile.setAttribute("aria-disabled", "true");
    tile.directory = directory;
    return put(tile, place, width, height);
  }));
  const first = tiles()[0];
  if (first) first.tabIndex = 0;
  drawTools();
}

function drawTools() {
  const steps = [];
  for (let each = current.parent; each; each = each.parent) steps.unshift(each);
  byId("trail").replaceChildren(...steps.flatMap((each) => {
    const button = make("button", { type: "button" }, each.name);
    button.addEventListener("click", () => show(each));
    return [button, make("span", { "aria-hidden": "true" }, "›")];
  }), make("b", {}, current.name), make("span", {}, amount(current)));
  byId("measures").replaceChildren(...Object.entries(measures).map(([key, [title]]) => {
    const button = make("button", { type: "button", "aria-pressed": key === measure }, title);
    button.addEventListener("click", () => {
      measure = key;
      draw();
      all("[aria-pressed=true]", byId("measures"))[0].focus();
    });
    return button;
  }));
}

// The map is one stop of the Tab key; this is where it stops.
function stop(tile) {
  for (const each of tiles()) each.tabIndex = -1;
  tile.tabIndex = 0;
  tile.focus();
}

function show(directory, cameFrom) {
  if (directory.children.length === 0) return;
  current = directory;
  draw();
  const tile = tiles().find((each) => each.directory === cameFrom)
    || tiles().find((each) => cameFrom && each.directory.children.includes(cameFrom)) || tiles()[0];
  if (tile) stop(tile);
}

function press(event) {
  const tile = event.target.closest("button.tile");
  if (!tile || event.altKey || event.ctrlKey || event.metaKey) return;
  const list = tiles();
  let next = null;
  if (arrows[event.key]) next = neighbour(tile, list, ...arrows[event.key]) || tile;
  else if (event.key === "Home") next = list[0];
  else if (event.key === "End") next = list[list.length - 1];
  else if (event.key === "Escape" || event.key === "Backspace") {
    if (current.parent) show(current.parent, current);
  } else return;
  event.preventDefault();
  if (next) stop(next);
}

if (top && top.children.length + top[measure] > 0) {
  box.hidden = false;
  all(".tools")[0].hidden = false;
  box.addEventListener("keydown", press);
  box.addEventListener("click", (event) => {
    const tile = event.target.closest("button.tile");
    if (tile) show(tile.directory);
  });
  draw();
}

// -----------------------------------------------------------------------------------------------

if (matchMedia("(max-width: 880px)").matches) byId("contents").open = false;
nameWhatIsShortened();
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  nameWhatIsShortened();
  if (top && !box.hidden) draw();
});
