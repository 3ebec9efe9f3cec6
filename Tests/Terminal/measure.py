"""Measures programs on a terminal: Scripts/bench prints what this prints.

    measure.py first RUNS MARK COMMAND…     seconds until MARK is on the screen, the median
    measure.py typing RUNS FILECAT CATALOG  milliseconds from a key of a search to what it finds, by key
"""

import statistics
import sys
import time

from terminal import Terminal


def wait(terminal, condition, limit=120):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("what is measured does not come; the screen is\n" + terminal.text)
        terminal.pump(0.5)


def first(runs, mark, command):
    times = []
    for _ in range(runs):
        start = time.monotonic()
        terminal = Terminal(command, 40, 120)
        wait(terminal, lambda: mark in terminal.text)
        times.append(time.monotonic() - start)
        terminal.close()
    print(f"{statistics.median(times):.4f}")


def typing(runs, filecat, catalog):
    words = ["readme", "makefile", "test", "size:>1k index"]
    first_rows, all_rows = [], []
    for _ in range(runs):
        for word in words:
            terminal = Terminal([filecat, "browse", "--catalog", catalog], 40, 120)
            wait(terminal, lambda: "q quit" in terminal.text)
            terminal.send("/")
            wait(terminal, lambda: "Esc leave" in terminal.text)
            typed = ""
            for letter in word:
                typed += letter
                start = time.monotonic()
                terminal.send(letter)
                # The title is drawn before the field: when that has the key, the title is about it, too.
                wait(terminal, lambda: terminal.lines[-2].startswith(f" / {typed}".rstrip()))
                wait(terminal, lambda: "so far" in terminal.lines[0] or " of " in terminal.lines[0])
                first_rows.append(time.monotonic() - start)
                wait(terminal, lambda: " of " in terminal.lines[0])
                all_rows.append(time.monotonic() - start)
            terminal.close()
    for name, times in [("first rows", first_rows), ("all rows, in order", all_rows)]:
        times.sort()
        print(
            f"{name}: median {times[len(times) // 2] * 1000:.0f} ms,"
            f" p95 {times[len(times) * 95 // 100] * 1000:.0f} ms a key, {len(times)} keys"
        )


if sys.argv[1] == "first":
    first(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
else:
    typing(int(sys.argv[2]), sys.argv[3], sys.argv[4])
