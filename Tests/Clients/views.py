"""Reads every view of a catalog with Python's sqlite3 and with DuckDB, and compares the rows.

Prints a line for everything that is wrong, and at the end how many views were compared.
"""

import sqlite3
import sys

import duckdb

# The extension is a package: nothing is loaded from the network.
import duckdb_extensions

WHOLE = {"BIGINT"}
TEXT = {"VARCHAR"}


def plain(row):
    """A row whose numbers compare whatever their type."""
    return tuple(float(v) if isinstance(v, (int, float)) else v for v in row)


def order(row):
    return tuple((v is None, type(v).__name__, v if v is not None else 0) for v in row)


def main(path):
    stock = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    duckdb_extensions.import_extension("sqlite_scanner")
    duck = duckdb.connect()
    duck.execute("LOAD sqlite_scanner")
    duck.execute(f"ATTACH '{path}' AS catalog (TYPE sqlite, READ_ONLY)")
    views = [
        name
        for (name,) in stock.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT LIKE '\\_%' ESCAPE '\\'"
        )
    ]
    for view in views:
        # The values that providers store may be anything: DuckDB has BLOBs for them.
        columns = [
            name
            for _, name, *_ in stock.execute(f"PRAGMA table_info({view})")
            if (view, name) != ("resource_values", "value")
        ]
        select = "SELECT " + ", ".join(f'"{name}"' for name in columns)
        try:
            rows = stock.execute(f"{select} FROM {view}").fetchall()
            found = duck.execute(f"{select} FROM catalog.{view}").fetchall()
        except Exception as error:
            print(f"{view}: {error}")
            continue
        if sorted(map(plain, rows), key=order) != sorted(map(plain, found), key=order):
            print(f"{view}: DuckDB has other rows")
        types = {row[0]: row[1] for row in duck.execute(f"DESCRIBE catalog.{view}").fetchall()}
        for number, name in enumerate(columns):
            values = [row[number] for row in rows if row[number] is not None]
            if any("\0" in value for value in values if isinstance(value, str)):
                print(f"{view}.{name}: has U+0000")
            expected = (
                {"BLOB"}
                if name.endswith("_bytes")
                else {"DOUBLE"}
                if name in ("seconds", "asset_scale", "duration")
                else TEXT
                if any(isinstance(value, str) for value in values)
                else WHOLE
                if values
                else WHOLE | TEXT
            )
            if types[name] not in expected:
                print(f"{view}.{name}: is {types[name]} in DuckDB")
            if name.endswith("_bytes"):
                shown = rows and columns.index(name.removesuffix("_bytes"))
                for row in rows:
                    exact, text = row[number], row[shown]
                    if exact is not None and exact.decode("utf-8", "replace") != text:
                        print(f"{view}.{name}: {exact!r} is not {text!r}")
    print(f"{len(views)} views")


main(sys.argv[1])
