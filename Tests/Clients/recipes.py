"""Runs what Documentation/sql-clients.md tells people to do, in a directory with a catalog.sqlite.

usage: recipes.py DOCUMENT FILECAT
"""

import re
import subprocess
import sys

import duckdb
import duckdb_extensions


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", document, re.M | re.S)


document = open(sys.argv[1], encoding="utf-8").read()
count = 0


def commands(block):
    """The commands of a block, each with the lines that it reads."""
    lines = block.splitlines()
    while lines:
        command = lines.pop(0)
        if here := re.search(r"<<'(\w+)'$", command):
            end = lines.index(here[1]) + 1
            command = "\n".join([command, *lines[:end]])
            del lines[:end]
        yield command


for block in blocks(document, "sh"):
    for command in commands(block):
        if command.startswith(("sqlite3 ", "filecat ")):
            # The command says with 1 that there are no rows: nobody has set such attributes here.
            fine = (0, 1) if command.startswith("filecat sql ") else (0,)
            command = command.replace("/shared/", "").replace("filecat ", sys.argv[2] + " ", 1)
            run = subprocess.run(command, shell=True, capture_output=True)
            print(command, "->", run.stdout)
            assert run.returncode in fine, run.stderr
            count += 1

for block in blocks(document, "python"):
    names = {}
    exec(block, names)
    assert len(names["by_type"]) == len(names["frame"]) > 0
    count += 1

duckdb_extensions.import_extension("sqlite_scanner")
duck = duckdb.connect()
for block in blocks(document, "sql"):
    for statement in block.split(";"):
        # The network is not needed: the extension is here as a package.
        if not statement.strip() or statement.strip().startswith("INSTALL"):
            continue
        assert duck.execute(statement).fetchall() or statement.strip().startswith(("LOAD", "ATTACH"))
        count += 1

print(f"{count} recipes")
