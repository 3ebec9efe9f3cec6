"""The table: its rows, its keys, its length, its columns, and the address."""

from driver import scenario

HEIGHT = 28


@scenario("The roots are the first table, and the largest stands first")
def roots(d):
    d.open()
    names = d.names()
    assert names == [f"{d.world.base}/archive", f"{d.world.base}/anna"], names
    assert d.count() == 2
    assert d.page.title() == "All roots – filecat", d.page.title()


@scenario("A directory shows what is in it, the largest first, with the sums of directories")
def directory(d):
    d.open(path="anna", sort="-full_size")
    assert d.names()[:4] == ["Videos", "Pictures", "Downloads", "Music"], d.names()
    head = d.page.eval_on_selector_all("[role=columnheader]", "list => list.map((each) => each.textContent)")
    assert head[:2] == ["Name", "On disk"], head
    size = head.index("Size")
    assert [cells[size] for _, cells in d.rows()][:2] == ["20G", "13G"], d.rows()[:2]
    assert d.page.get_attribute("[role=columnheader].size", "aria-sort") == "descending"


@scenario("Arrows, pages and ends move through the table")
def keys(d):
    d.open(path="anna/Pictures/2026/Sea", sort="name")
    count = d.count()
    d.press("ArrowDown")
    d.settled()
    first = d.names()[0]
    assert d.selected() == first
    d.press("ArrowDown", "ArrowDown", "ArrowUp")
    d.settled()
    assert d.selected() == d.names()[1]
    d.press("End")
    d.settled()
    assert d.selected() == d.names()[-1] and d.rows()[-1][0] == count - 1
    d.press("Home")
    d.settled()
    assert d.selected() == first
    d.press("PageDown")
    d.settled()
    assert d.selected() != first
    d.until(lambda: d.state[1].get("entry", "").rsplit("/", 1)[-1], d.selected())


@scenario("Enter goes in, Backspace goes out and stands where one came from")
def in_and_out(d):
    d.open(path="anna", sort="name")
    while d.selected() != "Pictures":
        d.press("ArrowDown")
        d.settled()
    d.press("Enter")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna/Pictures")
    d.until(d.selected, "2021")
    d.press("Enter")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna/Pictures/2021")
    d.settled()
    d.press("Backspace")
    d.until(d.selected, "2021")
    d.press("Backspace")
    d.until(d.selected, "Pictures")
    d.press("Backspace")
    d.until(d.selected, f"{d.world.base}/anna")


# Shows a part of the table, and says how long it took until all its rows stood on the screen.
PAGES = """async ({ parts, presses }) => {
  const grid = document.getElementById("grid");
  const frame = () => new Promise((resume) => requestAnimationFrame(resume));
  const shown = async () => {
    await frame();
    while (grid.getAttribute("aria-busy") !== "false") await frame();
  };
  const times = [];
  const measure = async (act) => {
    const before = performance.now();
    act();
    await shown();
    times.push(performance.now() - before);
  };
  if (parts) {
    for (let part = 1; part <= parts; part += 1) {
      await measure(() => { grid.scrollTop = ((grid.scrollHeight - grid.clientHeight) * part) / parts; });
    }
  }
  for (let press = 0; press < presses; press += 1) {
    await measure(() => grid.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true, cancelable: true })));
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  return { pages: times.length, median: at(0.5), p95: at(0.95), p99: at(0.99), worst: times[times.length - 1] };
}"""


def told(times):
    return f"{times['pages']} pages: median {times['median']:.0f} ms, p95 {times['p95']:.0f} ms, p99 {times['p99']:.0f} ms, worst {times['worst']:.0f} ms"


@scenario("A million rows are scrolled to the end, and each page is shown")
def to_the_end(d):
    d.open(path="archive", scope="below")
    count = d.world.archive.count
    assert d.count() == count
    times = d.page.evaluate(PAGES, {"parts": d.pages, "presses": 0})
    d.report("across the whole, " + told(times))
    index, cells = d.rows()[-1]
    assert index == count - 1, index
    archive = d.world.archive
    assert cells[0] == archive.file(archive.directories - 1, archive.files - 1), cells
    d.page.evaluate("document.getElementById('grid').scrollTop = 0")
    d.settled()
    times = d.page.evaluate(PAGES, {"parts": 0, "presses": d.pages // 2})
    d.report("page after page, " + told(times))
    # What is shown is what stands there, every page of the way.
    rows = d.rows()
    assert [row[0] for row in rows] == list(range(rows[0][0], rows[0][0] + len(rows))), rows
    assert all(cells[0] for _, cells in rows)


@scenario("In the middle of a million rows the wheel moves by what it moves, and keys reach every row")
def exact(d):
    d.open(path="archive", scope="below")
    grid = d.page.locator("#grid")
    d.page.evaluate("(() => { const g = document.getElementById('grid'); g.scrollTop = g.scrollHeight / 2; })()")
    d.settled()
    first = d.rows()[0][0]
    assert d.world.archive.count * 0.4 < first < d.world.archive.count * 0.6, first
    grid.hover()
    for steps in (3, 10, -6):
        before = d.rows()[2][0]
        for _ in range(abs(steps)):
            d.page.mouse.wheel(0, HEIGHT if steps > 0 else -HEIGHT)
            d.page.wait_for_timeout(30)
        d.page.wait_for_timeout(350)
        d.settled()
        assert d.rows()[2][0] == before + steps, (before, steps, d.rows()[2][0])
    # A row after the other by key, far from either end.
    row = d.page.locator("#grid .body [role=row]").nth(5)
    row.click()
    d.settled()
    at = int(d.page.get_attribute("#grid", "aria-activedescendant").split("-")[1])
    d.press(*["ArrowDown"] * 60)
    d.settled()
    assert d.page.get_attribute("#grid", "aria-activedescendant") == f"row-{at + 60}"
    d.press("End", "ArrowUp")
    d.settled()
    assert d.page.get_attribute("#grid", "aria-activedescendant") == f"row-{d.world.archive.count - 2}"


@scenario("However far one scrolls, the page keeps no more rows")
def memory(d):
    d.open(path="archive", scope="below")
    session = d.context.new_cdp_session(d.page)

    def measured():
        session.send("HeapProfiler.collectGarbage")
        facts = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return facts["JSHeapUsedSize"] / 1e6, facts["Nodes"]

    session.send("Performance.enable")
    d.page.evaluate(PAGES, {"parts": d.pages // 10, "presses": d.pages // 10})
    early = measured()
    d.page.evaluate(PAGES, {"parts": d.pages // 3 * 2, "presses": d.pages // 3})
    late = measured()
    d.report(f"{early[0]:.1f} MB and {early[1]:.0f} nodes, after {d.pages} more pages {late[0]:.1f} MB and {late[1]:.0f} nodes")
    assert d.page.eval_on_selector_all("#grid .body [role=row]", "list => list.length") < 80
    assert late[0] < early[0] + 4, (early, late)
    assert late[1] < early[1] * 1.5 + 500, (early, late)


@scenario("Columns are chosen, made wider and sorted by; the address says which, the browser keeps how wide")
def columns(d):
    d.open(path="anna/Zoo")
    d.page.click("#tools button[popovertarget=columns]")
    d.page.get_by_label("Owner", exact=True).check()
    d.page.get_by_label("Kind", exact=True).uncheck()
    d.press("Escape")
    d.settled()
    head = d.page.eval_on_selector_all("[role=columnheader]", "list => list.map((each) => each.textContent)")
    assert "Owner" in head and "Kind" not in head, head
    assert "owner" in d.state[1]["columns"].split(","), d.state
    d.page.get_by_role("button", name="Size", exact=True).click()
    d.until(lambda: d.state[1].get("sort"), "-full_size")
    d.until(lambda: d.names()[0], "animal 12.txt")
    d.page.get_by_role("button", name="Size", exact=True).click()
    d.until(lambda: d.names()[0], "animal 01.txt")
    owner = d.page.locator("[role=columnheader].owner")
    before = owner.bounding_box()["width"]
    grip = owner.locator(".grip").bounding_box()
    d.page.mouse.move(grip["x"] + 4, grip["y"] + 5)
    d.page.mouse.down()
    d.page.mouse.move(grip["x"] + 54, grip["y"] + 5, steps=5)
    d.page.mouse.up()
    assert abs(owner.bounding_box()["width"] - before - 50) < 2
    owner.get_by_role("button").press("Shift+ArrowRight")
    assert abs(owner.bounding_box()["width"] - before - 66) < 2
    d.page.reload()
    d.settled()
    assert abs(d.page.locator("[role=columnheader].owner").bounding_box()["width"] - before - 66) < 2


@scenario("Back and forward lead through directories, searches and views, each as it was")
def back(d):
    d.open(path="anna", sort="name")
    d.page.dblclick("#grid [role=row]:has-text('Music')")
    d.until(lambda: d.names()[:1], ["Bach"])
    d.page.click("#query")
    d.page.keyboard.type("kind:audio", delay=15)
    d.press("Enter")
    d.until(lambda: d.state[1].get("q"), "kind:audio")
    d.until(d.count, 120)
    d.page.click("#views a:has-text('Map')")
    d.until(lambda: d.state[0], "map")
    d.page.go_back()
    d.until(d.count, 120)
    assert d.page.input_value("#query") == "kind:audio"
    d.page.go_back()
    d.until(d.count, 5)
    assert d.page.input_value("#query") == ""
    d.page.go_back()
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna")
    d.until(d.selected, "Music")
    d.page.go_forward()
    d.until(lambda: d.names()[:1], ["Bach"])
    d.page.go_forward()
    d.until(d.count, 120)


@scenario("An address opened anew shows the same: view, query, order, columns, entry and details")
def address(d):
    entry = f"{d.world.base}/anna/Zoo/animal 07.txt"
    d.open(path="anna", q="name:animal", sort="-full_size", columns="name,full,size,owner", entry=entry, details="1")
    d.until(d.selected, "animal 07.txt")
    assert d.page.input_value("#query") == "name:animal"
    assert d.names()[0] == "animal 12.txt"
    d.wait("document.querySelector('#details [role=heading]')?.textContent === 'animal 07.txt'")
    before = d.page.url
    d.page.reload()
    d.until(d.selected, "animal 07.txt")
    assert d.page.url == before
    d.open("map", path="anna/Pictures", shape="sunburst", measure="files")
    d.wait("document.querySelectorAll('#chart .arc').length > 5")
    assert d.text("#chart .center .name") == "Pictures"
