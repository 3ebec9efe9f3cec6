"""The field for queries."""

from driver import scenario


def type_in(d, text, delay=25):
    d.page.click("#query")
    d.page.keyboard.type(text, delay=delay)


@scenario("Results appear while one types, over everything below the directory")
def typing(d):
    # From any view: it is the table that answers.
    d.open("map", path="anna")
    type_in(d, "anim")
    d.until(d.count, 12)
    assert d.page.evaluate("document.activeElement.id") == "query"
    d.until(lambda: d.names()[0], "animal 01.txt")
    type_in(d, "al 07")
    d.until(lambda: d.state[1].get("q"), "animal 07")
    d.until(lambda: "animal 07.txt" in d.names(), True)
    d.until(lambda: "found" in d.announced(), True)
    # What one typed in one go is one step back.
    d.page.go_back()
    d.until(lambda: d.state[0], "map")


@scenario("A caret stands under a mistake, and what was meant mends it")
def caret(d):
    d.open(path="anna")
    type_in(d, "kind:image sise:>10M")
    d.press("Enter")
    d.wait("!document.getElementById('problem').hidden")
    assert d.page.get_attribute("#query", "aria-invalid") == "true"
    assert d.page.text_content(".mirror mark") == "sise:", d.page.text_content(".mirror mark")
    # The mark lies over the word in the field: as far from its edge as the text before it is wide.
    offset = d.page.evaluate("""() => {
      const input = document.getElementById("query"), style = getComputedStyle(input);
      const canvas = document.createElement("canvas").getContext("2d");
      canvas.font = `${style.fontSize} ${style.fontFamily}`;
      const wanted = input.getBoundingClientRect().left + parseFloat(style.paddingLeft) + canvas.measureText("kind:image ").width;
      return document.querySelector(".mirror mark").getBoundingClientRect().left - wanted;
    }""")
    assert abs(offset) < 2, offset
    assert "unknown term" in d.text("#problem").lower(), d.text("#problem")
    assert d.count() == 10
    d.page.click("#problem button")
    d.until(lambda: d.page.input_value("#query"), "kind:image size:>10M")
    d.until(lambda: d.page.is_visible("#problem"), False)
    d.until(lambda: d.state[1].get("q"), "kind:image size:>10M")
    assert d.page.get_attribute("#query", "aria-invalid") is None


@scenario("Where something is missing, the caret stands behind the end")
def caret_at_end(d):
    d.open(path="anna")
    type_in(d, "(kind:image OR 👩🏽‍🚀 size:")
    d.press("Enter")
    d.wait("!document.getElementById('problem').hidden")
    before = d.page.evaluate("document.querySelector('.mirror mark').previousSibling.textContent")
    assert before == "(kind:image OR 👩🏽‍🚀 size:", before


@scenario("Words are completed by key: terms, and their values")
def completion(d):
    d.open(path="anna")
    type_in(d, "ki")
    d.wait("!document.getElementById('words').hidden")
    assert d.page.get_attribute("#query", "aria-expanded") == "true"
    d.press("Tab")
    d.until(lambda: d.page.input_value("#query"), "kind:")
    d.page.keyboard.type("im")
    d.until(lambda: d.page.eval_on_selector_all("#words .text", "list => list.map((each) => each.textContent)"), ["image"])
    d.press("ArrowDown")
    option = d.page.get_attribute("#query", "aria-activedescendant")
    assert d.page.get_attribute(f"#{option}", "aria-selected") == "true"
    d.press("Enter")
    d.until(lambda: d.page.input_value("#query"), "kind:image")
    d.press("Enter")
    d.until(lambda: d.state[1].get("q"), "kind:image")
    assert d.page.evaluate("document.activeElement.id") == "grid"
    d.settled()
    assert all(name.split(".")[-1] in ("jpg", "heic", "png") for name in d.names()), d.names()


@scenario("A name that nothing has is told, with the nearest there is")
def unknown(d):
    d.open(path="anna")
    owner = "anna" if not d.world.is_real else None
    type_in(d, "owner:ana")
    d.press("Enter")
    d.wait("!document.getElementById('problem').hidden")
    assert "ana" in d.text("#problem")
    if owner:
        d.page.click("#problem button")
        d.until(lambda: d.state[1].get("q"), "owner:anna")


@scenario("A search looks below, or here alone; an empty result leads below")
def scope(d):
    d.open(path="anna", q="name:animal OR name:Zoo")
    d.until(d.count, 13)
    d.page.check("label:has-text('Here') input")
    d.until(d.names, ["Zoo"])
    d.page.go_back()
    d.until(d.count, 13)
    d.open(path="anna", q="animal", scope="here")
    d.until(d.count, 0)
    assert "Nothing matches" in d.text("#files .empty")
    d.page.click("#files .empty button")
    d.until(d.count, 12)
    d.press("/")
    d.press("Escape")
    d.until(lambda: d.state[1].get("q"), None)
    d.until(d.count, 10)
