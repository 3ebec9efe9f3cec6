// What is asked for now and then: the keys, the language and the appearance.
import { byId, make } from "./dom.js";
import { sign } from "./icons.js";
import { recall, remember } from "./settings.js";
import { allLanguages, language, t } from "./texts.js";
import { choice, placeMenu, signButton } from "./widgets.js";

/// Applies the appearance that was chosen.
export function applyTheme() {
  const theme = recall("theme", "auto");
  document.documentElement.style.colorScheme = { light: "light", dark: "dark" }[theme] ?? "";
}

/// The menu of settings; `relabel` is called with the language that was chosen.
export function drawSettings(relabel) {
  const menu = byId("settings");
  menu.setAttribute("aria-label", t("settings"));
  menu.replaceChildren(
    make("div", { class: "group" }, make("h2", {}, t("theme")),
      choice(t("theme"), ["auto", "light", "dark"].map((each) => [each, t(`theme.${each}`)]), recall("theme", "auto"), (theme) => {
        remember("theme", theme);
        applyTheme();
      })),
    make("div", { class: "group" }, make("h2", {}, t("settings.language")),
      choice(t("settings.language"), allLanguages, language(), relabel)));
}

export function setUpMenus() {
  byId("settings-button").append(sign("settings"));
  byId("help-button").append(sign("help"));
  placeMenu(byId("settings"), () => byId("settings-button"));
  byId("help-button").addEventListener("click", showHelp);
  byId("help").addEventListener("click", (event) => { if (event.target === byId("help")) byId("help").close(); });
}

const keys = [
  ["keys.everywhere", [[["/"], "keys.search"], [["1", "2", "3", "4", "5"], "keys.views"], [["?"], "keys.help"], [["key.escape"], "keys.escape"]]],
  ["keys.table", [[["↑", "↓"], "keys.move"], [["key.page"], "keys.page"], [["key.ends"], "keys.ends"], [["key.enter"], "keys.in"],
    [["key.back"], "keys.out"], [["key.space"], "keys.details"], [["key.copy"], "keys.copy"], [["key.shift"], "keys.resize"]]],
  ["keys.map", [[["←", "↑", "→", "↓"], "keys.tiles"], [["key.enter"], "keys.zoom"], [["key.back"], "keys.unzoom"]]],
];
const examples = [["*.swift", "name"], ["kind:image", "kind"], ["size:>10M", "size"], ["modified:<7d", "modified"],
  ["path:src/**", "path"], ["!hidden:yes", "not"]];

export function showHelp() {
  const dialog = byId("help");
  const list = (rows) => make("dl", {}, rows.map(([caps, text]) => make("div", {},
    make("dt", {}, caps.map((cap) => make("kbd", {}, cap.startsWith("key.") ? t(cap) : cap))), make("dd", {}, t(text)))));
  dialog.replaceChildren(
    make("div", { class: "title" }, make("h2", { id: "help-title" }, t("keys.title")),
      signButton("clear", t("close"), () => dialog.close(), { autofocus: true })),
    make("div", { class: "groups" },
      keys.map(([title, rows]) => make("section", {}, make("h3", {}, t(title)), list(rows))),
      make("section", {}, make("h3", {}, t("keys.query")),
        make("dl", {}, examples.map(([query, key]) => make("div", {}, make("dt", {}, make("code", {}, query)), make("dd", {}, t(`example.${key}`))))),
        make("p", {}, t("keys.query.note")))));
  if (!dialog.open) dialog.showModal();
}
