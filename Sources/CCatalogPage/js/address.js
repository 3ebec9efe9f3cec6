// What the page shows, as it stands in the address bar. It stands behind the #, so that no server gets to read it.

const lists = new Set(["in", "columns"]);
const standard = {
  view: "files", q: "", in: [], scope: "", sort: "", columns: [], entry: "", details: "",
  shape: "", measure: "", report: "", order: "", since: "", kind: "",
};
/// What belongs to one view only.
const keys = {
  files: ["in", "q", "scope", "sort", "columns", "entry", "details"],
  map: ["in", "shape", "measure"],
  growth: ["in", "measure"],
  changes: ["in", "since", "kind", "entry", "details"],
  reports: ["in", "report", "order"],
};
export const views = Object.keys(keys);

class Address extends EventTarget {
  /// What is shown now.
  state = read(location.hash);

  constructor() {
    super();
    addEventListener("popstate", () => this.#take(read(location.hash), "travelled"));
  }

  /// Shows something else. A step can be taken back; without one the current step is changed.
  go(changes, { step = true } = {}) {
    const next = { ...this.state, ...changes };
    if (write(next) === write(this.state)) return;
    if (step) history.pushState(null, "", write(next));
    else history.replaceState(history.state, "", write(next));
    this.#take(next, "went");
  }

  /// Keeps something with the current step that the address does not say.
  keep(values) { history.replaceState({ ...history.state, ...values }, ""); }

  /// What was kept with the step.
  get kept() { return history.state ?? {}; }

  #take(next, how) {
    const before = this.state;
    this.state = next;
    this.dispatchEvent(Object.assign(new Event("change"), { before, how }));
  }
}

function read(hash) {
  const [view, text] = hash.replace(/^#\/?/, "").split("?");
  const state = { ...standard, in: [], columns: [] };
  if (views.includes(view)) state.view = view;
  for (const [key, value] of new URLSearchParams(text ?? "")) {
    if (!keys[state.view].includes(key)) continue;
    if (key === "columns") state.columns = value.split(",");
    else if (lists.has(key)) state[key].push(value);
    else state[key] = value;
  }
  return state;
}

/// The address of a state.
export function write(state) {
  const parameters = [];
  for (const key of keys[state.view]) {
    if (key === "columns") {
      if (state.columns.length > 0) parameters.push(`columns=${state.columns.join(",")}`);
    } else if (lists.has(key)) {
      for (const each of state[key]) parameters.push(`${key}=${written(each)}`);
    } else if (state[key] !== "") {
      parameters.push(`${key}=${written(state[key])}`);
    }
  }
  return `#/${state.view}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`;
}

/// Slashes and colons stand for themselves, so that the address can be read.
const written = (value) => encodeURIComponent(value).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%20/g, "+");

export const here = new Address();

/// The address of a state that differs from the current one.
export const linkTo = (changes) => write({ ...here.state, ...changes });
