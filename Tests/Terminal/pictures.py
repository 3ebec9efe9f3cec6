"""Pictures of screens for the documentation: the cells of a terminal as SVG, for light and dark pages."""

from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, EDGE = 8.4, 18, 14, 12

# What colours of the palette are on a light page, and on a dark one.
PALETTE = {
    "default": ("#1f2328", "#d1d7e0"),
    "red": ("#b3261e", "#ff7b72"),
    "green": ("#116329", "#56d364"),
    "brown": ("#7d4e00", "#e3b341"),
    "blue": ("#0550ae", "#79c0ff"),
    "magenta": ("#8250df", "#d2a8ff"),
    "cyan": ("#1b6c85", "#56d4dd"),
}
PAPER = ("#f6f8fa", "#0d1117")


def style():
    def rules(scheme):
        colors = "".join(f".{name}{{fill:{pair[scheme]}}}" for name, pair in PALETTE.items())
        return f".paper{{fill:{PAPER[scheme]}}}{colors}"

    return (
        "text{white-space:pre;font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;"
        f"font-size:{FONT_SIZE}px}}rect{{shape-rendering:crispEdges}}.bold{{font-weight:bold}}.line{{text-decoration:underline}}"
        f"{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}"
    )


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def box(column, row, width, name):
    """A rectangle of a row."""
    left, top = EDGE + column * CELL_WIDTH, EDGE + row * CELL_HEIGHT
    return (
        f'<rect x="{number(left)}" y="{number(top)}" width="{number(width * CELL_WIDTH)}"'
        f' height="{CELL_HEIGHT}" class="{name}"/>'
    )


def runs(cells):
    """Neighbours that look the same: their column, their look, their texts, one for each column."""
    start = 0
    for column in range(1, len(cells) + 1):
        if column == len(cells) or look(cells[column]) != look(cells[start]):
            yield start, cells[start], [cell.data for cell in cells[start:column]]
            start = column


def look(cell):
    return cell.fg, cell.bold, cell.reverse, cell.underscore


def words(column, row, name, cell, texts):
    """Text from a column on, as wide as its cells are, whatever font there is."""
    text = "".join(texts)
    begin = len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        return ""
    # Columns, not characters: those that are wide have an empty cell behind them.
    width = len(texts) - begin - (len("".join(texts)) - begin - len(text))
    names = [name] + ["bold"] * cell.bold + ["line"] * cell.underscore
    return (
        f'<text x="{number(EDGE + (column + begin) * CELL_WIDTH)}"'
        f' y="{number(EDGE + row * CELL_HEIGHT + CELL_HEIGHT * 0.75)}"'
        f' textLength="{number(width * CELL_WIDTH)}" lengthAdjust="spacingAndGlyphs"'
        f' class="{" ".join(names)}">{escape(text)}</text>'
    )


def drawn(screen, row, cells):
    for column, cell, texts in runs(cells):
        name = "paper" if cell.reverse else cell.fg
        if cell.reverse:
            yield box(column, row, len(texts), cell.fg)
        # Bars are drawn, since fonts leave gaps in them: a block and its seven parts.
        eighths = [0x2590 - ord(text) if "\u2588" <= text <= "\u258f" else 0 for text in texts]
        if any(eighths):
            start = next(place for place, part in enumerate(eighths) if part)
            yield box(column + start, row, sum(eighths) / 8, name)
            texts = [" " if part else text for part, text in zip(eighths, texts)]
        yield words(column, row, name, cell, texts)


def svg(screen, replaced):
    """The screen. `replaced` has texts to show in place of others that are as long."""
    width = number(2 * EDGE + screen.columns * CELL_WIDTH)
    height = number(2 * EDGE + screen.lines * CELL_HEIGHT)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" aria-label="filecat browse">',
        f"<style>{style()}</style>",
        f'<rect width="{width}" height="{height}" rx="8" class="paper"/>',
    ]
    for row in range(screen.lines):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        text = "".join(cell.data for cell in cells)
        for old, new in replaced.items():
            start = text.find(old)
            if start >= 0:
                for place, letter in enumerate(new, start):
                    cells[place] = cells[place]._replace(data=letter)
        lines += [line for line in drawn(screen, row, cells) if line]
    return "\n".join(lines) + "\n</svg>\n"
