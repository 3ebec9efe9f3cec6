// Elements, made in one line. Whatever comes from a catalog becomes text, never markup.

/// An element with attributes and children; a child that is null or false is left out.
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/// The same for drawings.
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/// What a terminal may obey and a browser may hide: controls, separators of lines, and what reorders the text
/// around it, with which `gpj.exe` can be made to read `exe.jpg`.
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const short = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (scalar) => short[scalar] ?? `\\u{${scalar.codePointAt(0).toString(16)}}`;

/// The text with what cannot be seen in it written out, as the command prints it.
export function visible(text) {
  return controls.test(text) ? [...text].map((each) => (controls.test(each) ? escaped(each) : each)).join("") : text;
}

/// Puts a text into an element; controls stand out.
export function setText(element, text) {
  if (!controls.test(text)) {
    element.textContent = text;
    return element;
  }
  const parts = [];
  let plain = "";
  for (const each of text) {
    if (!controls.test(each)) { plain += each; continue; }
    if (plain) parts.push(plain);
    plain = "";
    parts.push(make("span", { class: "control" }, escaped(each)));
  }
  if (plain) parts.push(plain);
  element.replaceChildren(...parts);
  return element;
}

/// A name that runs in its own direction, whatever stands around it.
export const nameElement = (text, attributes = {}) =>
  setText(make("bdi", { dir: "auto", ...attributes }), text);

/// A path: its components one after the other from left to right, each in its own direction.
export function pathElement(path, attributes = {}) {
  const element = make("span", { dir: "ltr", ...attributes });
  path.split("/").forEach((component, index) => {
    if (index > 0) element.append("/");
    if (component) element.append(nameElement(component));
  });
  return element;
}

/// Says something to who does not see the page.
export function announce(text) {
  const element = byId("announcements");
  // The same words twice are news, too.
  element.textContent = element.textContent === text ? `${text}\u00a0` : text;
}

/// Runs an action once what it is called for has been quiet for so many milliseconds.
export function whenQuiet(milliseconds, action) {
  let timer = 0;
  const call = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

/// Whether things may move.
export const mayMove = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;
