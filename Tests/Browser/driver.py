"""A page in a browser, and what scenarios ask of it."""

import urllib.parse

SCENARIOS = []


def scenario(name, **options):
    """Marks a function as a scenario; `options` are those of a browser's context, and `width` and `height`."""

    def mark(function):
        SCENARIOS.append((name, function, options))
        return function

    return mark


class Driver:
    """One page. Paths in addresses are below the base of the world."""

    def __init__(self, world, context, report, options):
        self.world, self.context, self.report = world, context, report
        self.pages, self.patience, self.picture = options.pages, options.patience, options.picture
        self.page = context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)

    def _console(self, message):
        # What a browser says of an answer that is an error is no error of the page.
        if message.type == "error" and "Failed to load resource" not in message.text and "ERR_" not in message.text:
            self.errors.append(message.text)

    # Going somewhere

    def open(self, view="files", path=None, **parameters):
        """Opens a view, at a path below the base, with parameters of the address."""
        pairs = [("in", f"{self.world.base}/{path}")] if path else []
        pairs += parameters.items()
        address = f"{self.world.url}#/{view}?{urllib.parse.urlencode(pairs)}"
        if self.page.url.split("#")[0].startswith(self.world.url):
            self.page.goto("about:blank")
        self.page.goto(address)
        if view == "files":
            self.settled()
        else:
            self.wait(f"document.querySelector('#{view}:not([hidden])')?.childElementCount > 0")
            self.page.wait_for_timeout(350)
        return self

    def settled(self):
        """Waits until all rows that can be seen are there and nothing moves."""
        self.page.wait_for_selector("#grid[aria-busy=false]", state="attached", timeout=20_000 * self.patience)
        self.page.evaluate("""async () => {
            const frame = () => new Promise((resume) => requestAnimationFrame(resume));
            await frame(); await frame();
            const grid = document.getElementById("grid");
            for (let round = 0; round < 400 && grid.getAttribute("aria-busy") !== "false"; round += 1) await frame();
        }""")

    # Looking

    @property
    def state(self):
        """What the address says: a view, and the parameters."""
        view, _, text = urllib.parse.urlsplit(self.page.url).fragment.lstrip("/").partition("?")
        return view, dict(urllib.parse.parse_qsl(text))

    def rows(self):
        """The rows that can be seen: (index from 0, texts of the cells), in order."""
        return [(index, cells) for index, cells in self.page.evaluate("""() => {
            const box = document.getElementById("grid").getBoundingClientRect();
            return [...document.querySelectorAll("#grid .body [role=row]:not(.ghost)")].map((row) => {
              const { top, bottom } = row.getBoundingClientRect();
              return { index: Number(row.getAttribute("aria-rowindex")) - 2, cells: [...row.children].map((cell) => cell.textContent), top, bottom };
            }).filter((row) => row.bottom > box.top + 31 && row.top < box.bottom)
              .sort((a, b) => a.index - b.index).map((row) => [row.index, row.cells]);
        }""")]

    def show(self, index):
        """Scrolls until a row of a table can be seen, be it one of millions."""
        self.page.evaluate("""(part) => { const grid = document.getElementById("grid"); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * part; }""",
                           index / self.count())
        for _ in range(200):
            self.settled()
            first, last = self.rows()[0][0], self.rows()[-1][0]
            if first < index < last or index == last == self.count() - 1 or index == first == 0:
                return
            self.page.evaluate("(step) => document.getElementById('grid').scrollBy(0, step)", max(-600, min(600, (index - (first + last) // 2) * 28)))
        raise AssertionError(f"row {index} is never seen")

    def names(self):
        return [cells[0] for _, cells in self.rows()]

    def selected(self):
        """The name in the row that is selected, if it can be seen."""
        return self.page.evaluate("""() => {
            const row = document.getElementById(document.getElementById("grid").getAttribute("aria-activedescendant"));
            return row?.getAttribute("aria-selected") === "true" ? row.firstElementChild.textContent : null;
        }""")

    def count(self):
        return int(self.page.get_attribute("#grid", "aria-rowcount")) - 1

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector):
        return self.page.inner_text(selector)

    def wait(self, condition, seconds=5):
        """Waits until an expression is true in the page, whose policy lets no text be run: so it is asked again and again."""
        for _ in range(int(seconds * 20 * self.patience)):
            if self.page.evaluate(f"Boolean({condition})"):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never: {condition}")

    def until(self, question, wanted, seconds=5):
        """Asks until the answer is what is wanted."""
        answer = None
        for _ in range(int(seconds * 20 * self.patience)):
            answer = question()
            if answer == wanted:
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{answer!r} is not {wanted!r}")

    def announced(self):
        return self.text("#announcements").replace("\u00a0", "").strip() if self.page.query_selector("#announcements") else ""

    # Layout

    def layout(self, least=24):
        """What is wrong with how things lie: what is wider than the window, overlaps, or is too small for a finger."""
        return self.page.evaluate(LAYOUT, least)


LAYOUT = """(least) => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth} wide in a window of ${innerWidth}`);
  const name = (element) => `${element.tagName.toLowerCase()} “${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 30)}”`;
  const clip = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
      const style = getComputedStyle(outer);
      if (style.overflow === "visible") continue;
      const box = outer.getBoundingClientRect();
      left = Math.max(left, box.left); top = Math.max(top, box.top); right = Math.min(right, box.right); bottom = Math.min(bottom, box.bottom);
    }
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  const parts = [...document.querySelectorAll("button, a[href], select, input, [tabindex='0']")].filter((element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && element.id !== "skip");
  const boxes = parts.map((element) => ({ element, box: clip(element) })).filter(({ box }) => box.width > 1 && box.height > 1);
  for (const { element, box } of boxes) {
    if (box.left < -0.5 || box.right > innerWidth + 0.5) faults.push(`${name(element)} lies outside of the window: ${box.left}–${box.right}`);
    const target = (element.closest("label") ?? element).getBoundingClientRect();
    const isCut = box.height < target.height - 0.5 || box.width < target.width - 0.5;
    if (element.matches('.tile')) continue;
    const isText = element.matches("p a, td a, th a, dd a, .link");
    if (!isCut && !isText && !element.matches("svg *") && (target.height < least - 0.5 || target.width < Math.min(least, 24) - 0.5)) {
      faults.push(`${name(element)} is ${Math.round(target.width)}×${Math.round(target.height)}`);
    }
  }
  const covers = (a, b) => a.contains(b) || b.contains(a);
  const layer = (element) => element.closest("#details, #words, #problem, [popover], dialog") ?? document.body;
  for (let one = 0; one < boxes.length; one += 1) {
    for (let other = one + 1; other < boxes.length; other += 1) {
      const [a, b] = [boxes[one], boxes[other]];
      if (covers(a.element, b.element) || layer(a.element) !== layer(b.element)) continue;
      if (a.element.matches("svg *") && b.element.matches("svg *")) continue;
      const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (x > 1.5 && y > 1.5) faults.push(`${name(a.element)} overlaps ${name(b.element)} by ${Math.round(x)}×${Math.round(y)}`);
    }
  }
  return faults;
}"""
