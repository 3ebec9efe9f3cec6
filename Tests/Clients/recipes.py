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

for block in blocks(document, "sh"):
    for line in block.splitlines():
        if line.startswith(("sqlite3 ", "filecat ")):
            line = line.replace("/shared/", "").replace("filecat ", sys.argv[2] + " ", 1)
            print(line, "->", subprocess.run(line, shell=True, check=True, capture_output=True).stdout)
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
