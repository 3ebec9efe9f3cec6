// Small parts that several views are made of.
import { announce, make } from "./dom.js";
import { sign } from "./icons.js";
import { t } from "./texts.js";

let groups = 0;

/// A choice of one of a few: `options` are pairs of a value and what it is called.
export function choice(label, options, value, choose, icons = {}) {
  const name = `choice-${groups += 1}`;
  return make("fieldset", { class: "choice" },
    make("legend", { class: "unseen" }, label),
    options.map(([each, title]) => {
      const input = make("input", { type: "radio", name, value: each, checked: each === value });
      input.addEventListener("change", () => choose(each));
      const seen = icons[each] ? [sign(icons[each]), make("span", { class: "word" }, title)] : [make("span", {}, title)];
      return make("label", { title: icons[each] ? title : null }, input, ...seen);
    }));
}

/// A box to be ticked.
export function tick(label, isOn, change) {
  const input = make("input", { type: "checkbox", checked: isOn });
  input.addEventListener("change", () => change(input.checked));
  return make("label", { class: "tick" }, input, make("span", {}, label));
}

/// A button with a sign and a word.
export function button(icon, label, action, attributes = {}) {
  return make("button", { type: "button", class: "plain", onclick: action, ...attributes },
    icon ? sign(icon) : null, make("span", {}, label));
}

/// A button that is nothing but a sign.
export function signButton(icon, label, action, attributes = {}) {
  return make("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: action, ...attributes }, sign(icon));
}

/// Copies a text, and says so.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that are not secure have no clipboard, but may copy what is selected.
    const area = make("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    if (!isDone) return announce(t("copied.not"));
  }
  announce(t("copied"));
}

/// A button that copies a text; for a moment it says that it did.
export function copyButton(label, text) {
  const word = make("span", {}, label);
  const element = make("button", { type: "button", class: "plain" }, sign("copy"), word);
  element.addEventListener("click", async () => {
    await copy(text());
    word.textContent = t("copied");
    setTimeout(() => { word.textContent = label; }, 1400);
  });
  return element;
}

/// Opens a menu below a button, within the window.
export function placeMenu(menu, opener) {
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "open") { opener().setAttribute("aria-expanded", "false"); return; }
    const button = opener();
    button.setAttribute("aria-expanded", "true");
    const from = button.getBoundingClientRect();
    menu.style.top = `${Math.min(from.bottom + 6, Math.max(8, innerHeight - menu.offsetHeight - 8))}px`;
    menu.style.left = `${Math.max(8, Math.min(from.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8))}px`;
    menu.querySelector("input, button")?.focus();
  });
}

/// What a view says in place of what it has not got.
export function emptiness(text, ...more) { return make("div", { class: "empty" }, make("p", {}, text), ...more); }
