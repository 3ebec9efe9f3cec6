// What stands around every view: the views, the roots, the way to the directory, and how fresh all this is.
import { here, linkTo, views } from "./address.js";
import { connection } from "./api.js";
import { catalog, directory } from "./catalog.js";
import { byId, make, nameElement, pathElement, visible } from "./dom.js";
import { ago, bytes, fullDate } from "./format.js";
import { entryIcon, sign } from "./icons.js";
import { isWithin, nameOf, pathOf, placeOf } from "./place.js";
import { t } from "./texts.js";

/// What leads to another directory in the same view.
const at = (place) => ({ in: place ? [place] : [], q: "", scope: "", entry: "", details: "" });

export function drawViews() {
  byId("views").replaceChildren(...views.map((view) => make("li", {},
    make("a", { href: linkTo({ view, details: "" }), "aria-current": view === here.state.view ? "page" : null },
      sign(view), make("span", {}, t(`views.${view}`))))));
}

export function drawRoots() {
  const largest = Math.max(1, ...catalog.roots.map((root) => root.total_allocated ?? 0));
  const current = directory();
  const items = catalog.roots.map((root) => {
    const place = placeOf(root), isOffline = root.state === "offline";
    const bar = make("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--part", (root.total_allocated ?? 0) / largest);
    const when = root.last_scan_at ? t("roots.scanned", { ago: ago(root.last_scan_at) }) : "";
    return make("li", {}, make("a", {
      href: linkTo(at(place)), class: isOffline ? "offline" : "", title: [visible(root.path), when].filter(Boolean).join("\n"),
      "aria-current": current && isWithin(current, place) ? "true" : null,
    }, entryIcon({ kind: "directory", depth: 0 }), pathElement(root.path, { class: "name" }),
    make("span", { class: "amount" }, isOffline ? t("roots.offline") : bytes(root.total_allocated ?? 0)), bar));
  });
  byId("roots").querySelector("ul").replaceChildren(...items);
  byId("roots").hidden = items.length === 0;
}

/// The way from all roots to the directory. Every step leads there.
export function drawCrumbs() {
  const place = directory();
  const steps = [];
  const several = here.state.in.length > 1;
  if (place || several) steps.push(make("a", { href: linkTo(at(null)) }, t("roots.all")));
  else steps.push(make("span", { "aria-current": "page" }, t("roots.all")));
  if (several) steps.push(make("span", { "aria-current": "page" }, t("directories", { count: here.state.in.length })));
  const way = place ? catalog.wayTo(place) : [];
  way.forEach((each, index) => {
    const label = index === 0 ? pathElement(pathOf(each)) : nameElement(nameOf(each));
    steps.push(each === place ? make("span", { "aria-current": "page" }, label)
      : make("a", { href: linkTo(at(each)) }, label));
  });
  byId("crumbs").replaceChildren(make("ol", {}, steps.map((step) => make("li", {}, step))));
  byId("crumbs").scrollLeft = byId("crumbs").scrollWidth;
}

/// Whether changes arrive by themselves, and how old what is shown is.
export function drawLive(isLive) {
  const state = connection.isLost ? "lost" : isLive ? "on" : "off";
  const element = byId("live");
  element.className = state;
  element.replaceChildren(make("span", { class: "dot", "aria-hidden": "true" }), make("span", { class: "word" }, t(`live.${state}`)));
  element.title = t(`live.${state}`);
}

/// The line at the foot: parts that are null are left out.
export function drawStatus(...parts) {
  const scanned = catalog.lastScan;
  byId("status").replaceChildren(
    make("span", { class: "left" }, parts.filter(Boolean).map((part) => make("span", {}, part))),
    make("span", { class: "right" }, scanned ? make("time", { title: fullDate(scanned) }, t("state.at", { ago: ago(scanned) })) : ""));
}

export function drawTitle(text) {
  byId("title").textContent = visible(text);
  document.title = `${visible(text)} \u2013 filecat`;
}

/// What the directory is called in titles.
export const directoryName = () => (directory() ? nameOf(directory()) : t("roots.all"));
