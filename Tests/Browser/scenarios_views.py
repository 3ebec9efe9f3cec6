"""The map, growth, changes, reports and details."""

import sqlite3

from driver import scenario


def focused(d):
    return d.page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''").split(":")[0]


@scenario("The treemap is zoomed by key, and back to where one was")
def treemap(d):
    d.open("map", path="anna", measure="size")
    d.wait("document.querySelectorAll('#chart button.tile').length > 3")
    d.page.focus("#chart button.tile")
    assert focused(d) == "Videos"
    d.press("ArrowRight")
    assert focused(d) == "Pictures", focused(d)
    d.press("Enter")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna/Pictures")
    d.wait("document.querySelector('#chart button.tile')?.getAttribute('aria-label').startsWith('20')")
    d.page.wait_for_timeout(300)
    assert focused(d).startswith("20"), focused(d)
    d.press("End", "Home", "Backspace")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna")
    d.until(lambda: focused(d), "Pictures")
    # Tiles are as large as what they stand for.
    areas = d.page.eval_on_selector_all("#chart button.tile", "list => list.map((tile) => tile.offsetWidth * tile.offsetHeight)")
    assert areas[0] > areas[1] > areas[2], areas
    sums = d.page.eval_on_selector_all("#ranking .amount", "list => list.map((each) => each.textContent)")
    assert sums[:2] == ["20G", "13G"], sums


@scenario("The sunburst is walked by key: around, outward, in, and back")
def sunburst(d):
    d.open("map", path="anna", shape="sunburst", measure="size")
    d.wait("document.querySelectorAll('#chart .arc').length > 10")
    assert d.text("#chart .center .name") == "anna"
    d.page.focus("#chart .arc[tabindex='0']")
    assert focused(d) == "Videos"
    d.press("ArrowRight")
    assert focused(d) == "Pictures"
    assert d.text("#chart .center .name") == "Pictures"
    d.press("ArrowUp")
    assert focused(d).startswith("20"), focused(d)
    d.press("ArrowDown")
    assert focused(d) == "Pictures"
    d.press("Enter")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna/Pictures")
    d.press("Backspace")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna")
    d.until(lambda: focused(d), "Pictures")


@scenario("All roots have a map, and a directory without others opens as a table")
def map_of_roots(d):
    d.open("map")
    d.wait("document.querySelectorAll('#chart button.tile').length === 2")
    d.page.click("#chart button.tile >> nth=0")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/archive")
    d.wait("document.querySelectorAll('#ranking li').length > 10")
    d.page.click("#ranking button")
    d.until(lambda: d.state[0], "files")
    d.settled()
    assert d.count() == d.world.archive.files


@scenario("Growth is told by keys and as a table, and leads into directories")
def growth(d):
    d.open("growth", path="anna", measure="size")
    plot = d.page.locator(".plot")
    if d.world.is_real:
        return
    plot.focus()
    last = plot.get_attribute("aria-valuetext")
    assert last.startswith("39G"), last
    d.press("Home")
    first = plot.get_attribute("aria-valuetext")
    assert first != last and plot.get_attribute("aria-valuenow") == "0"
    d.press("ArrowRight")
    assert plot.get_attribute("aria-valuenow") == "1"
    d.page.click("#growth summary")
    assert d.page.eval_on_selector_all("#growth tbody tr", "list => list.length") == 24
    assert d.page.eval_on_selector_all("#growth .small", "list => list.length") == 8
    d.page.click("#growth .small >> nth=0")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna/Videos")
    assert d.page.title().startswith("Growth of Videos")


@scenario("Changes since a scan are listed by scan, and by kind")
def changes(d):
    d.open("changes", path="anna", since="start")
    if d.world.is_real:
        return
    assert d.page.eval_on_selector_all("#changes h2", "list => list.length") > 5
    scan = d.page.eval_on_selector("#tools select", "select => select.options[14].value")
    d.page.select_option("#tools select", scan)
    d.until(lambda: d.state[1].get("since"), scan)
    d.page.wait_for_timeout(300)
    heads = d.page.eval_on_selector_all("#changes h2 small", "list => list.map((each) => Number(each.textContent.split(' ')[1]))")
    assert heads == sorted(heads, reverse=True) and min(heads) > int(scan), (heads, scan)
    d.page.check("label:has-text('removed') input")
    d.until(lambda: set(d.page.eval_on_selector_all("button.change", "list => list.map((each) => each.classList[1])")), {"removed"})
    d.page.focus("button.change >> nth=0")
    d.press("ArrowDown")
    place = d.page.evaluate("[[...document.querySelectorAll('button.change')].indexOf(document.activeElement), document.activeElement.outerHTML.slice(0, 80)]")
    assert place[0] == 1, place


@scenario("A report is a table with bars, sorts, gives its statement, and leads to the entries", permissions=["clipboard-read", "clipboard-write"])
def reports(d):
    d.open("reports", path="anna")
    d.page.click("#reports a:has-text('Usage by extension')")
    d.wait("document.querySelectorAll('#reports tbody tr').length > 5")
    bars = d.page.eval_on_selector_all("#reports td.bar", "list => list.map((each) => Number(each.style.getPropertyValue('--part')))")
    assert bars[0] == 1 and bars == sorted(bars, reverse=True), bars[:5]
    d.page.click("#reports th button:has-text('Entries')")
    d.until(lambda: d.state[1].get("order"), "-entries")
    d.page.wait_for_timeout(300)
    d.page.click("#reports .sql button")
    copied = lambda: d.page.evaluate("navigator.clipboard.readText()")
    d.until(lambda: copied().startswith(("SELECT", "WITH")), True)
    if d.world.is_real:
        # Any program that reads SQLite answers it.
        with sqlite3.connect(f"file:{d.world.catalog}?mode=ro", uri=True) as catalog:
            answer = [row[0] for row in catalog.execute(copied())]
        shown = d.page.eval_on_selector_all("#reports tbody th", "list => list.map((each) => each.textContent)")
        assert len(answer) == len(shown) and set(filter(None, answer)) <= set(shown), (answer, shown)
    else:
        assert "usage_by_extension" in copied()
    d.page.click("#reports tbody th a:has-text('flac')")
    d.until(lambda: d.state[1].get("q"), "ext:flac")
    d.settled()
    assert d.count() > 10 and all(name.endswith(".flac") for name in d.names())


@scenario("The details of an entry say all that is known, and can be copied", permissions=["clipboard-read", "clipboard-write"])
def details(d):
    d.open(path="anna/Zoo", sort="name")
    d.press("ArrowDown", "Space")
    d.wait("document.querySelector('#details [role=heading]')?.textContent === 'animal 01.txt'")
    text = d.text("#details")
    for word in ("Kind", "public.plain-text", "10,000 bytes", "Modified", "rw-r--r-- 0644", "Inode"):
        assert word in text, (word, text)
    if not d.world.is_real:
        assert "favourite" in text and "https://example.org/zoo" in text
    d.press("ArrowDown")
    d.wait("document.querySelector('#details [role=heading]')?.textContent === 'animal 02.txt'")
    d.press("Control+c")
    d.until(lambda: d.page.evaluate("navigator.clipboard.readText()"), f"{d.world.base}/anna/Zoo/animal 02.txt")
    d.page.evaluate("navigator.clipboard.writeText('')")
    d.page.click("#details .actions button")
    d.until(lambda: d.page.evaluate("navigator.clipboard.readText()"), f"{d.world.base}/anna/Zoo/animal 02.txt")
    d.press("Escape")
    d.until(lambda: d.page.is_visible("#details"), False)
    d.open(path="anna", entry=f"{d.world.base}/anna/Pictures", details="1")
    d.page.click("#details button:has-text('Map')")
    d.until(lambda: d.state, ("map", {"in": f"{d.world.base}/anna/Pictures"}))
