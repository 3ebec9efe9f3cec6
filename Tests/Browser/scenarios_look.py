"""How the page looks, speaks and behaves for everybody."""

import pathlib

from catalog import ODD_NAMES
from driver import scenario

VIEWS = [("files", {}), ("map", {}), ("map", {"shape": "sunburst"}), ("growth", {}), ("changes", {"since": "start"}),
         ("reports", {}), ("reports", {"report": "usage_by_type"}), ("files", {"q": "animal", "details": "1"})]


def axe_source():
    import axe_playwright_python
    return (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def find_barriers(d):
    """What axe finds that is serious, on the page as it is now."""
    if not d.page.evaluate("typeof window.axe !== 'undefined'"):
        # The page's policy forbids foreign scripts; the browser's protocol may run them all the same.
        session = d.context.new_cdp_session(d.page)
        session.send("Runtime.evaluate", {"expression": axe_source()})
    found = d.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [f"{each['id']} ({each['impact']}): {each['help']}: " + "; ".join(node["html"][:140] for node in each["nodes"][:3])
            for each in found["violations"] if each["impact"] in ("serious", "critical")]


@scenario("Names are text, run in their own direction, and hide nothing")
def names(d):
    d.open(path="anna/Names", sort="name")
    shown = d.names()
    assert ODD_NAMES["markup"] in shown, shown
    assert d.page.evaluate("document.querySelectorAll('main img, aside img').length") == 0
    assert "first line\\nsecond line.txt" in shown
    assert "photo\\u{202e}gpj.exe" in shown
    assert "ring\\u{7}the\\u{1b}bell.log" in shown
    assert "caf\ufffd.txt" in shown
    # A name from right to left: its first letter is at the right, and it stands at the left edge like all others.
    place = d.page.evaluate("""(name) => {
      const label = [...document.querySelectorAll("#grid .cell.name bdi")].find((each) => each.textContent === name);
      const range = document.createRange();
      range.setStart(label.firstChild, 0); range.setEnd(label.firstChild, 1);
      const first = range.getBoundingClientRect(), whole = label.getBoundingClientRect();
      const icon = label.parentElement.querySelector("svg").getBoundingClientRect();
      return { direction: getComputedStyle(label).direction, first: first.right, right: whole.right, gap: whole.left - icon.right };
    }""", ODD_NAMES["hebrew"])
    assert place["direction"] == "rtl" and abs(place["first"] - place["right"]) < 2 and place["gap"] < 12, place
    d.page.click(f"#grid [role=row]:has-text('קובץ'), #grid [role=row]:has-text('עברית')")
    d.press("Enter")
    d.until(d.names, ["קובץ ראשון.txt"])
    crumbs = d.page.eval_on_selector_all("#crumbs bdi", "list => list.map((each) => each.textContent)")
    assert crumbs[-1] == "עברית", crumbs
    d.press("Backspace")
    d.until(d.selected, "עברית")


@scenario("A name that is no UTF-8 is selected, shown and found again by its bytes")
def bytes_of_names(d):
    d.open(path="anna/Names", sort="name")
    d.page.click("#grid [role=row]:has-text('caf\ufffd')")
    d.until(lambda: d.state[1].get("entry", "").startswith("b64:"), True)
    d.press("Space")
    d.wait("document.querySelector('#details [role=heading]')?.textContent === 'caf\ufffd.txt'")


@scenario("In German it speaks German, with its numbers and dates; a switch changes that", locale="de-DE")
def german(d):
    d.open(path="anna")
    assert d.page.get_attribute("html", "lang") == "de"
    head = d.page.eval_on_selector_all("[role=columnheader]", "list => list.map((each) => each.textContent)")
    assert head[:2] == ["Name", "Belegt"], head
    assert "Einträge" in d.text("#status")
    size = head.index("Größe")
    assert any("," in cells[size] for _, cells in d.rows()), [cells[size] for _, cells in d.rows()]
    d.open(path="archive", scope="below")
    assert "1.000.000" in d.text("#status") or d.world.archive.directories != 999
    d.page.click("#settings-button")
    d.page.check("#settings input[value=en]")
    d.until(lambda: d.page.get_attribute("html", "lang"), "en")
    assert "entries" in d.text("#status") and d.text("#views").startswith("Files")
    d.page.reload()
    d.settled()
    assert d.page.get_attribute("html", "lang") == "en"


@scenario("Every text is there in both languages")
def texts(d):
    d.open()
    missing = d.page.evaluate("""async () => {
      const source = await (await fetch("js/texts.js")).text();
      const keys = (name) => new Set([...source.split(`const ${name} = {`)[1].split("\\n};")[0].matchAll(/\\s"([\\w.]+)": /g)].map((match) => match[1]));
      const english = keys("english"), german = keys("german");
      const optional = (key) => key.startsWith("report.") || key.startsWith("column.");
      return [...[...english].filter((key) => !german.has(key)), ...[...german].filter((key) => !english.has(key) && !optional(key))];
    }""")
    assert missing == [], missing


for scheme in ("light", "dark"):
    @scenario(f"axe finds nothing serious in any view, {scheme}", color_scheme=scheme)
    def barriers(d):
        found = []
        for view, more in VIEWS:
            d.open(view, path="anna", **more)
            if more.get("details"):
                d.press("ArrowDown")
                d.page.wait_for_timeout(500)
            found += [f"{view} {more}: {each}" for each in find_barriers(d)]
        d.press("?")
        found += [f"help: {each}" for each in find_barriers(d)]
        d.press("Escape")
        d.page.click("#query")
        d.page.keyboard.type("kind:im", delay=20)
        d.page.wait_for_timeout(400)
        found += [f"words: {each}" for each in find_barriers(d)]
        d.press("Enter")
        d.page.wait_for_timeout(400)
        found += [f"mistake: {each}" for each in find_barriers(d)]
        assert found == [], "\n".join(found)


@scenario("Dark and light follow the system, and the setting overrides it", color_scheme="dark")
def dark(d):
    d.open(path="anna")
    shade = lambda: d.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert shade() < 60
    d.page.click("#settings-button")
    d.page.check("#settings input[value=light]")
    assert shade() > 200
    d.page.reload()
    d.settled()
    assert shade() > 200
    d.page.click("#settings-button")
    d.page.check("#settings input[value=auto]")
    assert shade() < 60


def lies_well(d, least):
    faults = []
    for view, more in VIEWS:
        d.open(view, path="anna", **more)
        faults += [f"{view} {more}: {each}" for each in d.layout(least)]
    d.open(path="anna/Names")
    faults += [f"names: {each}" for each in d.layout(least)]
    assert faults == [], "\n".join(faults)


@scenario("At 390 px nothing is cut off, overlaps, or is too small for a finger", width=390, height=844, has_touch=True, is_mobile=True, device_scale_factor=2)
def phone(d):
    lies_well(d, 32)
    d.open(path="anna", sort="name")
    d.page.tap("#grid [role=row]:has-text('Zoo')")
    d.until(lambda: d.state[1].get("in"), f"{d.world.base}/anna/Zoo")
    d.settled()
    d.page.tap("#grid [role=row] >> nth=3")
    d.wait("!document.getElementById('details').hidden && document.querySelector('#details [role=heading]')")
    d.page.tap("#details .close")
    d.until(lambda: d.page.is_visible("#details"), False)


@scenario("At 768 px nothing is cut off or overlaps", width=768, height=1024)
def tablet(d):
    lies_well(d, 24)


@scenario("At 1280 px nothing is cut off or overlaps")
def desk(d):
    lies_well(d, 24)


@scenario("At 2560 px nothing is cut off or overlaps", width=2560, height=1440)
def wide(d):
    lies_well(d, 24)
    d.open(path="anna")


@scenario("Who hears the page hears a grid with its rows, what is selected, and what changes")
def heard(d):
    d.open(path="archive", scope="below")
    assert d.page.get_attribute("#grid", "role") == "grid"
    assert d.page.get_attribute("#grid", "aria-rowcount") == str(d.world.archive.count + 1)
    d.press("End")
    d.settled()
    row = d.page.locator(f"#{d.page.get_attribute('#grid', 'aria-activedescendant')}")
    assert row.get_attribute("aria-rowindex") == str(d.world.archive.count + 1)
    assert row.get_attribute("aria-selected") == "true"
    assert row.locator("[role=gridcell]").count() == int(d.page.get_attribute("#grid", "aria-colcount"))
    d.until(d.announced, d.selected())
    tree = d.page.locator("nav#side").aria_snapshot()
    assert 'link "Files"' in tree and 'link "Map"' in tree, tree
    d.open("map", path="anna", measure="size")
    assert 'button "Videos: 20G' in d.page.locator("#chart").aria_snapshot()


@scenario("The keys that are the same everywhere, and the help that names them")
def help_(d):
    d.open(path="anna")
    d.press("?")
    assert d.page.is_visible("#help")
    assert "Page Down" in d.text("#help")
    d.press("Escape")
    assert not d.page.is_visible("#help")
    for key, view in (("2", "map"), ("3", "growth"), ("4", "changes"), ("5", "reports"), ("1", "files")):
        d.press(key)
        d.until(lambda: d.state[0], view)
    d.press("/")
    assert d.page.evaluate("document.activeElement.id") == "query"
    d.press("5")
    assert d.page.input_value("#query") == "5"
    d.page.reload()
    d.settled()
    # The first stop of the page leads past everything to the table, and is seen then.
    assert d.page.evaluate("document.querySelector('button, a, input, [tabindex]').id") == "skip"
    d.page.focus("#skip")
    d.page.wait_for_timeout(50)
    assert d.page.locator("#skip").bounding_box()["y"] >= 0
    d.press("Enter")
    assert d.page.evaluate("document.activeElement.id") == "grid"


@scenario("The page asks nobody but its server, and breaks no policy")
def alone(d):
    asked = []
    d.page.on("request", lambda request: asked.append(request.url))
    d.page.add_init_script("addEventListener('securitypolicyviolation', (event) => { console.error('policy', event.violatedDirective, event.blockedURI); });")
    for view, more in VIEWS:
        d.open(view, path="anna/Names", **more)
    assert len(asked) > 20
    strangers = [url for url in asked if not url.startswith(d.world.url) and not url.startswith(("data:", "about:"))]
    assert strangers == [], strangers
    assert all("#" not in url for url in asked)


@scenario("The map is there at one look, as the README shows it", width=1200, height=640)
def readme(d):
    d.open("map", path="anna", measure="size")
    d.wait("document.querySelectorAll('#chart button.tile').length >= 5")
    assert d.page.eval_on_selector_all("#ranking li", "list => list.length") >= 8
    if d.picture:
        d.page.screenshot(path=d.picture)
