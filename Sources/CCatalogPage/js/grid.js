// The table of entries on the screen: the rows that are looked at, and nothing else, in a grid that keys move through.
import { headOf, sortOf } from "./columns.js";
import { announce, make, mayMove } from "./dom.js";
import { sign } from "./icons.js";
import { Scroller } from "./scroller.js";
import { t } from "./texts.js";

const slide = { duration: 260, easing: "cubic-bezier(.2, .7, .2, 1)" };
/// What a row has at its sides.
const padding = 14;
/// How long a row that has come or changed stands out.
const freshness = 2600;

/// Says `select`, `enter` (go in, or show more), `out`, `sort` (with a key), `resize`, `shown` (rows were drawn).
export class Grid extends EventTarget {
  /// The index of the row that is selected; null if none is.
  selected = null;

  #box;
  #rows;
  #head = make("div", { role: "rowgroup", class: "head" });
  #body = make("div", { role: "rowgroup", class: "body" });
  #layer = make("div", { class: "layer" });
  #scroller;
  #columns = [];
  #sort = "";
  #widths;
  #context = {};
  #yields = [];
  #wide = "";
  #isNarrow = false;
  #rowHeight = 28;
  /// Elements of rows by what they show.
  #shown = new Map();
  #spare = [];
  /// Indexes of rows that have just come or changed, with the time until which they stand out.
  #fresh = new Map();
  #frame = 0;

  constructor(box, rows, widths) {
    super();
    this.#box = box;
    this.#rows = rows;
    this.#widths = widths;
    const track = make("div", { class: "track" }, this.#layer);
    this.#layer.append(this.#head, this.#body);
    box.append(track);
    this.#scroller = new Scroller(box, track, () => this.#draw());
    box.addEventListener("keydown", (event) => this.#press(event));
    this.#body.addEventListener("click", (event) => this.#click(event));
    this.#body.addEventListener("dblclick", (event) => this.#double(event));
    this.#body.addEventListener("pointerover", (event) => this.#nameWhatIsCut(event.target.closest?.("[role=gridcell]")));
    new ResizeObserver(() => this.#resized()).observe(box);
    rows.addEventListener("rows", () => this.#draw());
    rows.addEventListener("diff", (event) => this.#change(event.diff));
  }

  // What is shown ---------------------------------------------------------------------------------

  /// Shows these columns, in this order; `context` is what cells need beside their row. Where there is no room for all,
  /// those that `yields` names are left out, the first of them first.
  show({ columns, sort, context, yields }) {
    this.#columns = columns;
    this.#sort = sort;
    this.#context = context;
    this.#yields = yields;
    this.#buildHead();
    this.#forget();
    this.#resized();
  }

  /// The table is another one, or begins anew.
  restart({ top = 0, keeps = false } = {}) {
    this.#fresh.clear();
    this.#box.setAttribute("aria-rowcount", this.#rows.count + 1);
    this.#scroller.setExtent(this.#rows.count * this.#rowHeight);
    if (!keeps) {
      this.selected = null;
      this.#scroller.top = top;
    } else if (this.selected !== null && this.selected >= this.#rows.count) {
      this.selected = this.#rows.count > 0 ? this.#rows.count - 1 : null;
    }
    this.#draw();
  }

  get top() { return this.#scroller.top; }
  get rowHeight() { return this.#rowHeight; }
  get selectedRow() { return this.selected === null ? undefined : this.#rows.at(this.selected); }
  focus() { this.#box.focus({ preventScroll: true }); }

  /// How many rows fit.
  get pageSize() { return Math.max(1, Math.floor(this.#scroller.viewport / this.#rowHeight)); }

  #resized() {
    const wasNarrow = this.#isNarrow;
    this.#isNarrow = this.#box.clientWidth > 0 && this.#box.clientWidth < 560;
    const height = parseFloat(getComputedStyle(this.#box).getPropertyValue("--row")) || 28;
    const row = this.#scroller.top / this.#rowHeight;
    this.#rowHeight = this.#isNarrow ? Math.max(height, 52) : height;
    const wide = this.#shownColumns.map((column) => column.id).join();
    if (this.#isNarrow !== wasNarrow || wide !== this.#wide) { this.#buildHead(); this.#forget(); }
    this.#scroller.head = this.#head.offsetHeight;
    this.#layer.style.height = `${this.#box.clientHeight}px`;
    this.#scroller.setExtent(this.#rows.count * this.#rowHeight);
    if (row > 0) this.#scroller.top = row * this.#rowHeight;
    this.#arrange();
    this.#draw();
  }

  /// On a narrow screen a row has two lines: the name with what is known of it, and the size.
  get #shownColumns() {
    if (!this.#isNarrow) return this.#fitting;
    const { key } = sortOf(this.#sort);
    const amounts = this.#columns.filter((column) => column.measure);
    const amount = amounts.find((column) => column.sort === key) ?? amounts[0];
    return amount ? [this.#columns[0], amount] : this.#columns.slice(0, 1);
  }

  get #fitting() {
    const room = this.#box.clientWidth - padding;
    const width = (columns) => columns.reduce((sum, column) => sum + (this.#widths.get(column.id) ?? (column.width || 240)), 0);
    let columns = this.#columns;
    for (const id of this.#yields) {
      if (room <= 0 || width(columns) <= room) break;
      columns = columns.filter((column) => column.id !== id);
    }
    return columns;
  }

  #arrange() {
    const columns = this.#shownColumns, given = (column) => this.#widths.get(column.id) ?? column.width;
    // The name takes what the others leave, but not so much that the eye loses the row.
    const rest = this.#box.clientWidth - padding - columns.reduce((sum, column) => sum + given(column), 0);
    const parts = columns.map((column) => {
      if (column.width > 0 || (this.#widths.has(column.id) && !this.#isNarrow)) return `${given(column)}px`;
      return this.#isNarrow ? "minmax(0, 1fr)" : `${Math.max(200, Math.min(rest, 720))}px`;
    });
    this.#box.style.setProperty("--columns", parts.join(" "));
  }

  // The head --------------------------------------------------------------------------------------

  #buildHead() {
    const { key, descending } = sortOf(this.#sort);
    const columns = this.#shownColumns;
    this.#wide = columns.map((column) => column.id).join();
    this.#box.setAttribute("aria-colcount", columns.length);
    const cells = columns.map((column, index) => {
      // Two columns may sort by the same; the first of them says so.
      const isSorted = column.sort === key && columns.findIndex((each) => each.sort === key) === index;
      const label = headOf(column);
      const head = make("div", {
        role: "columnheader", "aria-colindex": index + 1, class: classOf(column),
        "aria-sort": isSorted ? (descending ? "descending" : "ascending") : column.sort ? "none" : null,
      });
      if (!column.sort) { head.append(make("span", { class: "label" }, label)); return head; }
      const button = make("button", { type: "button", class: "label", "aria-label": column.id === "share" ? t("column.share") : null },
        make("span", {}, label), isSorted ? sign(descending ? "down" : "up") : null);
      button.addEventListener("click", () => this.#send("sort", { column }));
      button.addEventListener("keydown", (event) => {
        if (!event.shiftKey || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        this.#resize(column, head.offsetWidth + (event.key === "ArrowLeft" ? -16 : 16));
      });
      head.append(button);
      if (!this.#isNarrow) head.append(this.#grip(column, head));
      return head;
    });
    const focused = [...this.#head.querySelectorAll("button")].indexOf(document.activeElement);
    this.#head.replaceChildren(make("div", { role: "row", class: "row", "aria-rowindex": 1 }, cells));
    if (focused >= 0) this.#head.querySelectorAll("button")[focused]?.focus();
  }

  #grip(column, head) {
    const grip = make("span", { class: "grip", title: t("column.resize", { column: headOf(column) }), "aria-hidden": "true" });
    grip.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      const start = event.clientX, width = head.offsetWidth;
      const move = (moved) => this.#resize(column, width + moved.clientX - start);
      grip.addEventListener("pointermove", move);
      grip.addEventListener("lostpointercapture", () => grip.removeEventListener("pointermove", move), { once: true });
    });
    grip.addEventListener("dblclick", () => { this.#widths.delete(column.id); this.#arrange(); this.#send("resize"); });
    return grip;
  }

  #resize(column, width) {
    this.#widths.set(column.id, Math.round(Math.max(column.least ?? 56, Math.min(width, 1200))));
    this.#arrange();
    this.#send("resize");
  }

  // Rows ------------------------------------------------------------------------------------------

  #draw() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => { this.#frame = 0; this.#render(); });
  }

  /// The rows that can be seen, be it in part.
  get #range() {
    const first = Math.floor(this.#scroller.top / this.#rowHeight);
    const last = Math.ceil((this.#scroller.top + this.#scroller.viewport) / this.#rowHeight) - 1;
    return [first, Math.min(last, this.#rows.count - 1)];
  }

  #y(index) { return index * this.#rowHeight - this.#scroller.top; }

  #render() {
    if (this.#box.clientHeight === 0) return;
    const [first, last] = this.#range;
    this.#rows.want(first, last);
    const before = this.#shown, now = performance.now();
    this.#shown = new Map();
    const missing = [];
    for (let index = first; index <= last; index += 1) {
      const row = this.#rows.at(index);
      const key = row ? row.id : `hole ${index}`;
      const element = before.get(key);
      if (element) { before.delete(key); this.#shown.set(key, element); }
      missing.push([index, row, key, element]);
    }
    for (const element of before.values()) this.#spare.push(element);
    for (const [index, row, key, kept] of missing) {
      const element = kept ?? this.#spare.pop() ?? this.#body.appendChild(make("div", { role: "row", class: "row" }));
      if (!kept) {
        element.getAnimations().forEach((animation) => animation.cancel());
        this.#shown.set(key, element);
      }
      this.#fill(element, index, row, now);
    }
    for (const element of this.#spare.splice(0)) element.remove();
    const active = this.selected !== null && this.selected >= first && this.selected <= last;
    if (active) this.#box.setAttribute("aria-activedescendant", `row-${this.selected}`);
    else this.#box.removeAttribute("aria-activedescendant");
    this.#box.setAttribute("aria-busy", !this.#rows.isComplete);
    this.#send("shown", { first, last });
  }

  #fill(element, index, row, now) {
    element.style.transform = `translateY(${this.#y(index)}px)`;
    if (element.ariaRowIndex !== String(index + 2)) {
      element.id = `row-${index}`;
      element.setAttribute("aria-rowindex", index + 2);
    }
    element.setAttribute("aria-selected", index === this.selected);
    const fresh = this.#fresh.get(index);
    element.classList.toggle("fresh", fresh !== undefined && fresh > now);
    if (element.row === row && element.columns === this.#columns && !element.isOld) return;
    if (fresh > now && element.row && row && element.row !== row && element.row.id === row.id) this.#flash(element);
    element.row = row;
    element.columns = this.#columns;
    element.isOld = false;
    element.classList.toggle("hole", !row);
    element.classList.toggle("dim", Boolean(row) && row.name.startsWith("."));
    const columns = this.#shownColumns;
    while (element.childElementCount > columns.length) element.lastElementChild.remove();
    columns.forEach((column, at) => {
      const cell = element.children[at] ?? element.appendChild(make("div", { role: "gridcell" }));
      cell.className = classOf(column);
      cell.setAttribute("aria-colindex", at + 1);
      cell.removeAttribute("title");
      if (!row) { cell.textContent = at === 0 ? "\u00a0" : ""; return; }
      column.fill(cell, row, this.#context);
      if (column.bar) cell.style.setProperty("--part", Math.max(0, Math.min(1, column.part(row, this.#context))));
    });
    if (row && this.#isNarrow) this.#addSecondLine(element.firstElementChild, row);
    element.classList.toggle("two", this.#isNarrow);
  }

  #addSecondLine(cell, row) {
    const line = make("span", { class: "more" });
    const isShown = (id) => this.#columns.find((column) => column.id === id);
    for (const id of ["modified", "directory"]) {
      const column = isShown(id);
      if (!column) continue;
      const part = make("span", {});
      column.fill(part, row, this.#context);
      part.removeAttribute("title");
      if (part.textContent) line.append(part);
    }
    cell.append(line);
  }

  /// Every row is to be filled anew.
  #forget() { for (const element of this.#shown.values()) element.isOld = true; }

  // Changes ---------------------------------------------------------------------------------------

  /// Lets rows go to where a diff says that they are now, so that one sees what has come and what has gone.
  #change(diff) {
    if (this.#frame) { cancelAnimationFrame(this.#frame); this.#frame = 0; }
    const places = new Map(), now = performance.now();
    for (const element of this.#shown.values()) {
      if (element.row) places.set(element.row.id, element.getBoundingClientRect().top);
    }
    const gone = [...this.#shown.values()].filter((element) =>
      element.row && diff.deletions.has(Number(element.id.slice(4))));
    const [first] = this.#range;
    this.#keepPlace(diff, first);
    const fresh = new Map();
    for (const [index, until] of this.#fresh) {
      const to = diff.map(index);
      if (to !== null && until > now) fresh.set(to, until);
    }
    let marked = 0;
    for (const index of diff.insertions.indexes()) { if (marked++ > 2000) break; fresh.set(index, now + freshness); }
    for (const index of diff.updates.indexes()) {
      const to = diff.map(index);
      if (to !== null && marked++ < 2000) fresh.set(to, now + freshness);
    }
    this.#fresh = fresh;
    const ghosts = mayMove() ? gone.map((element) => this.#ghost(element)) : [];
    this.#box.setAttribute("aria-rowcount", this.#rows.count + 1);
    this.#render();
    setTimeout(() => this.#draw(), freshness + 20);
    if (!mayMove()) return;
    for (const ghost of ghosts) this.#fade(ghost);
    for (const element of this.#shown.values()) {
      const before = element.row && places.get(element.row.id);
      if (before !== undefined) {
        const step = before - element.getBoundingClientRect().top;
        if (Math.abs(step) > 0.5) this.#move(element, step, diff.hasMoved(Number(element.id.slice(4))));
      } else if (fresh.has(Number(element.id.slice(4)))) {
        this.#arrive(element);
      }
    }
  }

  /// What is at the top stays there, unless that is the very beginning: there one sees what comes.
  #keepPlace(diff, first) {
    const top = this.#scroller.top;
    let anchor = top > 0 ? first : null, to = null;
    for (; anchor !== null && anchor < first + 100; anchor += 1) {
      to = diff.map(anchor);
      if (to !== null) break;
    }
    if (this.selected !== null) {
      const selected = diff.map(this.selected);
      // The selection of a row that is gone passes to what is at its place now.
      this.selected = selected ?? (diff.count > 0 ? Math.min(this.selected, diff.count - 1) : null);
    }
    this.#scroller.setExtent(diff.count * this.#rowHeight);
    if (to !== null) this.#scroller.top = top + (to - anchor) * this.#rowHeight;
  }

  /// Lets a row slide from where it was; one that passes others goes above them.
  #move(element, step, passes) {
    const at = element.style.transform;
    const above = passes ? { zIndex: 1, backgroundColor: "var(--page)" } : {};
    element.animate([{ transform: `${at} translateY(${step}px)`, ...above }, { transform: at, ...above }], slide);
  }

  #arrive(element) {
    const at = element.style.transform;
    element.animate([
      { transform: `${at} translateX(-28px)`, opacity: 0 }, { transform: at, opacity: 1 },
    ], { ...slide, delay: 60, fill: "backwards" });
  }

  /// A picture of a row that is gone, which goes as well.
  #ghost(element) {
    const ghost = element.cloneNode(true);
    ghost.removeAttribute("id");
    ghost.removeAttribute("aria-rowindex");
    ghost.setAttribute("aria-hidden", "true");
    ghost.setAttribute("role", "presentation");
    for (const cell of ghost.children) cell.setAttribute("role", "presentation");
    ghost.classList.add("ghost");
    return ghost;
  }

  #fade(ghost) {
    const at = ghost.style.transform;
    this.#body.append(ghost);
    const leaving = ghost.animate([
      { transform: at, opacity: 1 }, { transform: `${at} translateX(28px)`, opacity: 0 },
    ], slide);
    leaving.addEventListener("finish", () => ghost.remove());
  }

  #flash(element) { if (mayMove()) element.animate([{ opacity: 0.35 }, { opacity: 1 }], { duration: 240 }); }

  // Hands -----------------------------------------------------------------------------------------

  /// What is cut off says all of it where a pointer rests.
  #nameWhatIsCut(cell) {
    if (!cell || cell.title) return;
    if ([cell, ...cell.children].some((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)) cell.title = cell.textContent;
  }

  #indexAt(event) {
    const element = event.target.closest("[role=row]");
    return element?.row ? Number(element.id.slice(4)) : null;
  }

  #click(event) {
    const index = this.#indexAt(event);
    if (index === null) return;
    this.select(index, { reveals: false });
    this.focus();
    // A finger has no second button and no second click.
    if (event.pointerType === "touch" || matchMedia("(hover: none)").matches || this.#isNarrow) this.#send("enter");
  }

  #double(event) { if (this.#indexAt(event) !== null && !this.#isNarrow) this.#send("enter"); }

  /// Selects a row, and shows it.
  select(index, { reveals = true } = {}) {
    if (this.#rows.count === 0) return;
    this.selected = Math.max(0, Math.min(index, this.#rows.count - 1));
    if (reveals) this.reveal(this.selected);
    this.#draw();
    this.#send("select");
  }

  /// Selects nothing.
  deselect() { this.selected = null; this.#draw(); }

  /// Scrolls as little as can be, so that a row is seen whole; to the middle of the box if it was far away.
  reveal(index) {
    const top = index * this.#rowHeight, bottom = top + this.#rowHeight;
    const { top: shown, viewport } = this.#scroller;
    if (top >= shown && bottom <= shown + viewport) return;
    const isFar = bottom < shown - viewport || top > shown + 2 * viewport;
    if (isFar) this.#scroller.top = top - Math.floor(viewport / 2 / this.#rowHeight) * this.#rowHeight;
    else this.#scroller.top = top < shown ? top : bottom - viewport;
  }

  #press(event) {
    if (event.target !== this.#box || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const from = this.selected ?? -1, page = this.pageSize;
    const to = {
      ArrowDown: () => from + 1, ArrowUp: () => Math.max(0, from - 1),
      PageDown: () => Math.max(0, from) + page, PageUp: () => Math.max(0, from) - page,
      Home: () => 0, End: () => this.#rows.count - 1,
    }[event.key];
    if (to && (!isCommand || event.key === "Home" || event.key === "End")) {
      event.preventDefault();
      // A page is a page: what was at the bottom is then at the top.
      if (event.key === "PageDown") this.#scroller.top += page * this.#rowHeight;
      if (event.key === "PageUp") this.#scroller.top -= page * this.#rowHeight;
      return this.select(to());
    }
    if (isCommand) return;
    if (event.key === "Enter" && this.selectedRow) { event.preventDefault(); this.#send("enter"); }
    if (event.key === "Backspace") { event.preventDefault(); this.#send("out"); }
    if (event.key === " ") { event.preventDefault(); this.#send("more"); }
  }

  /// Tells the row that is selected, for who hears the page.
  describe() {
    const row = this.selectedRow;
    if (row) announce(row.name);
  }

  #send(name, values = {}) { this.dispatchEvent(Object.assign(new Event(name), values)); }
}

const classOf = (column) =>
  ["cell", column.id, column.numeric && column.aligned !== "start" ? "numeric" : "", column.bar ? "bar" : ""].filter(Boolean).join(" ");
