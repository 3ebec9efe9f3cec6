// The field for a query: results while one types, what a word can be completed to, and where a mistake is.
import { Problem, ask, isAbort } from "./api.js";
import { announce, byId, make, setText, whenQuiet } from "./dom.js";
import { sign } from "./icons.js";
import { t } from "./texts.js";

/// The server counts scalars, a string of JavaScript has two units for some of them.
const scalars = (text) => [...text].length;
const unit = (text, offset) => [...text].slice(0, offset).join("").length;

/// Says `query` with the text: while one types (`isTyping`), and when it is done.
export class Search extends EventTarget {
  #form = byId("search");
  #input = byId("query");
  #mirror = this.#form.querySelector(".mirror");
  #problem = byId("problem");
  #words = byId("words");
  #clear = byId("clear");
  #range = null;
  #active = -1;
  #asking = null;
  #completing = null;
  #good = "";
  #begun = false;
  #askSoon = whenQuiet(140, () => this.#check());
  #completeSoon = whenQuiet(90, () => this.#complete());

  constructor() {
    super();
    this.#form.querySelector(".field").prepend(sign("search"));
    this.#clear.append(sign("clear"));
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#submit(); });
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.#press(event));
    this.#input.addEventListener("scroll", () => this.#alignMirror());
    this.#input.addEventListener("blur", () => { this.#hideWords(); this.#begun = false; });
    this.#clear.addEventListener("click", () => { this.set(""); this.#send("", false); this.#input.focus(); });
    this.#words.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = event.target.closest("[role=option]");
      if (option) this.#accept([...this.#words.children].indexOf(option));
    });
  }

  /// Shows a query that comes from elsewhere.
  set(text) {
    if (this.#input.value !== text) this.#input.value = text;
    this.#good = text;
    this.#clear.hidden = text === "";
    this.#showProblem(null);
    this.#hideWords();
  }

  focus() { this.#input.focus(); this.#input.select(); }
  get isFocused() { return document.activeElement === this.#input; }

  #typed() {
    this.#clear.hidden = this.#input.value === "";
    this.#showProblem(null);
    this.#askSoon();
    this.#completeSoon();
  }

  #submit() {
    this.#hideWords();
    this.#askSoon.cancel();
    this.#completeSoon.cancel();
    this.#check({ isDone: true });
  }

  // What is wrong ---------------------------------------------------------------------------------

  async #check({ isDone = false } = {}) {
    const text = this.#input.value;
    this.#asking?.abort();
    const { signal } = this.#asking = new AbortController();
    try {
      if (text.trim() !== "") {
        const { unknown } = await ask("check", [["q", text]], { signal });
        this.#showUnknown(unknown ?? []);
      }
    } catch (error) {
      if (isAbort(error)) return;
      if (!(error instanceof Problem)) throw error;
      // Who is still typing has not made a mistake at the end yet.
      const atEnd = error.position && error.position.offset + error.position.length >= scalars(text);
      if (isDone || !atEnd) this.#showProblem(error, isDone);
      else this.#late = setTimeout(() => { if (this.#input.value === text && this.#words.hidden) this.#showProblem(error); }, 700);
      return;
    }
    this.#showProblem(null, false, true);
    this.#send(text, !isDone);
  }

  #late = 0;

  #send(text, isTyping) {
    if (text === this.#good && isTyping) return;
    this.#good = text;
    // Of what one types in one go, only the first is a step that can be taken back.
    this.dispatchEvent(Object.assign(new Event("query"), { text, isTyping, isFirst: !this.#begun }));
    this.#begun = isTyping;
  }

  /// Shows a mistake under the text, with a caret where it is.
  #showProblem(problem, isLoud = false, keepsHints = false) {
    clearTimeout(this.#late);
    this.#mirror.replaceChildren();
    if (problem) this.#input.setAttribute("aria-invalid", "true"); else this.#input.removeAttribute("aria-invalid");
    if (!problem) {
      if (!keepsHints) this.#problem.hidden = true;
      return;
    }
    const text = this.#input.value;
    const { offset = scalars(text), length = 0 } = problem.position ?? {};
    const from = unit(text, offset), to = unit(text, offset + length);
    this.#mirror.append(make("span", {}, text.slice(0, from)), make("mark", {}, text.slice(from, to)), make("span", {}, text.slice(to)));
    this.#alignMirror();
    this.#problem.style.setProperty("--at", `${this.#fault}px`);
    const lines = [setText(make("p", { class: "message" }), problem.message)];
    if (problem.expected) lines.push(setText(make("p", {}), t("search.expected", { expected: problem.expected })));
    if (problem.nearest) lines.push(this.#meant(problem.nearest, from, to));
    this.#problem.replaceChildren(...lines);
    this.#problem.classList.remove("hint");
    this.#problem.hidden = false;
    this.#hideWords();
    if (isLoud) announce(`${problem.message} ${problem.expected ? t("search.expected", { expected: problem.expected }) : ""}`);
  }

  #meant(word, from, to) {
    return make("button", {
      type: "button", class: "link",
      onclick: () => {
        this.#input.setRangeText(word, from, to, "end");
        this.#input.focus();
        this.#typed();
      },
    }, t("search.meant", { word }));
  }

  /// Words that are no mistake, but that nothing is called.
  #showUnknown(unknown) {
    this.#problem.hidden = unknown.length === 0;
    this.#problem.classList.add("hint");
    this.#problem.replaceChildren(...unknown.map(({ term, word, nearest }) => {
      const line = setText(make("p", {}), t("search.unknown", { term, word }));
      const text = this.#input.value, from = text.toLowerCase().indexOf(String(word).toLowerCase());
      if (nearest && from >= 0) line.append(" ", this.#meant(nearest, from, from + word.length));
      return line;
    }));
  }

  /// Where the mistake begins, from the edge of the field.
  get #fault() {
    const mark = this.#mirror.querySelector("mark").getBoundingClientRect();
    return mark.left + Math.min(mark.width / 2, 8) - this.#form.getBoundingClientRect().left;
  }

  #alignMirror() { this.#mirror.scrollLeft = this.#input.scrollLeft; }

  // What a word can become ------------------------------------------------------------------------

  async #complete() {
    if (!this.isFocused) return;
    const text = this.#input.value, at = this.#input.selectionStart;
    this.#completing?.abort();
    const { signal } = this.#completing = new AbortController();
    try {
      const { from, to, words } = await ask("complete",
        [["q", text], ["position", scalars(text.slice(0, at))]], { signal });
      if (!this.isFocused || this.#input.value !== text) return;
      const typed = [...text].slice(from, to).join("");
      const useful = words.filter((word) => word.text !== typed).slice(0, 12);
      if (useful.length === 0 || text.trim() === "") return this.#hideWords();
      this.#range = [unit(text, from), unit(text, to)];
      this.#showWords(useful);
    } catch (error) {
      if (!isAbort(error)) this.#hideWords();
    }
  }

  #showWords(words) {
    this.#active = -1;
    this.#words.replaceChildren(...words.map((word, index) => make("div", { role: "option", id: `word-${index}`, "aria-selected": "false" },
      setText(make("bdi", { class: "text" }), word.text), word.note ? setText(make("span", { class: "note" }), word.note) : null)));
    this.#words.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#input.removeAttribute("aria-activedescendant");
    announce(t("search.found", { count: words.length }));
  }

  #hideWords() {
    this.#words.hidden = true;
    this.#active = -1;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #choose(index) {
    const options = [...this.#words.children], places = options.length + 1;
    // Before the first and behind the last is none.
    this.#active = ((index + 1 + places) % places) - 1;
    options.forEach((option, at) => option.setAttribute("aria-selected", at === this.#active));
    const option = options[this.#active];
    if (!option) return this.#input.removeAttribute("aria-activedescendant");
    this.#input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  #accept(index) {
    const word = this.#words.children[index].querySelector(".text").textContent;
    const [from, to] = this.#range;
    this.#input.setRangeText(word, from, to, "end");
    this.#hideWords();
    this.#typed();
  }

  #press(event) {
    const isOpen = !this.#words.hidden;
    if (event.isComposing) return;
    if (event.key === "ArrowDown") {
      event.preventDefault();
      if (isOpen) this.#choose(this.#active + 1); else this.dispatchEvent(new Event("leave"));
    } else if (event.key === "ArrowUp" && isOpen) {
      event.preventDefault();
      this.#choose(this.#active - 1);
    } else if (event.key === "Tab" && isOpen && !event.shiftKey) {
      event.preventDefault();
      this.#accept(Math.max(0, this.#active));
    } else if (event.key === "Enter" && isOpen && this.#active >= 0) {
      event.preventDefault();
      this.#accept(this.#active);
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#complete();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (isOpen) this.#hideWords();
      else if (this.#input.value !== "") { this.set(""); this.#send("", false); }
      else this.dispatchEvent(new Event("leave"));
    }
  }
}
