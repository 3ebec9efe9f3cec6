// The page: shows the view that the address names, and passes on what happens.
import { here, views } from "./js/address.js";
import { Problem, connection } from "./js/api.js";
import { catalog } from "./js/catalog.js";
import { Changes } from "./js/changes.js";
import { Details } from "./js/details.js";
import { announce, byId, make, setText } from "./js/dom.js";
import { Files } from "./js/files.js";
import { setLocale } from "./js/format.js";
import { drawCrumbs, drawLive, drawRoots, drawViews } from "./js/frame.js";
import { Growth } from "./js/growth.js";
import { MapView } from "./js/map.js";
import { applyTheme, drawSettings, setUpMenus, showHelp } from "./js/menus.js";
import { Reports } from "./js/reports.js";
import { Search } from "./js/search.js";
import { recall, remember } from "./js/settings.js";
import { setLanguage, t, translate } from "./js/texts.js";
import { button } from "./js/widgets.js";

applyTheme();
setLanguage(recall("language", null));
setLocale();
translate();
setUpMenus();

const shown = { files: new Files(), map: new MapView(), growth: new Growth(), changes: new Changes(), reports: new Reports() };
const details = new Details();
const search = new Search();
let current = null;

// Showing -----------------------------------------------------------------------------------------

function show(how) {
  const { view, q } = here.state;
  notice(null);
  if (current !== view) {
    if (current) shown[current].hide();
    for (const each of views) byId(each).hidden = each !== view;
    document.body.dataset.view = view;
    current = view;
    // The table hears of changes by itself: one connection is enough for a page.
    catalog.listens = view !== "files";
    drawLive(view === "files" ? shown.files.isLive : catalog.isLive);
  }
  if (!search.isFocused) search.set(view === "files" ? q : "");
  drawFrame();
  shown[view].show(how);
  details.show();
}

function drawFrame() {
  drawViews();
  drawRoots();
  drawCrumbs();
}

function relabel(code) {
  remember("language", code);
  setLanguage(code);
  setLocale();
  translate();
  drawSettings(relabel);
  drawFrame();
  drawLive(current === "files" ? shown.files.isLive : catalog.isLive);
  for (const view of views) if (view === current) shown[view].retranslate();
  details.show({ again: true });
  byId("settings").querySelector(`input[value="${code}"]`)?.focus();
}

// What went wrong ---------------------------------------------------------------------------------

/// Says something above the view; null takes it away.
function notice(text, ...actions) {
  const element = byId("notice");
  element.hidden = text === null;
  element.replaceChildren(...(text === null ? [] : [setText(make("span", {}), text), ...actions]));
}

function failed({ error }) {
  if (!(error instanceof Problem)) console.error(error);
  const text = error instanceof Problem && error.status === 429 ? t("failed.tables")
    : error instanceof Problem && error.status === 404 ? t("failed.missing") : t("failed", { detail: error.message });
  notice(text, button(null, t("retry"), () => { notice(null); shown[current].show(); }));
}

for (const view of Object.values(shown)) view.addEventListener("failed", failed);
catalog.addEventListener("failed", failed);

connection.addEventListener("lost", () => {
  document.body.classList.add("lost");
  drawLive(false);
  notice(t("lost"));
  announce(t("lost"));
});
connection.addEventListener("back", () => {
  document.body.classList.remove("lost");
  drawLive(false);
  notice(null);
  announce(t("back"));
});

// What changes ------------------------------------------------------------------------------------

here.addEventListener("change", ({ how, before }) => {
  show(how);
  if (before.view !== here.state.view && how === "went" && !search.isFocused) byId("main").focus({ preventScroll: true });
});
catalog.addEventListener("roots", drawFrame);
catalog.addEventListener("live", () => { if (current !== "files") drawLive(catalog.isLive); });
catalog.addEventListener("changed", () => {
  if (current === "files") shown.files.catalogChanged();
  else shown[current].show({ again: true });
});
setInterval(() => { if (!document.hidden) drawFrame(); }, 60_000);

search.addEventListener("query", ({ text, isTyping, isFirst }) => {
  here.go({ view: "files", q: text, scope: "", sort: "", entry: "", details: "" }, { step: isFirst });
  if (!isTyping) shown.files.focus();
});
search.addEventListener("leave", () => {
  if (current === "files") shown.files.focus(); else byId("main").focus();
});

byId("skip").addEventListener("click", () => {
  if (current === "files") shown.files.focus(); else byId("main").focus();
});

// Keys that mean the same everywhere.
addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=radio], [type=checkbox]), textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && !isTyping && !byId("help").open && here.state.details) return here.go({ details: "" }, { step: false });
  if (isTyping || byId("help").open) return;
  if (event.key === "/") {
    event.preventDefault();
    search.focus();
  } else if (event.key === "?") {
    event.preventDefault();
    showHelp();
  } else if (/^[1-5]$/.test(event.key)) {
    here.go({ view: views[Number(event.key) - 1], details: "" });
  } else if (event.key === "Backspace" && event.target === document.body) {
    shown.files.out();
  } else if (["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].includes(event.key) && event.target === document.body && current === "files") {
    event.preventDefault();
    shown.files.focus();
  }
});

drawSettings(relabel);
await catalog.load();
show("travelled");
