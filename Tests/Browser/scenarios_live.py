"""Changes that arrive, and a server that does not answer."""

import random
import re
import time

from driver import scenario

ZOO = "anna/Zoo"

# Notes what moves from now on: the names in rows that are animated.
WATCH = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...values) {
    if (this.closest("#grid") || this.closest("#changes")) window.moved.push(this.classList.contains("ghost") ? `gone ${this.firstElementChild.textContent} ${getComputedStyle(this).display}` : this.firstElementChild.textContent);
    return animate.apply(this, values);
  };
}"""


def animals(d):
    return [name.removesuffix(".txt").removeprefix("animal ") for name in d.names()]


@scenario("A file that is made slides into the open table, at its place")
def added(d):
    d.open(path=ZOO, sort="name")
    d.page.evaluate(WATCH)
    count = d.count()
    d.world.change(add=[{"path": f"{ZOO}/animal 04b.txt", "size": 44_000}])
    made = time.monotonic()
    try:
        d.until(d.count, count + 1)
        d.report(f"seen after {time.monotonic() - made:.2f} s")
        d.settled()
        assert animals(d) == ["01", "02", "03", "04", "04b", *(f"{each:02}" for each in range(5, 13))], animals(d)
        assert [row[0] for row in d.rows()] == list(range(13))
        moved = d.page.evaluate("window.moved")
        # Those behind it make room, those before it stay.
        assert "animal 05.txt" in moved and "animal 12.txt" in moved and "animal 03.txt" not in moved, moved
        assert d.page.eval_on_selector_all("#grid .fresh", "list => list.map((each) => each.firstElementChild.textContent)") == ["animal 04b.txt"]
        d.until(lambda: "1 added" in d.announced(), True)
    finally:
        d.world.change(remove=[f"{ZOO}/animal 04b.txt"])
        d.until(d.count, count)


@scenario("What is removed goes, what has changed or moved goes to its place")
def changed(d):
    d.open(path=ZOO, sort="-full_size")
    d.page.evaluate(WATCH)
    assert animals(d)[:3] == ["12", "11", "10"]
    d.world.change(remove=[f"{ZOO}/animal 11.txt"], touch=[{"path": f"{ZOO}/animal 02.txt", "size": 115_000}],
                   move=[[f"{ZOO}/animal 05.txt", f"{ZOO}/animal 99.txt"]])
    try:
        d.until(lambda: animals(d), ["12", "02", "10", "09", "08", "07", "06", "99", "04", "03", "01"])
        d.settled()
        sizes = [cells[d.page.eval_on_selector_all("[role=columnheader]", "list => list.findIndex((each) => each.classList.contains('size'))")] for _, cells in d.rows()]
        assert sizes[:2] == ["118K", "113K"], sizes
        assert [row[0] for row in d.rows()] == list(range(11))
        moved = d.page.evaluate("window.moved")
        assert "gone animal 11.txt grid" in moved and "animal 02.txt" in moved, moved
        d.wait("document.querySelectorAll('#grid .ghost').length === 0")
    finally:
        d.world.change(add=[{"path": f"{ZOO}/animal 11.txt", "size": 110_000}], touch=[{"path": f"{ZOO}/animal 02.txt", "size": 20_000}],
                       move=[[f"{ZOO}/animal 99.txt", f"{ZOO}/animal 05.txt"]])
        d.until(lambda: animals(d), [f"{each:02}" for each in range(12, 0, -1)])


@scenario("Who looks at the middle of a table sees the same rows when others come before them")
def anchored(d):
    d.open(path="archive/d005", sort="name")
    d.page.evaluate("document.getElementById('grid').scrollTop = 28 * 400")
    d.settled()
    before, index = d.names()[1:-1], d.rows()[1][0]

    def differing():
        # How many rows there are depends on what else the page has to say.
        return [pair for pair in zip(d.names()[1:-1], before) if pair[0] != pair[1]]

    count = d.count()
    new = [f"archive/d005/a new {each}.txt" for each in range(30)]
    d.world.change(add=[{"path": path, "size": 1} for path in new])
    try:
        d.until(d.count, count + 30)
        d.until(differing, [])
        assert d.rows()[1][0] == index + 30
    finally:
        d.world.change(remove=new)
        d.until(d.count, count)
    d.until(differing, [])
    assert d.rows()[1][0] == index, (index, d.rows()[1])


@scenario("A million rows take a change in their middle")
def in_a_million(d):
    d.open(path="archive", scope="below")
    count = d.count()
    archive = d.world.archive
    middle = archive.directories // 2
    path = f"archive/{archive.directory(middle)}/item-{middle:03}-0500b.txt"
    name = path.rsplit("/", 1)[1]
    d.world.change(add=[{"path": path, "size": 5}])
    try:
        d.until(d.count, count + 1, 15)
        # Before it stand the root, all directories, and the files of the first five hundred.
        index = 1 + archive.directories + middle * archive.files + 501
        d.show(index)
        assert (index, name) in [(row[0], row[1][0]) for row in d.rows()], d.rows()
        assert d.names()[d.names().index(name) - 1].startswith(f"item-{middle:03}-0500."), d.names()
    finally:
        d.world.change(remove=[path])
        d.until(d.count, count, 15)


@scenario("After many changes at random the rows are those of a table opened anew")
def random_changes(d):
    seed = int(time.time())
    chance = random.Random(seed)
    d.report(f"seed {seed}")
    d.open(path=ZOO, sort="-full_size,name")
    there = {f"{ZOO}/animal {each + 1:02}.txt": (each + 1) * 10_000 for each in range(12)}
    first, made = dict(there), 0
    try:
        for _ in range(25):
            wish = {"add": [], "remove": [], "touch": [], "move": []}
            touched = set()
            for _ in range(chance.randint(1, 9)):
                path = chance.choice(sorted(there)) if there else None
                act = chance.choice(["add", "add", "remove", "touch", "move"])
                made += 1
                new, size = f"{ZOO}/beast {chance.randint(100, 999)} {made}.txt", chance.randint(1, 200) * 1000
                if act == "add" or path is None or path in touched:
                    wish["add"].append({"path": new, "size": size})
                    there[new] = size
                elif act == "remove":
                    wish["remove"].append(path)
                    del there[path]
                elif act == "touch":
                    wish["touch"].append({"path": path, "size": size})
                    there[path] = size
                else:
                    wish["move"].append([path, new])
                    there[new] = there.pop(path)
                touched |= {path, new}
            d.world.change(**wish)
            d.until(d.count, len(there))
            d.settled()
            wanted = sorted(there, key=lambda path: (-there[path], _natural(path)))
            wanted = [path.rsplit("/", 1)[1] for path in wanted]
            d.until(lambda: [(index, cells[0], wanted[index]) for index, cells in d.rows() if cells[0] != wanted[index]], [])
            if chance.random() < 0.3:
                d.page.evaluate("(part) => { const g = document.getElementById('grid'); g.scrollTop = (g.scrollHeight - g.clientHeight) * part; }", chance.random())
                d.settled()
    finally:
        d.world.change(remove=[path for path in there if path not in first or there[path] != first[path]],
                       add=[])
        left = {path for path in there if first.get(path) == there[path]}
        d.world.change(add=[{"path": path, "size": size} for path, size in first.items() if path not in left])
        d.until(d.count, len(first))


def _natural(path):
    return [(1, int(part), "") if part.isdigit() else (2, 0, part) for part in re.split(r"(\d+)", path.rsplit("/", 1)[1]) if part]


@scenario("With reduced motion nothing moves, and the rows are right", reduced_motion="reduce")
def reduced(d):
    d.open(path=ZOO, sort="name")
    d.page.evaluate(WATCH)
    d.world.change(add=[{"path": f"{ZOO}/animal 08b.txt", "size": 1}], remove=[f"{ZOO}/animal 01.txt"])
    try:
        d.until(lambda: animals(d), ["02", "03", "04", "05", "06", "07", "08", "08b", "09", "10", "11", "12"])
        assert d.page.evaluate("window.moved") == []
        assert d.page.evaluate("document.querySelectorAll('#grid .ghost').length") == 0
        assert d.page.eval_on_selector_all("#grid .fresh", "list => list.length") == 1
    finally:
        d.world.change(remove=[f"{ZOO}/animal 08b.txt"], add=[{"path": f"{ZOO}/animal 01.txt", "size": 10_000}])
        d.until(d.count, 12)


@scenario("When the server does not answer the page says so, keeps what it has, and comes back")
def outage(d):
    d.open(path=ZOO, sort="name")
    d.until(lambda: d.page.get_attribute("#live", "class"), "on")
    d.world.outage(3.0)
    d.until(lambda: d.page.get_attribute("#live", "class"), "lost", 10)
    assert "does not answer" in d.text("#notice"), d.text("#notice")
    assert animals(d)[:2] == ["01", "02"]
    d.press("ArrowDown", "End")
    d.until(d.selected, "animal 12.txt")
    d.until(lambda: d.page.is_visible("#notice"), False, 15)
    d.until(lambda: d.page.get_attribute("#live", "class"), "on", 10)
    assert "answers again" in d.announced() or d.announced() == "animal 12.txt", d.announced()
    d.world.change(add=[{"path": f"{ZOO}/animal 13.txt", "size": 1}])
    d.until(d.count, 13, 10)
    d.world.change(remove=[f"{ZOO}/animal 13.txt"])
    d.until(d.count, 12, 10)


@scenario("After a restart of the server, which knows no tables, the page opens its table again where it was")
def restart(d):
    d.open(path="archive", scope="below")
    d.page.evaluate("(() => { const g = document.getElementById('grid'); g.scrollTop = g.scrollHeight / 3; })()")
    d.settled()
    before = d.names()
    d.world.outage(3.0, forget=True)
    d.until(lambda: d.page.get_attribute("#live", "class"), "lost", 10)
    d.until(lambda: d.page.get_attribute("#live", "class"), "on", 20)
    d.settled()
    assert d.names() == before, (before[0], d.names()[0])
    d.page.evaluate("(() => { const g = document.getElementById('grid'); g.scrollTop = g.scrollHeight; })()")
    d.settled()
    assert d.rows()[-1][0] == d.world.archive.count - 1


@scenario("Changes arrive in the list of changes, and sums in the side follow")
def news(d):
    d.open("changes", path="anna")
    d.until(lambda: d.page.get_attribute("#live", "class"), "on")

    def amount():
        text = d.text("#roots a:has-text('anna') .amount")
        assert text[-1] == ("M" if d.world.is_real else "G"), text
        return float(text[:-1])

    before = amount()
    d.world.change(add=[{"path": f"{ZOO}/mammoth.txt", "size": 30_000_000_000}])
    try:
        d.wait("document.querySelector('button.change')?.textContent.includes('Zoo/mammoth.txt')")
        assert d.page.eval_on_selector("#changes li", "each => each.classList.contains('fresh')")
        # Of what a real disk is told to hold, it holds a thousandth.
        d.until(lambda: abs(amount() - before - 30) <= 1, True)
        d.page.click("button.change")
        d.wait("document.querySelector('#details [role=heading]')?.textContent === 'mammoth.txt'")
    finally:
        d.world.change(remove=[f"{ZOO}/mammoth.txt"])
    d.wait("document.querySelector('button.change')?.classList.contains('removed')")
