"""A program on a real pseudo-terminal, whose screen an emulator of one reads."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pyte


class Screen(pyte.Screen):
    """What pyte does not know and terminals do: a character repeated, tabs backwards, rows that scroll."""

    last = " "

    def draw(self, data):
        if data:
            self.last = data[-1]
        super().draw(data)

    def repeat(self, count=1):
        super().draw(self.last * count)

    def back_tab(self, count=1):
        for _ in range(count):
            stops = [stop for stop in self.tabstops if stop < self.cursor.x]
            self.cursor.x = max(stops, default=0)

    def scroll_up(self, count=1):
        self._at_top(self.delete_lines, count)

    def scroll_down(self, count=1):
        self._at_top(self.insert_lines, count)

    def _at_top(self, change, count):
        kept = self.cursor.y, self.cursor.x
        self.cursor.y = self.margins.top if self.margins else 0
        change(count)
        self.cursor.y, self.cursor.x = kept


class Stream(pyte.ByteStream):
    csi = dict(pyte.ByteStream.csi, b="repeat", Z="back_tab", S="scroll_up", T="scroll_down")
    events = pyte.ByteStream.events | {"repeat", "back_tab", "scroll_up", "scroll_down"}


class Patience:
    """So many seconds, of which those do not count in which this process stands still as well, as all do on a
    virtual machine that is paused."""

    def __init__(self, seconds):
        self.left = seconds

    @property
    def lasts(self):
        return self.left > 0

    @contextlib.contextmanager
    def spent(self, most):
        """Takes the time of a step off, which should take no more than so many seconds."""
        began = time.monotonic()
        yield most
        self.left -= min(time.monotonic() - began, most)


class Terminal:
    """A pseudo-terminal with a program on it.

    The program is the leader of a session of its own, as a shell is that somebody has opened a terminal for.
    """

    LIMIT = 300

    def __init__(self, words, rows=24, columns=80, environment=None, directory=None):
        self.master, self.slave = pty.openpty()
        self.screen = Screen(columns, rows)
        self.stream = Stream(self.screen)
        self.raw = b""
        self._set_size(rows, columns)
        # How it was, to be compared with how it is left.
        self.modes = termios.tcgetattr(self.slave)
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        variables.update(environment or {})
        self.process = subprocess.Popen(
            words,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=directory,
            env={name: value for name, value in variables.items() if value is not None},
            preexec_fn=self._lead,
        )

    def _lead(self):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def _set_size(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # What somebody does

    def send(self, text):
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[os.write(self.master, data) :]

    def resize(self, rows, columns):
        self.pump(0.05)
        self.screen.resize(rows, columns)
        self._set_size(rows, columns)

    def press(self, row, column, button=0):
        """A button of the mouse, as xterm tells of it; rows and columns from 0."""
        place = f"{column + 1};{row + 1}"
        self.send(f"\x1b[<{button};{place}M\x1b[<{button};{place}m")

    def kill(self, number):
        self.process.send_signal(number)

    def hang_up(self):
        """Takes the terminal away, as a window does that is closed."""
        os.close(self.slave)
        os.close(self.master)
        self.slave = self.master = None

    # What it shows

    def pump(self, seconds):
        """Takes what comes within a time. Returns whether anything came."""
        if self.master is None:
            time.sleep(seconds)
            return False
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        data = os.read(self.master, 1 << 16)
        self.raw += data
        self.stream.feed(data)
        return True

    def wait(self, condition, what):
        """Waits until a condition holds and nothing more comes."""
        if not self.settle(condition, self.LIMIT):
            raise AssertionError(f"{what} does not come; the screen is\n" + self.text)

    def settle(self, condition, limit=60):
        """Waits the same for so many seconds. Returns whether it has come to hold."""
        patience = Patience(limit)
        while patience.lasts:
            with patience.spent(0.12) as most:
                came = self.pump(most)
            if not came and condition():
                return True
        return False

    def expect(self, text):
        self.wait(lambda: text in self.text, repr(text))

    def expect_gone(self, text):
        self.wait(lambda: text not in self.text, f"a screen without {text!r}")

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def row_of(self, text):
        """The row that a text stands in."""
        for row, line in enumerate(self.lines):
            if text in line:
                return row
        raise AssertionError(f"{text!r} is not on the screen\n" + self.text)

    def cell(self, text):
        """The first cell of a text: its colours and how it stands out."""
        row = self.row_of(text)
        line = self.screen.buffer[row]
        for column in range(self.screen.columns):
            end = "".join(line[place].data for place in range(column, self.screen.columns))
            if end.startswith(text):
                return line[column]
        raise AssertionError(f"{text!r} has no cell")

    @property
    def looks(self):
        """All colours and marks on the screen."""
        cells = [cell for line in self.screen.buffer.values() for cell in line.values()]
        return {(cell.fg, cell.bg) for cell in cells}

    # How it ends

    def end(self):
        """Waits for the program. Returns its status; below zero the signal that ended it."""
        patience = Patience(self.LIMIT)
        while self.process.poll() is None:
            with patience.spent(0.05) as most:
                self.pump(most)
            if not patience.lasts:
                raise AssertionError("the program does not end; the screen is\n" + self.text)
        while self.pump(0.05):
            pass
        return self.process.returncode

    def expect_restored(self):
        """The modes are as they were, the screen before is back, the cursor is seen, no mouse is told of."""
        now = termios.tcgetattr(self.slave)
        assert now == self.modes, f"the modes of the terminal are {now}, not {self.modes}"
        for on, off in [
            (rb"\x1b\[\?1049h", rb"\x1b\[\?1049l"),
            (rb"\x1b\[\?1006;1000h|\x1b\[\?1000h", rb"\x1b\[\?1006;1000l|\x1b\[\?1000l"),
            (rb"\x1b\[\?25l", rb"\x1b\[\?(?:12l\x1b\[\?)?25h"),
            (rb"\x1b\[\?1h", rb"\x1b\[\?1l"),
        ]:
            begun = [found.start() for found in re.finditer(on, self.raw)]
            ended = [found.start() for found in re.finditer(off, self.raw)]
            assert not begun or (ended and ended[-1] > begun[-1]), f"{on} is not taken back"

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        if self.master is not None:
            self.hang_up()
