"""Trees with sizes and times that are the same wherever they are made."""

import os

# 2026-01-01 00:00 UTC: what ages on the screens count from.
NOW = 1767225600
DAY = 86400


def write(path, size=0, age=0, mode=0o644):
    """A file without blocks: its length is what is looked at, and the disk is spared."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.truncate(size)
    os.chmod(path, mode)
    stamp(path, age)


def stamp(path, age):
    time = NOW - int(age * DAY)
    os.utime(path, (time, time), follow_symlinks=False)


def stamp_directories(root, age=3):
    for directory, _, _ in os.walk(os.fsencode(root), topdown=False):
        stamp(directory, age)


def usual(root):
    write(f"{root}/photos/beach.jpg", 3 << 20, 10)
    write(f"{root}/photos/city.png", 1 << 20, 400)
    write(f"{root}/photos/raw/img1.raw", 5 << 20, 40)
    write(f"{root}/photos/raw/img2.raw", 4 << 20, 41)
    write(f"{root}/docs/report.pdf", 200_000, 1000)
    write(f"{root}/docs/notes.txt", 1_000, 0.5)
    write(f"{root}/docs/.secret.txt", 500, 5)
    write(f"{root}/code/main.swift", 2_000, 1)
    write(f"{root}/code/tool.py", 3_000, 20, 0o755)
    write(f"{root}/code/lib/a.c", 700, 90)
    write(f"{root}/code/lib/b.c", 600, 91)
    write(f"{root}/big.iso", 20 << 20, 800)
    os.makedirs(f"{root}/empty")
    os.symlink("docs", f"{root}/link")
    os.symlink("nowhere", f"{root}/broken")
    for name in ["link", "broken"]:
        stamp(f"{root}/{name}", 2)
    stamp_directories(root)


def names(root):
    """Names as they are in the world."""
    for index, name in enumerate(
        [
            "写真アルバム.jpg",
            "한국어 문서.pdf",
            "e\u0301te\u0301.txt",
            "مرحبا بالعالم.txt",
            "שלום עולם.doc",
            "👨‍👩‍👧 family.png",
            "❤️ heart.txt",
            "control\x1b[31m\x07.txt",
            "new\nline.txt",
            "gpj\u202eexe.jpg",
            "plain.txt",
            "Z̸a̡l͢g̷o.txt",
            "a very long name that does not fit on a narrow terminal, however hard one tries to"
            " make room for it.txt",
        ]
    ):
        write(f"{root}/{name}", (index + 1) * 1000, index + 1)
    raw = os.fsencode(root) + b"/latin1-\xe9\xff.txt"
    with open(raw, "wb") as file:
        file.truncate(500)
    stamp(raw, 1)
    stamp_directories(root)


def many(root, count=3000):
    for number in range(count):
        write(f"{root}/d{number % 7}/file{number}.txt", number * 100, number % 300)
    stamp_directories(root)


def wide(root, count=20000):
    """A directory in which no row is like another."""
    os.makedirs(root)
    for number in range(count):
        with open(f"{root}/row{number:05}", "wb") as file:
            file.truncate(number)
        stamp(f"{root}/row{number:05}", 1)
    stamp_directories(root)


def deep(root):
    path = root
    for number in range(1, 21):
        path += f"/level{number}"
    write(f"{path}/bottom.txt", 4_000, 12)
    stamp_directories(root)
