"""What the catalog holds that the page is tried with: a home with names of every sort, and an archive of a million entries.

The mock answers from it, and the same can be written to a disk.
"""

import time
from dataclasses import dataclass

# The hour that has begun.
NOW = int(time.time()) // 3600 * 3600
DAY = 86_400

KINDS_OF_EXTENSIONS = {
    "image": "png jpg jpeg gif heic tiff svg webp",
    "audio": "mp3 m4a flac wav",
    "video": "mp4 mov mkv",
    "archive": "zip gz tar xz zst dmg",
    "code": "swift c h py js sh css html sql",
    "document": "pdf docx xlsx pages",
    "text": "txt md log csv",
}
KIND_OF = {each: kind for kind, extensions in KINDS_OF_EXTENSIONS.items() for each in extensions.split()}

TYPES = {
    "png": ("public.png", "PNG image"), "jpg": ("public.jpeg", "JPEG image"), "heic": ("public.heic", "HEIC image"),
    "mp3": ("public.mp3", "MP3 audio"), "m4a": ("public.mpeg-4-audio", "MPEG-4 audio"), "flac": ("org.xiph.flac", "FLAC audio"),
    "mov": ("com.apple.quicktime-movie", "QuickTime movie"), "mp4": ("public.mpeg-4", "MPEG-4 movie"),
    "zip": ("public.zip-archive", "ZIP archive"), "gz": ("org.gnu.gnu-zip-archive", "GNU zip archive"),
    "swift": ("public.swift-source", "Swift source code"), "py": ("public.python-script", "Python script"),
    "c": ("public.c-source", "C source code"), "h": ("public.c-header", "C header file"), "sql": ("org.iso.sql", "SQL text"),
    "pdf": ("com.adobe.pdf", "PDF document"), "docx": ("org.openxmlformats.wordprocessingml.document", "Word document"),
    "txt": ("public.plain-text", "Plain text"), "md": ("net.daringfireball.markdown", "Markdown text"),
    "log": ("public.log", "Log file"), "csv": ("public.comma-separated-values-text", "CSV text"),
    "html": ("public.html", "HTML text"),
}


@dataclass
class Item:
    """An entry, by its path below its root; the name may be bytes that are no UTF-8."""

    path: str
    kind: str = "file"
    size: int = 0
    modified: int = NOW
    target: str | None = None
    name_bytes: bytes | None = None


# Names that a page may stumble over: they run from right to left, reorder what stands around them, break lines, look
# like markup, or are very long.
ODD_NAMES = {
    "arabic": "تقرير المبيعات ٢٠٢٦.pdf",
    "hebrew": "סיכום פגישה (סופי).txt",
    "override": "photo\u202egpj.exe",
    "line": "first line\nsecond line.txt",
    "bell": "ring\u0007the\u001bbell.log",
    "markup": "<img src=x onerror=alert(1)>.html",
    "emoji": "👩🏽‍🚀 Voyage 🚀.png",
    "combining": "Cafe\u0301 Mu\u0308nchen.md",
    "cjk": "会議の記録-最終版.docx",
    "long": "A report with a name that goes on and on, because somebody wanted to say in it all that can be found inside, "
    "who wrote it, who read it, and what is to be done next.pdf",
    "quote": 'says "hello" & goes.txt',
    "spaces": "  two spaces in front and  inside.txt",
}

_WORDS = ("budget letter plan notes draft summary invoice photo scan index main view parser table chart river mountain "
          "autumn winter morning harbour garden window bridge market signal sample archive report ledger").split()


def _number(*parts):
    value = 1469598103
    for part in parts:
        for byte in str(part).encode():
            value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def _files(directory, count, extensions, largest, ages=700):
    for index in range(count):
        seed = _number(directory, index)
        extension = extensions[seed % len(extensions)]
        name = f"{_WORDS[seed // 7 % len(_WORDS)]}-{_WORDS[seed // 31 % len(_WORDS)]} {index + 1}.{extension}"
        # Few are large, many are small.
        size = int(largest * ((seed % 9973) / 9973) ** 4) + seed % 900
        yield Item(f"{directory}/{name}", size=size, modified=NOW - seed % (ages * DAY))


def home():
    """The home: directories before what they hold."""
    items = []

    def directory(path, *files):
        items.append(Item(path, "directory", modified=NOW - _number(path) % (90 * DAY)))
        for each in files:
            items.extend(each)

    directory("Documents", _files("Documents", 14, ["pdf", "docx", "txt", "md"], 3_000_000))
    for name in ("Letters", "Taxes", "Travel"):
        directory(f"Documents/{name}", _files(f"Documents/{name}", 22, ["pdf", "docx", "txt"], 4_000_000))
    directory("Downloads", _files("Downloads", 31, ["zip", "dmg", "pdf", "gz", "mp4"], 900_000_000, 120))
    directory("Music")
    for artist in ("Bach", "Coltrane", "Holiday", "Kraftwerk", "Piazzolla"):
        directory(f"Music/{artist}", _files(f"Music/{artist}", 24, ["flac", "m4a", "mp3"], 60_000_000, 1500))
    directory("Pictures", _files("Pictures", 6, ["png", "jpg"], 8_000_000))
    for year in range(2021, 2027):
        directory(f"Pictures/{year}")
        for month in ("Alps", "Garden", "Home", "Sea"):
            place = f"Pictures/{year}/{month}"
            directory(place, _files(place, 18 + year % 5 * 6, ["heic", "jpg", "mov"], 40_000_000 + (year - 2020) * 14_000_000))
    directory("Projects")
    for project, parts in {"filecat": ["Sources", "Tests", "Documentation"], "harbour": ["app", "assets", "db"], "weather": ["src", "data"]}.items():
        directory(f"Projects/{project}", _files(f"Projects/{project}", 5, ["md", "txt", "sh"], 20_000))
        for part in parts:
            place = f"Projects/{project}/{part}"
            directory(place, _files(place, 26, ["swift", "c", "h", "py", "sql", "csv"], 900_000 if part != "data" else 200_000_000))
    directory("Videos", _files("Videos", 9, ["mov", "mp4"], 3_500_000_000))
    directory("Videos/Raw", _files("Videos/Raw", 12, ["mov"], 5_200_000_000))
    directory(".config", _files(".config", 7, ["csv", "txt"], 4_000))
    directory("Empty")
    directory("Names", (Item(f"Names/{name}", size=1000 + 37 * index, modified=NOW - index * DAY)
                        for index, name in enumerate(ODD_NAMES.values())))
    items.append(Item("Names/caf\ufffd.txt", size=12, modified=NOW - 40 * DAY, name_bytes=b"caf\xe9.txt"))
    items.append(Item("Names/עברית", "directory", modified=NOW - DAY))
    items.append(Item("Names/עברית/קובץ ראשון.txt", size=900, modified=NOW - DAY))
    items.append(Item("Names/lost link", "symlink", size=7, modified=NOW - 3 * DAY, target="nowhere"))
    items.append(Item("Names/link to Music", "symlink", size=8, modified=NOW - 3 * DAY, target="../Music"))
    directory("Zoo")
    for index in range(12):
        items.append(Item(f"Zoo/animal {index + 1:02}.txt", size=(index + 1) * 10_000, modified=NOW - index * 3600))
    return items


EXTENSIONS = ["jpg", "pdf", "txt", "swift", "zip", "mp3", "png", "log", "csv", "mov"]


class Archive:
    """A million entries by formula: a root, its directories, and as many files in each."""

    def __init__(self, directories=999, files=1000):
        self.directories = directories
        self.files = files
        self.count = 1 + directories * (files + 1)

    def directory(self, index):
        return f"d{index:03}"

    def file(self, directory, index):
        return f"item-{directory:03}-{index:04}.{EXTENSIONS[(directory + index) % len(EXTENSIONS)]}"

    def size(self, directory, index):
        return (directory * self.files + index) * 7919 % 1_000_003 * 13

    def modified(self, directory, index):
        return NOW - (directory * self.files + index) * 37 % (900 * DAY)
