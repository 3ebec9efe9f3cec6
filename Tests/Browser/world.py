"""What the scenarios run against: the mock, or a real server over a real disk."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request

from catalog import Archive, home

HERE = pathlib.Path(__file__).resolve().parent


class Mock:
    """The mock, which is told through its control endpoint what changes."""

    is_real = False

    def __init__(self, archive):
        self.archive = archive
        self.process = subprocess.Popen([sys.executable, HERE / "mock.py", "--directories", str(archive.directories)], stdout=subprocess.PIPE, text=True)
        _, self.url, self.controls = self.process.stdout.readline().split()
        self.base = "/srv"

    def _control(self, wish):
        request = urllib.request.Request(self.controls, json.dumps(wish).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def change(self, **wish):
        """Adds, removes, touches and moves files; paths are below the base."""
        self._control({"change": wish})

    def outage(self, seconds, forget=False):
        """Nobody answers for a while; with `forget` the server knows no tables afterwards."""
        self._control({"outage": seconds, "forget": forget})

    def close(self):
        self.process.terminate()
        self.process.wait()


class Disk:
    """The real server, with a watch that keeps its catalog current, over a tree in a temporary directory."""

    is_real = True

    def __init__(self, archive, filecat, base):
        self.archive = archive
        self.filecat = filecat
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="filecat-page-")).resolve()
        self.base = base or str(self.place / "srv")
        self.catalog = str(self.place / "catalog.sqlite")
        self._write()
        roots = [f"{self.base}/anna", f"{self.base}/archive"]
        subprocess.run([filecat, "scan", "--catalog", self.catalog, "--no-progress", *roots], check=True, stdout=subprocess.DEVNULL)
        self.watch = subprocess.Popen([filecat, "watch", "--catalog", self.catalog], stdout=subprocess.DEVNULL)
        self.port = 0
        self.comeback = None
        self._serve()

    def _write(self):
        for item in home():
            name = os.fsencode(f"{self.base}/anna/{item.path}")
            if item.name_bytes is not None:
                name = os.path.dirname(name) + b"/" + item.name_bytes
            if item.kind == "directory":
                os.makedirs(name, exist_ok=True)
            elif item.kind == "symlink":
                os.symlink(item.target, name)
            else:
                os.makedirs(os.path.dirname(name), exist_ok=True)
                self._file(name, item.size)
        for item in reversed(home()):
            if item.kind != "symlink" and item.name_bytes is None:
                os.utime(f"{self.base}/anna/{item.path}", (item.modified, item.modified))
        for directory in range(self.archive.directories):
            place = f"{self.base}/archive/{self.archive.directory(directory)}"
            os.makedirs(place)
            for index in range(self.archive.files):
                self._file(f"{place}/{self.archive.file(directory, index)}", self.archive.size(directory, index))

    def _file(self, name, size):
        # Nearly all is holes, as what is read of a file here is its size alone; but what takes most of the disk is what is
        # largest, unless there are so many that they would fill it.
        with open(name, "wb") as file:
            if size >= 1000 and self.archive.directories <= 100:
                os.posix_fallocate(file.fileno(), 0, size // 1000)
            file.truncate(size)

    def _serve(self):
        self.server = subprocess.Popen([self.filecat, "serve", "--catalog", self.catalog, "--port", str(self.port)],
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.server.stdout:
            found = re.search(r"http://[\w.]+:(\d+)/\S*", line)
            if found:
                self.port, self.url = int(found[1]), found[0]
                return
        raise RuntimeError("the server has ended without saying where it is")

    def change(self, add=(), remove=(), touch=(), move=()):
        for item in add:
            if item.get("kind") == "directory":
                os.makedirs(f"{self.base}/{item['path']}")
            else:
                self._file(f"{self.base}/{item['path']}", item.get("size", 0))
        for path in remove:
            os.remove(f"{self.base}/{path}")
        for item in touch:
            self._file(f"{self.base}/{item['path']}", item["size"])
        for old, new in move:
            os.rename(f"{self.base}/{old}", f"{self.base}/{new}")

    def outage(self, seconds, forget=False):
        self.comeback = threading.Timer(seconds, self._serve)
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()
        self.comeback.start()

    def close(self):
        if self.comeback:
            self.comeback.join()
        for process in (self.server, self.watch):
            process.send_signal(signal.SIGTERM)
            process.wait()
        shutil.rmtree(self.place, ignore_errors=True)


def world(filecat=None, directories=None, base=None):
    archive = Archive(directories) if directories else Archive()
    return Disk(archive, filecat, base) if filecat else Mock(archive)
