// Draws the page from the data beside it. Whatever comes from the catalog becomes text, never markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "onclick") element.addEventListener("click", value);
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  // Numbers ---------------------------------------------------------------------------------------

  // Rounded up, as du -h does: what is shown is never less than what is there.
  const count = (value) => value.toLocaleString("en-US");
  function bytes(value) {
    const units = ["", "K", "M", "G", "T", "P", "E"];
    let rest = Math.abs(value), unit = 0;
    while (rest >= 1024 && unit < units.length - 1) { rest /= 1024; unit += 1; }
    const digits = unit > 0 && rest <= 9.9 ? (Math.ceil(rest * 10) / 10).toFixed(1) : String(Math.ceil(rest));
    return (value < 0 ? "−" : "") + digits + units[unit];
  }
  function date(seconds) {
    const moment = new Date(seconds * 1000);
    if (Number.isNaN(moment.getTime())) return String(seconds);
    const two = (value) => String(value).padStart(2, "0");
    return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} `
      + `${two(moment.getHours())}:${two(moment.getMinutes())}`;
  }
  const forms = { bytes, seconds: date, number: count };
  const isNumeric = (form) => form in forms || form === "identifier";
  // What would turn text around it over is shown as what it is.
  const shown = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);
  const text = (value, form) => forms[form] ? forms[form](value) : shown(String(value));

  // Head ------------------------------------------------------------------------------------------

  byId("about").textContent = `${shown(data.subject)} · made on ${date(data.made)}`;
  for (const root of data.roots) {
    byId("roots").append(make("div", { class: "root" },
      make("span", { class: "path" }, shown(root.path)),
      make("b", {}, bytes(root.allocated) + " on disk"),
      make("small", {}, `${bytes(root.size)} in ${count(root.files)} files, `
        + `${count(root.directories)} directories`)));
  }

  // Treemap ---------------------------------------------------------------------------------------

  const directories = data.directories.map(([parent, name, files, size, allocated], index) =>
    ({ index, parent, name: shown(name), files, size, allocated, children: [] }));
  const tops = [];
  for (const directory of directories) {
    if (directory.parent < 0) tops.push(directory); else directories[directory.parent].children.push(directory);
  }
  const everything = tops.length === 1 ? tops[0]
    : { index: -1, parent: -2, name: "all roots", children: tops, isSum: true,
        files: 0, size: 0, allocated: 0 };
  if (everything.isSum) {
    for (const top of tops) for (const key of ["files", "size", "allocated"]) everything[key] += top[key];
    for (const top of tops) top.isTop = true;
  }
  const measures = { allocated: ["on disk", bytes], size: ["size", bytes], files: ["files", count] };
  let measure = everything.allocated > 0 ? "allocated" : everything.size > 0 ? "size" : "files";
  let current = everything;
  const parentOf = (directory) => directory === everything ? null
    : directory.parent >= 0 ? directories[directory.parent] : everything;

  // Squarified treemaps, after Bruls, Huizing and van Wijk (2000): rows of areas that are as square
  // as can be, laid along the shorter side.
  function squarify(items, x, y, width, height, place) {
    let total = items.reduce((sum, item) => sum + item.value, 0);
    let start = 0;
    while (start < items.length && width > 0.5 && height > 0.5) {
      const side = Math.min(width, height), scale = (width * height) / total;
      let end = start, sum = 0, worst = Infinity;
      while (end < items.length) {
        const next = sum + items[end].value;
        const ratio = (area) => Math.max((side * side * area * scale) / (next * scale) ** 2,
          (next * scale) ** 2 / (side * side * area * scale));
        const would = Math.max(ratio(items[start].value), ratio(items[end].value));
        if (would > worst) break;
        worst = would; sum = next; end += 1;
      }
      const thickness = (sum * scale) / side;
      let offset = 0;
      for (; start < end; start += 1) {
        const length = side * (items[start].value / sum);
        if (width >= height) place(items[start], x, y + offset, thickness, length);
        else place(items[start], x + offset, y, length, thickness);
        offset += length;
      }
      if (width >= height) { x += thickness; width -= thickness; } else { y += thickness; height -= thickness; }
      total -= sum;
    }
  }

  function fill(into, directory, width, height, level, hue) {
    const items = directory.children.map((child) => ({ child, value: child[measure] })).filter((item) => item.value > 0);
    const rest = directory[measure] - items.reduce((sum, item) => sum + item.value, 0);
    if (rest > 0) items.push({ child: null, value: rest });
    items.sort((a, b) => b.value - a.value);
    if (items.length === 0) return;
    // Colours tell neighbours apart: those inside the only large one, where there is such a one.
    const isColoured = level === 0 || (level === 1 && into.dataset.few);
    const few = level === 0 && items.filter((item) => item.value * 20 > directory[measure]).length < 3;
    squarify(items, 0, 0, width, height, (item, x, y, w, h) => {
      if (w < 3 || h < 3) return;
      const amount = measures[measure][1](item.value);
      const label = item.child ? item.child.name : "files and small directories";
      const tile = make(item.child ? "button" : "div", { class: item.child ? "tile" : "tile rest",
        title: `${label}: ${amount} ${measures[measure][0]}` });
      const own = isColoured ? Math.round(hue + items.indexOf(item) * 137.5) % 360 : hue;
      tile.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px`;
      tile.style.setProperty("--hue", own);
      tile.style.setProperty("--level", level);
      if (w > 34 && h > 18) tile.append(make("span", {}, w > 90 ? `${label}  ${amount}` : label));
      into.append(tile);
      if (!item.child) return;
      tile.addEventListener("click", (event) => { event.stopPropagation(); show(item.child); });
      if (level < 2 && w > 50 && h > 46 && item.child.children.length > 0) {
        const inner = make("div", few ? { "data-few": "yes" } : {});
        inner.style.cssText = `position:absolute;left:${x + 3}px;top:${y + 20}px;width:${w - 6}px;height:${h - 23}px`;
        into.append(inner);
        fill(inner, item.child, w - 6, h - 23, level + 1, own);
      }
    });
  }

  function drawMap() {
    const box = byId("treemap");
    box.replaceChildren();
    fill(box, current, box.clientWidth, box.clientHeight, 0, 210);
    const steps = [];
    for (let directory = parentOf(current); directory; directory = parentOf(directory)) steps.unshift(directory);
    byId("trail").replaceChildren(
      ...steps.flatMap((directory) => [make("button", { onclick: () => show(directory) }, directory.name), "›"]),
      make("span", {}, `${current.name} · ${measures[measure][1](current[measure])}`));
    byId("measures").replaceChildren(...Object.entries(measures).map(([key, [title]]) =>
      make("button", { "aria-pressed": key === measure, onclick: () => { measure = key; drawMap(); } }, title)));
  }
  function show(directory) { current = directory; drawMap(); }
  if (directories.length > 0) {
    byId("map").hidden = false;
    drawMap();
    let width = byId("treemap").clientWidth;
    addEventListener("resize", () => {
      if (byId("treemap").clientWidth !== width) { width = byId("treemap").clientWidth; drawMap(); }
    });
  }

  // History ---------------------------------------------------------------------------------------

  function drawing(name, attributes, ...children) {
    const element = document.createElementNS(byId("ink").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function chart(title, series, format) {
    const points = series.flatMap((line) => line.points);
    const width = 520, height = 190, left = 52, right = 12, top = 10, bottom = 24;
    const times = points.map((point) => point[0]);
    const first = Math.min(...times), last = Math.max(...times);
    const high = Math.max(1, ...points.map((point) => point[1]));
    const x = (time) => left + (last > first ? (time - first) / (last - first) : 0.5) * (width - left - right);
    const y = (value) => height - bottom - (value / high) * (height - top - bottom);
    const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
    for (const part of [0, 0.5, 1]) {
      svg.append(drawing("line", { x1: left, x2: width - right, y1: y(high * part), y2: y(high * part) }),
        drawing("text", { x: left - 6, y: y(high * part) + 4, "text-anchor": "end" }, format(Math.round(high * part))));
    }
    svg.append(drawing("text", { x: left, y: height - 6 }, date(first)),
      drawing("text", { x: width - right, y: height - 6, "text-anchor": "end" }, date(last)));
    series.forEach((line) => {
      const group = drawing("g", {});
      group.style.setProperty("--hue", line.hue);
      group.append(drawing("path", { d: line.points.map((point, index) =>
        `${index ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`).join("") }));
      for (const point of line.points) {
        group.append(drawing("circle", { cx: x(point[0]), cy: y(point[1]), r: 3 },
          drawing("title", {}, `${date(point[0])}: ${format(point[1])}`)));
      }
      svg.append(group);
    });
    return make("figure", {}, make("figcaption", {}, title), svg);
  }

  const lines = data.history.filter((line) => line.points.length > 1)
    .map((line, index) => ({ ...line, hue: Math.round(210 + index * 137.5) % 360 }));
  if (lines.length > 0) {
    byId("history").hidden = false;
    const pick = (column) => lines.map((line) => ({ hue: line.hue,
      points: line.points.filter((point) => point[column] !== null).map((point) => [point[0], point[column]]) }))
      .filter((line) => line.points.length > 1);
    byId("charts").append(chart("Entries, scan by scan", pick(1), count));
    if (pick(2).length > 0) byId("charts").append(chart("On disk, scan by scan", pick(2), bytes));
    for (const line of lines) {
      const legend = make("div", { class: "legend" }, shown(line.root));
      legend.style.setProperty("--hue", line.hue);
      byId("history").append(legend);
    }
  }

  // Tables ----------------------------------------------------------------------------------------

  function compare(a, b) {
    if (a === b) return 0;
    if (a === null) return 1;
    if (b === null) return -1;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;
  }

  function table(report) {
    const shownColumns = report.columns.map((column, index) => ({ ...column, index }));
    const barIndex = report.columns.findIndex((column) => column.name === report.measure);
    const longest = Math.max(1, ...report.rows.map((row) => Math.abs(row[barIndex] || 0)));
    const body = make("tbody", {});
    const fillBody = (rows) => body.replaceChildren(...rows.map((row) => {
      const line = make("tr", {});
      for (const column of shownColumns) {
        const value = row[column.index];
        const cell = make("td", isNumeric(column.form) ? { class: "number" } : {});
        if (value === null) cell.append(make("span", { class: "absent" }, "–"));
        else cell.append(text(value, column.form));
        line.append(cell);
        if (column.index === barIndex) {
          const bar = make("i", value < 0 ? { class: "loss" } : {});
          bar.style.width = `${(Math.abs(value || 0) / longest) * 100}%`;
          line.append(make("td", { class: "bar" }, bar));
        }
      }
      return line;
    }));
    const heads = [];
    const head = make("tr", {});
    for (const column of shownColumns) {
      const cell = make("th", isNumeric(column.form) ? { class: "number", scope: "col" } : { scope: "col" });
      cell.append(make("button", { onclick: () => {
        const way = cell.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
        for (const other of heads) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", way);
        const sign = way === "ascending" ? 1 : -1;
        fillBody([...report.rows].sort((a, b) => {
          const [x, y] = [a[column.index], b[column.index]];
          return x === null || y === null ? compare(x, y) : sign * compare(x, y);
        }));
      } }, column.title));
      heads.push(cell);
      head.append(cell);
      if (column.index === barIndex) head.append(make("th", { "aria-hidden": "true" }));
    }
    fillBody(report.rows);
    return make("section", { class: report.isWide ? "wide" : "", id: report.name },
      make("h2", {}, report.title), make("p", { class: "abstract" }, report.abstract),
      make("div", { class: "table" }, make("table", {}, make("thead", {}, head), body)));
  }
  byId("reports").append(...data.reports.filter((report) => report.rows.length > 0).map(table));
})();
