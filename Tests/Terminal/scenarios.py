"""What people do with `filecat browse`, and what they see."""

import os
import re
import shutil
import signal
import subprocess
import tempfile

import pictures
import trees
from terminal import Terminal

ALL = {}

# A place whose path is as long everywhere.
PLACE = "/tmp"
PREFIX = "fct-"
PLACES = re.compile(PREFIX + r"[a-z0-9_]+")

UP, DOWN, RIGHT, LEFT = "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD"
PAGE_UP, PAGE_DOWN, HOME, END = "\x1b[5~", "\x1b[6~", "\x1bOH", "\x1bOF"
ENTER, ESCAPE, TAB, BACKSPACE = "\r", "\x1b", "\t", "\x7f"
WHEEL_UP, WHEEL_DOWN = 64, 65

# Lines of details that differ from machine to machine.
VARYING = re.compile(
    r"\b(id|root_id|parent_id|inode|device|changed|created|accessed|changed_ns|created_ns|accessed_ns"
    r"|flags|uid|gid|owner|group_name|allocated|total_allocated|mode|first_seen_scan|last_changed_scan)( +)\S.*$"
)


class Browser:
    """A tree, a catalog of it, and the browser on a terminal."""

    def __init__(self, program, scenario, known):
        self.program = program
        self.scenario = scenario
        # The screens that are waited for; none while they are made anew.
        self.known = known
        self.directory = tempfile.mkdtemp(prefix=PREFIX, dir=PLACE)
        self.tree = f"{self.directory}/tree"
        self.catalog = f"{self.directory}/catalog.sqlite"
        self.environment = {"XDG_DATA_HOME": f"{self.directory}/data"}
        self.album = ""
        # Pictures for the documentation, by name.
        self.pictures = {}
        self.terminal = None
        scenario.tree(self.tree)
        self.filecat("scan", self.tree)

    def filecat(self, *words):
        run = subprocess.run(
            [self.program, *words, "--catalog", self.catalog],
            capture_output=True,
            env=dict(os.environ, **self.environment),
        )
        assert run.returncode in (0, 3), run.stderr.decode()
        return run.stdout.decode()

    def command(self, *words, path=None):
        return [
            self.program, "browse", "--catalog", self.catalog, "--apparent-size",
            "--now", str(trees.NOW), *words, path or self.tree,
        ]

    def start(self, *words, path=None, rows=None, columns=None, environment=None, wrap=None):
        command = self.command(*words, path=path)
        self.terminal = Terminal(
            wrap(command) if wrap else command,
            rows or self.scenario.rows,
            columns or self.scenario.columns,
            environment=dict(self.environment, **(environment or {})),
            directory=self.directory,
        )
        return self.terminal

    def shot(self, label):
        """Keeps the screen for comparison: as soon as it is as it is known to be, else as it stays."""
        if self.known:
            self.terminal.settle(lambda: self.known.startswith(self.album + self.page(label)))
        else:
            self.terminal.wait(lambda: True, "a screen that stays")
        self.album += self.page(label)

    def page(self, label):
        """The screen as it is."""
        lines = []
        for line in self.terminal.lines:
            line = PLACES.sub(lambda place: PREFIX + "X" * (len(place[0]) - len(PREFIX)), line)
            lines.append(VARYING.sub(r"\1\2…", line).rstrip())
        cursor = self.terminal.screen.cursor
        seen = "" if cursor.hidden else f", cursor at {cursor.y}:{cursor.x}"
        return f"=== {label}{seen}\n" + "\n".join(lines) + "\n"

    def picture(self):
        """The screen as a picture, of a directory that looks like somebody's."""
        return pictures.svg(self.terminal.screen, {self.tree: "/home/me".ljust(len(self.tree))})

    def quit(self):
        self.terminal.send("q")
        assert self.terminal.end() == 0
        self.terminal.expect_restored()

    def close(self):
        if self.terminal:
            self.terminal.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Scenario:
    def __init__(self, body, tree, rows, columns):
        self.name = body.__name__
        self.body = body
        self.tree = tree
        self.rows = rows
        self.columns = columns

    def browser(self, program, known=""):
        return Browser(program, self, known)


def scenario(tree=trees.usual, rows=24, columns=80):
    def note(body):
        ALL[body.__name__] = Scenario(body, tree, rows, columns)
        return body

    return note


# Looking


@scenario()
def first_screen(b):
    b.start().expect("big.iso")
    b.shot("the largest first")
    b.quit()


@scenario(rows=15)
def readme_screen(b):
    """What the README shows."""
    t = b.start()
    t.expect("big.iso")
    t.send("j " + UP)
    t.expect("1 marked")
    b.shot("as in the README")
    b.pictures["browse.svg"] = b.picture()
    b.quit()


@scenario(rows=40, columns=120)
def first_screen_120(b):
    b.start().expect("big.iso")
    b.shot("more room for bars")
    b.quit()


@scenario(rows=100, columns=300)
def first_screen_300(b):
    b.start().expect("big.iso")
    b.shot("all the room there is")
    b.quit()


@scenario()
def smallest_screen(b):
    b.start(rows=8, columns=40).expect("big.iso")
    b.shot("8 by 40")
    b.quit()


@scenario()
def too_small(b):
    t = b.start(rows=5, columns=30)
    t.expect("too small")
    b.shot("it says so")
    t.resize(24, 80)
    t.expect("big.iso")
    t.resize(7, 80)
    t.expect("too small")
    b.quit()


@scenario()
def resizing(b):
    t = b.start()
    t.expect("big.iso")
    t.resize(40, 120)
    t.wait(lambda: t.screen.lines == 40 and "q quit" in t.lines[39], "a screen of 40 rows")
    b.shot("120 by 40")
    t.resize(12, 60)
    t.wait(lambda: "big.iso" in t.text and t.lines[11] != "", "a screen of 12 rows")
    b.shot("60 by 12")
    t.resize(24, 80)
    t.wait(lambda: "q quit" in t.lines[23], "a screen of 24 rows")
    b.shot("80 by 24")
    b.quit()


@scenario()
def in_and_out(b):
    t = b.start()
    t.expect("photos/")
    t.send("j" + RIGHT)
    t.expect("raw/")
    b.shot("photos")
    t.send(ENTER)
    t.expect("img1.raw")
    b.shot("raw")
    t.send("h")
    t.expect("beach.jpg")
    b.shot("raw is chosen")
    t.send(LEFT)
    t.expect("big.iso")
    b.shot("photos is chosen")
    b.quit()


@scenario()
def above_roots(b):
    t = b.start()
    t.expect("big.iso")
    t.send(LEFT)
    t.expect("all roots")
    b.shot("all roots")
    t.send(RIGHT)
    t.expect("big.iso")
    t.send("~")
    t.expect("all roots")
    b.quit()


@scenario()
def empty_directory(b):
    t = b.start(path=f"{b.tree}/empty")
    t.expect("nothing in it")
    b.shot("nothing in it")
    b.quit()


@scenario(tree=trees.deep)
def deep_tree(b):
    t = b.start()
    for number in range(1, 21):
        t.expect(f"level{number}/")
        t.send("l")
    t.expect("bottom.txt")
    b.shot("twenty levels down")
    b.quit()


@scenario()
def help_screen(b):
    t = b.start()
    t.expect("big.iso")
    t.send("?")
    t.expect("Keys")
    b.shot("the first page")
    t.send(PAGE_DOWN)
    t.expect("Acting")
    b.shot("the second")
    t.send("x")
    t.expect("big.iso")
    b.quit()


@scenario(rows=60, columns=100)
def help_on_one_page(b):
    t = b.start()
    t.expect("big.iso")
    t.send("?")
    t.expect("Acting")
    b.shot("all keys")
    t.send(ESCAPE)
    t.expect_gone("Acting")
    b.quit()


# Order and columns


@scenario()
def sort_by_name(b):
    t = b.start()
    t.expect("big.iso")
    t.send("n")
    t.expect("NAME↑")
    b.shot("by name")
    t.send("n")
    t.expect("NAME↓")
    b.shot("the other way round")
    b.quit()


@scenario()
def sort_by_files_and_date(b):
    t = b.start()
    t.expect("big.iso")
    t.send("C")
    t.expect("FILES↓")
    b.shot("by files in it")
    t.send("M")
    t.expect("AGE↓")
    b.shot("by date")
    b.quit()


@scenario()
def sort_option(b):
    b.start("--sort", "modified").expect("AGE↓")
    b.shot("sorted by date from the beginning")
    b.quit()


@scenario()
def directories_first(b):
    t = b.start()
    t.expect("big.iso")
    t.send("nt")
    t.wait(lambda: "code/" in t.lines[2], "a directory at the top")
    b.shot("directories first, by name")
    b.quit()


@scenario()
def without_hidden(b):
    t = b.start(path=f"{b.tree}/docs")
    t.expect(".secret.txt")
    t.send("e")
    t.expect_gone(".secret.txt")
    b.shot("hidden ones are not shown")
    t.send("e")
    t.expect(".secret.txt")
    b.quit()


@scenario(rows=24, columns=120)
def columns(b):
    t = b.start()
    t.expect("big.iso")
    t.send("K")
    t.expect("public.folder")
    b.shot("types")
    t.send("m")
    t.expect("2025-12-29")
    b.shot("dates")
    t.send("mcBK")
    t.expect_gone("FILES")
    t.expect_gone("public.folder")
    b.shot("sizes and names alone")
    b.quit()


@scenario()
def sizes_on_disk(b):
    t = b.start()
    t.expect("20M")
    t.send("a")
    t.expect("DISK")
    t.expect("sizes on the disk")
    t.send("a")
    t.expect("SIZE")
    b.shot("and back")
    b.quit()


# Names


@scenario(tree=trees.names)
def strange_names(b):
    t = b.start("--sort", "name")
    t.expect("plain.txt")
    b.shot("80 columns")
    assert b"\x1b[31m\x07" not in t.raw
    b.quit()


@scenario(tree=trees.names, rows=24, columns=50)
def strange_names_narrow(b):
    t = b.start("--sort", "name")
    t.expect("plain.txt")
    b.shot("50 columns")
    t.send("i")
    t.expect("kind")
    b.quit()


@scenario(tree=trees.names, rows=30, columns=120)
def strange_names_wide(b):
    b.start("--sort", "name").expect("plain.txt")
    b.shot("120 columns")
    b.quit()


@scenario()
def language_c(b):
    """Names are UTF-8, whatever language is set."""
    t = b.start(environment={"LC_ALL": "C", "LANG": None})
    t.expect("big.iso")
    b.shot("bars are drawn all the same")
    b.quit()


# Moving in long tables


@scenario(tree=trees.wide)
def long_table(b):
    t = b.start("--sort", "name")
    t.expect("row00000")
    t.send(PAGE_DOWN)
    t.expect("row00019")
    b.shot("a page down")
    t.send("G")
    t.expect("row19999")
    b.shot("the end")
    t.send(PAGE_UP + PAGE_UP)
    t.expect("row19961")
    t.send("g")
    t.expect("row00000")
    b.shot("the beginning")
    t.send("\x04\x04")
    t.expect("19/20,000")
    b.shot("half pages")
    t.send("\x1bOB" * 300)
    t.expect("319/20,000")
    b.shot("300 rows down, one by one")
    b.quit()


# Searching


@scenario()
def search_while_typing(b):
    t = b.start()
    t.expect("big.iso")
    t.send("/i")
    t.expect("city.png")
    b.shot("one letter")
    t.send("mg")
    t.expect_gone("city.png")
    b.shot("three letters")
    t.send(BACKSPACE * 2)
    t.expect("city.png")
    t.send(ESCAPE)
    t.expect("NAME")
    b.shot("the directory again")
    b.quit()


@scenario()
def search_query(b):
    t = b.start()
    t.expect("big.iso")
    t.send("/size:>2M ext:raw")
    t.expect("img1.raw")
    t.expect_gone("big.iso")
    b.shot("two terms")
    t.send(ENTER)
    t.expect("q quit")
    t.send("jn")
    t.expect("PATH↑")
    b.shot("chosen, sorted")
    b.quit()


@scenario()
def search_mistake(b):
    t = b.start()
    t.expect("big.iso")
    t.send("/sise:>1M")
    t.expect("expected")
    b.shot("what was there stays, and the mistake is told")
    t.send("\x15img")
    t.expect("img1.raw")
    t.expect_gone("expected")
    t.send(ESCAPE)
    b.quit()


@scenario()
def search_nothing(b):
    t = b.start()
    t.expect("big.iso")
    t.send("/nosuchname")
    t.expect("nothing matches")
    b.shot("nothing")
    t.send(ESCAPE + "q")
    assert t.end() == 0


@scenario()
def search_here(b):
    t = b.start(path=f"{b.tree}/code")
    t.expect("main.swift")
    t.send("/t")
    t.expect("report.pdf")
    t.send(TAB)
    t.expect_gone("report.pdf")
    b.shot("in the directory alone")
    t.send(TAB)
    t.expect("report.pdf")
    b.shot("everywhere")
    t.send(ESCAPE + "q")
    assert t.end() == 0


@scenario()
def search_and_go(b):
    t = b.start()
    t.expect("big.iso")
    t.send("/notes")
    t.expect("notes.txt")
    t.expect_gone("big.iso")
    t.send(ENTER)
    t.expect("q quit")
    t.send(ENTER)
    t.expect("report.pdf")
    b.shot("the directory of what was found")
    b.quit()


@scenario(tree=trees.names)
def search_wide_names(b):
    t = b.start()
    t.expect("plain.txt")
    t.send("/写真")
    t.expect_gone("plain.txt")
    b.shot("typed as it is written")
    t.send(BACKSPACE + BACKSPACE + "été")
    t.expect("1 of")
    t.expect("3.0K")
    b.shot("composed otherwise than the name")
    t.send(ESCAPE + "q")
    assert t.end() == 0


@scenario(tree=trees.many, rows=30, columns=100)
def search_many(b):
    t = b.start()
    t.expect("d0/")
    t.send("/file")
    t.expect("3,000 of")
    b.shot("three thousand")
    t.send(ENTER)
    t.expect("q quit")
    t.send("G")
    t.expect("3,000/3,000")
    b.shot("the last")
    b.quit()


# Details and changes


@scenario(rows=30, columns=120)
def details_beside(b):
    t = b.start(path=f"{b.tree}/docs")
    t.expect("report.pdf")
    t.send("i")
    t.expect("com.adobe.pdf")
    b.shot("a file")
    t.send("j")
    t.expect("notes.txt")
    t.wait(lambda: "plain-text" in t.text, "the details of notes.txt")
    b.shot("the next")
    t.send("i")
    t.expect_gone("kind")
    b.quit()


@scenario()
def details_below(b):
    t = b.start()
    t.expect("big.iso")
    t.send("ji")
    t.wait(lambda: "public.folder" in t.text, "the details of photos")
    b.shot("a directory, 80 columns")
    b.quit()


@scenario(rows=24, columns=100)
def changes_since(b):
    trees.write(f"{b.tree}/docs/new.txt", 5_000, 0)
    trees.write(f"{b.tree}/photos/raw/img3.raw", 9_000, 0)
    trees.write(f"{b.tree}/big.iso", 30 << 20, 0)
    os.remove(f"{b.tree}/photos/raw/img2.raw")
    trees.stamp_directories(b.tree)
    b.filecat("scan", b.tree)
    t = b.start()
    t.expect("big.iso")
    t.send("S")
    t.expect("Show changes since")
    shown = t.row_of("+")
    assert shown > 0
    t.send(END + ENTER)
    t.expect("CHANGED")
    t.expect("+1")
    b.shot("since the first scan")
    t.send("n")
    t.expect("NAME↑")
    t.expect("+1")
    t.send("G")
    t.expect("7/7")
    assert t.cell("big.iso").fg == "brown", t.cell("big.iso")
    assert t.row_of("photos/") == 8
    t.send(ENTER)
    t.expect("raw/")
    t.expect("+1 -1")
    b.shot("in photos")
    b.quit()


@scenario()
def live_changes(b):
    t = b.start()
    t.expect("big.iso")
    trees.write(f"{b.tree}/arrived.bin", 50 << 20, 0)
    trees.stamp_directories(b.tree)
    b.filecat("scan", b.tree)
    t.expect("arrived.bin")
    b.shot("another process has scanned")
    assert t.cell("arrived.bin").fg == "green", "what was chosen still is"
    os.remove(f"{b.tree}/arrived.bin")
    trees.stamp_directories(b.tree)
    b.filecat("scan", b.tree)
    t.expect_gone("arrived.bin")
    b.quit()


@scenario()
def live_totals(b):
    """Something far below changes, and no row of the table but its sum."""
    t = b.start()
    t.expect("photos/")
    trees.write(f"{b.tree}/photos/raw/img1.raw", 90 << 20, 0)
    trees.stamp_directories(b.tree)
    b.filecat("scan", b.tree)
    t.expect("98M")
    b.shot("the sums follow")
    b.quit()


@scenario(tree=trees.wide)
def live_keeps_place(b):
    t = b.start("--sort", "name")
    t.expect("row00000")
    t.send("G" + "k" * 5)
    t.expect("19,995/20,000")
    trees.write(f"{b.tree}/aaa", 10, 0)
    trees.stamp_directories(b.tree)
    b.filecat("scan", b.tree)
    t.expect("19,996/20,001")
    b.shot("the chosen row stays where it is")
    b.quit()


@scenario()
def watching(b):
    t = b.start("--watch")
    t.expect("big.iso")
    trees.write(f"{b.tree}/seen.bin", 60 << 20, 0)
    trees.stamp(b.tree, 3)
    t.expect("seen.bin")
    b.quit()


@scenario()
def watch_beside(b):
    """Another process watches the disk."""
    watch = subprocess.Popen(
        [b.program, "watch", "--catalog", b.catalog],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ, **b.environment),
    )
    try:
        t = b.start()
        t.expect("big.iso")
        # It may not watch yet when the first is made.
        for number in range(10):
            trees.write(f"{b.tree}/seen{number}.bin", (60 + number) << 20, 0)
            if t.settle(lambda: f"seen{number}.bin" in t.text, 3):
                break
        assert t.cell(f"seen{number}.bin").fg == "green"
        os.remove(f"{b.tree}/seen{number}.bin")
        t.expect_gone(f"seen{number}.bin")
        b.quit()
    finally:
        watch.kill()
        watch.wait()


# Acting


@scenario()
def marks(b):
    t = b.start()
    t.expect("big.iso")
    t.send("  ")
    t.expect("2 marked")
    b.shot("two are marked")
    t.send("k ")
    t.expect("1 marked")
    t.send("u")
    t.expect_gone("marked")
    b.shot("none is")
    b.quit()


@scenario()
def trash_no(b):
    t = b.start()
    t.expect("big.iso")
    t.send("d")
    t.expect("Move to the trash?")
    b.shot("the question")
    t.send(ENTER)
    t.expect("nothing was moved")
    b.shot("no")
    assert os.path.exists(f"{b.tree}/big.iso")
    b.quit()


@scenario()
def trash_yes(b):
    t = b.start()
    t.expect("big.iso")
    t.send(" d")
    t.expect("Move to the trash?")
    t.send("y")
    t.expect("moved to the trash")
    t.expect_gone("big.iso")
    b.shot("it is gone, and the sums follow")
    assert not os.path.exists(f"{b.tree}/big.iso")
    assert os.path.exists(f"{b.directory}/data/Trash/files/big.iso")
    assert "big.iso" not in b.filecat("ls", b.tree)
    b.quit()


@scenario()
def trash_protected(b):
    os.makedirs(f"{b.tree}/app/Documents")
    os.makedirs(f"{b.tree}/app/Library/Caches")
    for name in ("Documents/letter.txt", "Library/Caches/thumbs.db"):
        with open(f"{b.tree}/app/{name}", "w") as file:
            file.write("words")
        os.utime(f"{b.tree}/app/{name}", (trees.NOW, trees.NOW))
    b.filecat("scan", "--container", "apple-sandbox", f"{b.tree}/app")
    t = b.start(path=f"{b.tree}/app/Documents")
    t.expect("letter.txt")
    t.send("dy")
    t.expect("protects it")
    b.shot("what an application has of its user stays")
    assert os.path.exists(f"{b.tree}/app/Documents/letter.txt")
    b.quit()
    t = b.start(path=f"{b.tree}/app/Library/Caches")
    t.expect("thumbs.db")
    t.send("dy")
    t.expect("moved to the trash")
    assert not os.path.exists(f"{b.tree}/app/Library/Caches/thumbs.db")
    b.quit()


@scenario()
def trash_several(b):
    t = b.start(path=f"{b.tree}/photos")
    t.expect("beach.jpg")
    t.send("   d")
    t.expect("3 entries")
    b.shot("three, one with all that is in it")
    t.send("y")
    t.expect("nothing in it")
    assert os.listdir(f"{b.tree}/photos") == []
    b.quit()


@scenario()
def read_only(b):
    t = b.start("--read-only")
    t.expect("read-only")
    t.send(" d")
    t.expect("nothing can be changed")
    b.shot("nothing is asked")
    for key in "orb":
        t.send("u")
        t.expect_gone("nothing can be changed")
        t.send(key)
        t.expect("nothing can be changed")
    assert os.path.exists(f"{b.tree}/big.iso")
    b.quit()


@scenario()
def rescan(b):
    t = b.start()
    t.expect("big.iso")
    trees.write(f"{b.tree}/found.bin", 40 << 20, 0)
    trees.stamp_directories(b.tree)
    t.send("r")
    t.expect("found.bin")
    t.expect("+1")
    b.shot("what was found")
    b.quit()


@scenario()
def copy_path(b):
    t = b.start()
    t.expect("big.iso")
    t.send("y")
    t.expect("copied")
    import base64

    text = base64.b64encode(f"{b.tree}/big.iso".encode())
    assert b"\x1b]52;c;" + text + b"\x07" in t.raw
    b.quit()


@scenario()
def open_in_program(b):
    programs = f"{b.directory}/bin"
    os.makedirs(programs)
    with open(f"{programs}/xdg-open", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nprintf %s \"$1\" >{b.directory}/opened\n")
    os.chmod(f"{programs}/xdg-open", 0o755)
    t = b.start(environment={"PATH": f"{programs}:{os.environ['PATH']}"})
    t.expect("big.iso")
    t.send("o")
    t.expect("opened big.iso")


    def opened():
        if not os.path.exists(f"{b.directory}/opened"):
            return None
        with open(f"{b.directory}/opened", encoding="utf-8") as file:
            return file.read()

    t.wait(lambda: opened() == f"{b.tree}/big.iso", "the program that opens it")
    b.quit()


@scenario()
def shell(b):
    t = b.start(path=f"{b.tree}/docs", environment={"SHELL": "/bin/sh"})
    t.expect("report.pdf")
    t.send("b")
    t.send("pwd; stty -a | grep -c ' icanon'; echo $((40 + 2))\n")
    t.expect(f"{b.tree}/docs")
    t.expect("42")
    # What is meant for the shell is not for who waits for it.
    t.send("\x03\x03\x03")
    # With it goes what has been typed and not been read: it is typed until it has been.
    while not t.settle(lambda: "55" in t.text, 2):
        t.send("echo $((50 + 5))\n")
    t.send("exit\n")
    t.expect("report.pdf")
    t.expect("q quit")
    b.shot("back from the shell")
    b.quit()


# Mouse


@scenario()
def mouse(b):
    t = b.start()
    t.expect("big.iso")
    t.press(t.row_of("docs/"), 60)
    t.expect("3/7")
    b.shot("a click chooses")
    row = t.row_of("photos/")
    # On a machine that is busy, two clicks may be too far apart to be one.
    while not t.settle(lambda: "beach.jpg" in t.text, 2):
        t.press(row, 60)
        t.pump(0.1)
        t.press(row, 60)
    b.shot("two clicks open")
    b.quit()


@scenario(tree=trees.wide)
def wheel(b):
    t = b.start("--sort", "name")
    t.expect("row00000")
    for _ in range(10):
        t.press(10, 10, WHEEL_DOWN)
    t.expect("31/20,000")
    b.shot("ten steps of the wheel")
    for _ in range(12):
        t.press(10, 10, WHEEL_UP)
    t.expect("1/20,000")
    b.quit()


# Colours


@scenario()
def colors(b):
    t = b.start()
    t.expect("big.iso")
    t.send("G")
    t.expect("7/7")
    assert t.cell("photos/").fg == "blue" and t.cell("photos/").bold
    assert t.cell("big.iso").fg == "default"
    assert t.cell("link@").fg == "cyan" or t.cell("link@").reverse
    # Nothing but the palette, and no background of one's own.
    known = {"default", "red", "green", "brown", "blue", "magenta", "cyan"}
    assert all(fg in known and bg == "default" for fg, bg in t.looks), t.looks
    b.quit()


@scenario()
def no_color(b):
    t = b.start(environment={"NO_COLOR": "1"})
    t.expect("big.iso")
    b.shot("without colours")
    assert t.looks == {("default", "default")}, t.looks
    assert t.cell("big.iso").reverse
    b.quit()


@scenario()
def monochrome_terminal(b):
    t = b.start(environment={"TERM": "vt100"})
    t.expect("big.iso")
    assert t.looks == {("default", "default")}, t.looks
    t.send("q")
    assert t.end() == 0


# Ends


@scenario()
def interrupted(b):
    t = b.start()
    t.expect("big.iso")
    t.send("\x03")
    assert t.end() == 130
    t.expect_restored()


@scenario()
def terminated(b):
    t = b.start()
    t.expect("big.iso")
    t.kill(signal.SIGTERM)
    assert t.end() == -signal.SIGTERM
    t.expect_restored()


@scenario()
def hung_up(b):
    t = b.start()
    t.expect("big.iso")
    t.kill(signal.SIGHUP)
    assert t.end() == -signal.SIGHUP
    t.expect_restored()


@scenario()
def terminal_gone(b):
    """Its window is closed."""
    t = b.start()
    t.expect("big.iso")
    t.hang_up()
    assert t.end() in (-signal.SIGHUP, -signal.SIGTERM), t.end()


@scenario()
def crashed(b):
    for number in [signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGQUIT]:
        t = b.start()
        t.expect("big.iso")
        t.send("/img")
        t.expect("img1.raw")
        t.kill(number)
        assert t.end() == -number
        t.expect_restored()
        t.close()
    b.terminal = None


@scenario()
def stopped_and_continued(b):
    def wrap(command):
        words = " ".join(f"'{word}'" for word in command)
        path = f"{b.directory}/rc"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"PS1='shell> '\nbrowse() {{ {words}; }}\nalias b=\"{words}\"\n")
        return ["bash", "--noprofile", "--rcfile", path, "-i"]

    t = b.start(wrap=wrap)
    t.expect("shell>")
    t.send("b\n")
    t.expect("big.iso")
    t.send("j\x1a")
    t.expect("Stopped")
    t.send("echo $((40 + 2))\n")
    t.expect("42")
    t.send("fg\n")
    t.expect("q quit")
    t.expect("big.iso")
    b.shot("as it was")
    t.send("k")
    t.expect("1/7")
    t.send("q")
    t.expect("shell>")
    t.send("exit\n")
    t.end()


@scenario()
def no_terminal(b):
    run = subprocess.run(b.command(), capture_output=True, check=False)
    assert run.returncode == 64, run
    assert b"needs a terminal" in run.stderr
    t = b.start(environment={"TERM": "no-such-terminal"})
    assert t.end() == 64
    assert "nothing is known of the terminal" in t.text
    t.expect_restored()


@scenario()
def not_in_the_catalog(b):
    t = b.start(path=f"{b.tree}/nowhere")
    assert t.end() == 1
    assert "is not in the catalog" in t.text.replace("\n", ""), t.text
    t.expect_restored()
