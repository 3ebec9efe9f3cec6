import Foundation
import SystemPackage
import TestSupport
import Testing

/// A browser that looks at a page: where everything is, how it can be read, and what keys do.
struct PageProbe {
  enum Scheme: Int, CaseIterable, CustomTestStringConvertible {
    case dark = 0
    case light = 1
    var testDescription: String { self == .dark ? "dark" : "light" }
  }

  enum Script {
    case allowed, forbidden
  }

  static let browser = "chromium"
  static var isAvailable: Bool { CommandRunner.exists(browser) }

  /// What there is to complain about, and what else was seen.
  struct Findings: Decodable {
    var problems: [String]
    var facts: [String: String]
  }

  let sandbox: Sandbox

  /// Shows the page in a window of a size, and looks.
  func look(
    at page: String, width: Int, _ scheme: Scheme, _ script: Script = .allowed,
    options: [String] = []
  ) throws -> Findings {
    var page = page
    if script == .forbidden {
      let start = try #require(page.range(of: "<script type=\"module\">")).lowerBound
      page = String(page[..<start]) + "</body>\n</html>\n"
    }
    let probe = "<script type=\"module\">\(Self.source)</script></body>"
    page = page.replacingOccurrences(of: "</body>", with: probe)
    let name = "probed-\(width)-\(scheme)-\(script).html"
    try sandbox.directory.write(page, to: FilePath(name))
    let run = try sandbox.run(
      program: Self.browser,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--hide-scrollbars", "--user-data-dir=\(sandbox.home)/browser-\(name)",
        "--virtual-time-budget=5000", "--window-size=\(width),900",
        "--blink-settings=preferredColorScheme=\(scheme.rawValue)",
      ] + options + ["--dump-dom", "file://\(sandbox.home)/\(name)"])
    let start = try #require(
      run.text.range(of: "PROBED:"), "status \(run.status): \(run.errors.suffix(2000))")
    let end = try #require(run.text.range(of: ":END", range: start.upperBound..<run.text.endIndex))
    let found = try #require(
      String(run.text[start.upperBound..<end.lowerBound]).removingPercentEncoding)
    return try JSONDecoder().decode(Findings.self, from: Data(found.utf8))
  }

  /// Runs in the page, behind its own script.
  private static let source = #"""
    const problems = [], facts = {};
    const name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "")
      + (e.className && e.className.baseVal === undefined ? "." + e.className : "")
      + " «" + e.textContent.trim().slice(0, 40) + "»"
      + (e.closest("section") ? " in " + e.closest("section").id : "");
    const say = (what, e) => { if (problems.length < 40) problems.push(`${what}: ${name(e)}`); };
    const style = (e) => getComputedStyle(e);
    const isShown = (e) => e.checkVisibility() && e.getClientRects().length > 0;
    const everything = [...document.body.querySelectorAll("*")].filter((e) => isShown(e)
      && !["SCRIPT", "STYLE", "PATH", "BR"].includes(e.tagName.toUpperCase()));

    // Nothing is wider than the window, or than what it is in.
    if (document.documentElement.scrollWidth > innerWidth) problems.push("the page scrolls sideways");
    for (const e of everything) {
      const box = e.getBoundingClientRect();
      if (box.left < -0.5 || box.right > innerWidth + 0.5) say("outside of the window", e);
      const around = e.closest("figure, section, header, nav, footer");
      if (!around || around === e) continue;
      const outer = around.getBoundingClientRect();
      if (box.left < outer.left - 1 || box.right > outer.right + 1) say("outside of its section", e);
    }

    // What is cut off can be read all the same.
    for (const e of everything) {
      if (style(e).overflowX === "visible" || e.scrollWidth <= e.clientWidth + 1) continue;
      if (!e.closest("[title]")) say("cut off without a title", e);
    }

    // Text: where it is, and on what.
    const parse = (color) => {
      const part = color.match(/[\d.]+/g).map(Number);
      return { rgb: part.slice(0, 3), alpha: part.length > 3 ? part[3] : 1 };
    };
    function background(e) {
      for (; e; e = e.parentElement) {
        const { rgb, alpha } = parse(style(e).backgroundColor);
        if (alpha === 1) return rgb;
        if (alpha > 0) say("half transparent", e);
      }
      return parse(style(document.body).backgroundColor).rgb;
    }
    const light = (rgb) => rgb.map((v) => v / 255)
      .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    function contrast(a, b) {
      const [more, less] = [light(a), light(b)].sort((x, y) => y - x);
      return (more + 0.05) / (less + 0.05);
    }
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let least = Infinity;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const e = node.parentElement;
      if (!node.data.trim() || !isShown(e) || e.closest("script, style")) continue;
      const ratio = contrast(parse(style(e).color).rgb, background(e));
      least = Math.min(least, ratio);
      if (ratio < 4.5) say(`contrast ${ratio.toFixed(2)}`, e);
      if (parseFloat(style(e).fontSize) < 12) say("small text", e);
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        const box = { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom, e, node };
        for (let clip = e; clip; clip = clip.parentElement) {
          if (style(clip).overflowX === "visible") continue;
          const c = clip.getBoundingClientRect();
          box.left = Math.max(box.left, c.left); box.right = Math.min(box.right, c.right);
          box.top = Math.max(box.top, c.top); box.bottom = Math.min(box.bottom, c.bottom);
        }
        const cell = e.closest("td, th, button, a");
        const outer = cell && cell.getBoundingClientRect();
        if (outer && (box.left < outer.left - 1 || box.right > outer.right + 1)) say("beside its cell", e);
        if (box.right - box.left > 1 && box.bottom - box.top > 1) texts.push(box);
      }
    }
    facts.contrast = least.toFixed(2);
    texts.sort((a, b) => a.top - b.top);
    texts.forEach((a, i) => {
      for (let j = i + 1; j < texts.length && texts[j].top < a.bottom - 3; j += 1) {
        const b = texts[j];
        if (a.node === b.node) continue;
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1) say(`text over “${a.e.textContent.slice(0, 30)}”`, b.e);
      }
    });
    facts.sizes = [...new Set([...document.querySelectorAll(".plot span")].map((e) => style(e).fontSize))].join();

    // Bars: beside their numbers, and visible.
    const page = parse(style(document.body).backgroundColor).rgb;
    for (const e of document.querySelectorAll("td.s")) {
      if (!isShown(e)) continue;
      const range = document.createRange();
      range.selectNodeContents(e);
      const box = e.getBoundingClientRect(), text = range.getBoundingClientRect();
      const start = parseFloat(style(e).backgroundPositionX);
      const size = style(e).backgroundSize.split(" ").slice(0, -1).join(" ");
      const part = Number(size.match(/([\d.]+)%/)[1]) / 100, less = Number(size.match(/- ([\d.]+)px/)?.[1] ?? 0);
      const end = box.left + start + box.width * part - less;
      if (!(end <= text.left)) say("a bar under its number", e);
      const color = parse(style(e).backgroundImage.match(/rgb\([^)]*\)/)[0]).rgb;
      if (contrast(color, page) < 3) say("a faint bar", e);
    }
    for (const e of document.querySelectorAll(".plot path")) {
      if (contrast(parse(style(e).stroke).rgb, page) < 3) say("a faint line", e);
    }

    // What can be pressed is large enough.
    for (const e of document.querySelectorAll("a, button, summary, [tabindex]")) {
      if (!isShown(e)) continue;
      const box = e.getBoundingClientRect();
      if (box.width < 23.9 || box.height < 23.9) say(`${box.width.toFixed(0)} by ${box.height.toFixed(0)}`, e);
    }

    facts.moving = String(everything.some((e) => parseFloat(style(e).transitionDuration) > 0));
    facts.columns = [...document.querySelectorAll("#usage_by_directory th")].filter(isShown)
      .map((e) => e.textContent).join();
    facts.rows = String([...document.querySelectorAll("#usage_by_directory tbody tr")].filter(isShown).length);
    facts.tables = [...document.querySelectorAll("table")].filter(isShown).map((e) => e.closest("section").id).join();
    facts.empty = [...document.querySelectorAll(".empty")].filter(isShown)
      .map((e) => e.closest("section").id + ": " + e.textContent).join("\n");
    facts.images = String(document.querySelectorAll("img, iframe, object, b b, script script").length);

    // Keys, where there is a script of the page.
    const box = document.getElementById("treemap");
    const tiles = () => [...box.querySelectorAll("button.tile")];
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const focus = () => document.activeElement.ariaLabel?.replace(/:.*/, "") ?? document.activeElement.tagName;
    if (tiles().length > 0) {
      facts.stops = String(tiles().filter((e) => e.tabIndex === 0).length);
      tiles()[0].focus();
      const outline = style(tiles()[0]);
      facts.outline = `${outline.outlineStyle} ${parseFloat(outline.outlineWidth) >= 2}`;
      if (contrast(parse(outline.outlineColor).rgb, parse(outline.backgroundColor).rgb) < 3) problems.push("a faint focus");
      const walk = [focus()];
      for (const key of ["ArrowRight", "ArrowLeft", "End", "Home"]) { press(key); walk.push(focus()); }
      facts.walk = walk.join(" ");
      const seen = new Set();
      const reach = [tiles()[0]];
      while (reach.length > 0) {
        const tile = reach.pop();
        if (seen.has(tile)) continue;
        seen.add(tile);
        for (const key of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"]) { tile.focus(); press(key); reach.push(document.activeElement); }
      }
      facts.reached = `${seen.size === tiles().length}`;
      tiles()[0].focus();
      document.activeElement.click();
      const inside = focus(), trail = document.getElementById("trail").textContent;
      press("Escape");
      const outside = focus();
      document.activeElement.click();
      press("Backspace");
      facts.journey = [inside, outside, focus()].join(" ");
      facts.trail = trail;
      facts.stopsAfter = String(tiles().filter((e) => e.tabIndex === 0).length);
    }
    const head = document.querySelector("#largest_files th:nth-last-child(3) button");
    if (head) {
      head.focus();
      const sizes = () => [...document.querySelectorAll("#largest_files tbody tr")]
        .map((row) => Number(row.cells[row.cells.length - 3].dataset.n));
      const isSorted = (list, sign) => list.every((v, i) => i === 0 || sign * (list[i - 1] - v) <= 0);
      head.click();
      facts.sorted = `${head.parentElement.ariaSort} ${isSorted(sizes(), -1)}`;
      head.click();
      facts.sortedAgain = `${head.parentElement.ariaSort} ${isSorted(sizes(), 1)}`;
      facts.sortMarks = String(document.querySelectorAll("#largest_files [aria-sort]").length);
      facts.sortFocus = String(document.activeElement === head);
    }
    const unfold = document.querySelector("#usage_by_directory .cut button");
    if (unfold) {
      unfold.click();
      facts.unfolded = String([...document.querySelectorAll("#usage_by_directory tbody tr")].filter(isShown).length);
    }
    document.documentElement.innerHTML = "<body>PROBED:" + encodeURIComponent(JSON.stringify({ problems, facts })) + ":END";
    """#
}
