"""Reads what `filecat export` has written of each view, and compares it with the rows that SQLite reads.

usage: export.py CATALOG DIRECTORY

In the directory are VIEW.parquet, VIEW.csv and VIEW.ndjson. Prints a line for everything that is wrong, and at
the end how many views were compared.
"""

import base64
import csv
import json
import pathlib
import sqlite3
import sys

import chdb
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

TYPES = {
    "INTEGER": {pa.int64(), pa.bool_()},
    "REAL": {pa.float64()},
    "TEXT": {pa.string()},
    "BLOB": {pa.binary()},
}


def order(row):
    return tuple((v is None, type(v).__name__, v if v is not None else 0) for v in row)


def plain(value):
    """A value whatever the type of numbers."""
    return float(value) if isinstance(value, (bool, int, float)) else value


def plain_rows(rows):
    return sorted((tuple(map(plain, row)) for row in rows), key=order)


def arrow_rows(table, columns):
    """The rows of a table, in which text and bytes are as SQLite has them."""
    lists = []
    for name in columns:
        column = table.column(name)
        wanted = pa.binary() if name.endswith("_bytes") else pa.string()
        if (pa.types.is_binary(column.type) or pa.types.is_string(column.type)) and column.type != wanted:
            column = column.cast(wanted)
        lists.append(column.to_pylist())
    return list(zip(*lists))


def json_row(columns, line):
    """The values of a line, where what is not UTF-8 has its bytes beside it."""
    row = json.loads(line)
    for name in columns:
        if not name.endswith("_bytes"):
            continue
        shown = name.removesuffix("_bytes")
        digits = row.get(f"{shown}_base64")
        row[name] = None if digits is None else base64.b64decode(digits)
    return tuple(row[name] for name in columns)


def csv_text(value):
    """A value of SQLite's as CSV has it; true and false are told apart from numbers by the caller."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


def csv_value(text):
    return {"true": "1", "false": "0"}.get(text, text)


def main(catalog, directory):
    stock = sqlite3.connect(f"file:{catalog}?mode=ro", uri=True)
    duck = duckdb.connect()
    count = 0
    for path in sorted(pathlib.Path(directory).glob("*.ndjson")):
        view = path.stem
        columns = [
            name for _, name, *_ in stock.execute(f"PRAGMA table_info({view})") if name != "rowid"
        ]
        rows = stock.execute(f"SELECT {', '.join(columns)} FROM {view}").fetchall()
        lines = path.read_text(encoding="utf-8").splitlines()
        if view == "resource_values":
            count += len(lines) == len(rows)
            continue
        expected = plain_rows(rows)
        if plain_rows(json_row(columns, line) for line in lines) != expected:
            print(f"{view}: other rows as JSON")
        with open(path.with_suffix(".csv"), newline="", encoding="utf-8") as file:
            header, *records = csv.reader(file)
        texts = sorted([csv_text(v) for v in row] for row in rows)
        if header != columns or sorted([csv_value(v) for v in row] for row in records) != texts:
            print(f"{view}: other rows as CSV")
        parquet = path.with_suffix(".parquet")
        file = pq.ParquetFile(parquet)
        readers = {
            "pyarrow": lambda: file.read(),
            "DuckDB": lambda: duck.execute(
                f"SELECT * FROM read_parquet('{parquet}')"
            ).to_arrow_table(),
            "chdb": lambda: chdb.query(f"SELECT * FROM file('{parquet}', Parquet)", "ArrowTable"),
        }
        for reader, read in readers.items():
            table = read()
            if not rows and table.num_rows == 0:
                continue
            found = arrow_rows(table, columns)
            if table.column_names != columns or plain_rows(found) != expected:
                print(f"{view}: other rows in Parquet for {reader}")
        for number, name in enumerate(columns):
            classes = {type(row[number]) for row in rows} - {type(None)}
            kind = file.schema_arrow.field(name).type
            allowed = (
                TYPES["BLOB"]
                if name.endswith("_bytes")
                else TYPES["REAL"]
                if name in ("seconds", "asset_scale")
                else TYPES["TEXT"]
                if str in classes
                else TYPES["INTEGER"]
                if classes
                else set().union(*TYPES.values())
            )
            if kind not in allowed:
                print(f"{view}.{name}: is {kind} in Parquet")
        metadata = file.metadata.metadata
        roots = stock.execute("SELECT path, last_scan, last_scan_at FROM roots ORDER BY path, id")
        told = [
            (root["path"], root["last_scan"], root["last_scan_at"])
            for root in json.loads(metadata[b"filecat.roots"])
        ]
        version = stock.execute("PRAGMA user_version").fetchone()[0]
        if (
            metadata[b"filecat.view"].decode() != view
            or metadata[b"filecat.schema"].decode() != str(version)
            or told != roots.fetchall()
        ):
            print(f"{view}: other metadata: {metadata}")
        count += 1
    print(f"{count} views")


main(sys.argv[1], sys.argv[2])
