"""Reads Parquet files with pyarrow, DuckDB and chdb and compares each value with what was written.

usage: parquet.py DIRECTORY

Beside each NAME.parquet is a NAME.json with its columns: numbers as such, doubles as their bits, text in
hexadecimal digits. Prints a line for everything that is wrong, and at the end how many files there were.
"""

import json
import pathlib
import random
import struct
import sys

import chdb
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

duck = duckdb.connect()


def bits(number):
    """A double as its bits, all of those that are not numbers alike."""
    if number != number:
        return "nan"
    return struct.unpack("<q", struct.pack("<d", number))[0]


def written(name, values):
    """The values of a column as Python has them."""
    if name.startswith("boolean"):
        return [None if v is None else bool(v) for v in values]
    if name.startswith("double"):
        doubles = [None if v is None else struct.unpack("<d", struct.pack("<q", v))[0] for v in values]
        return [None if v is None else bits(v) for v in doubles]
    if name.startswith("string"):
        return [None if v is None else bytes.fromhex(v).decode() for v in values]
    if name.startswith("binary"):
        return [None if v is None else bytes.fromhex(v) for v in values]
    return values


def arrow(name, values):
    """The values of a column as Arrow has them."""
    types = {"boolean": pa.bool_(), "string": pa.string(), "binary": pa.binary()}
    return pa.array(values, types.get(name.split("_")[0], pa.int64()))


def found(name, column, expected):
    """What was read in the form of what is expected: bits of doubles, and columns of Arrow."""
    if name.startswith("double"):
        return [None if v is None else bits(v) for v in column.to_pylist()]
    return column.combine_chunks().cast(expected.type)


def check_bounds(where, meta, columns, size):
    """What the file says of its values holds."""
    start = 0
    for group in range(meta.num_row_groups):
        described = meta.row_group(group)
        rows = described.num_rows
        if group + 1 < meta.num_row_groups and rows != size:
            print(f"{where}: row group {group} has {rows} rows")
        for number, (name, values) in enumerate(columns.items()):
            column = described.column(number)
            part = [v for v in values[start : start + rows] if v is not None]
            stats = column.statistics
            if column.compression != "ZSTD" or stats.null_count != rows - len(part):
                print(f"{where}: {name}: {column}")
            if name.startswith("double"):
                part = [struct.unpack("<d", struct.pack("<q", v))[0] for v in part if v != "nan"]
            if not part:
                if stats.has_min_max:
                    print(f"{where}: {name} has bounds of nothing")
                continue
            key = (lambda v: v.encode()) if name.startswith("string") else (lambda v: v)
            least, greatest = key(min(part, key=key)), key(max(part, key=key))
            if not stats.has_min_max:
                # Only where there is no greater text of that length.
                if not (isinstance(greatest, bytes) and len(greatest) > 64):
                    print(f"{where}: {name} has no bounds")
                continue
            low, high = key(stats.min), key(stats.max)
            exact = not isinstance(least, bytes)
            if low > least or high < greatest or exact and (low, high) != (least, greatest):
                print(f"{where}: {name}: {low!r}..{high!r} is not {least!r}..{greatest!r}")
        start += rows


def check_search(where, path, columns):
    """A search by a value finds its rows, whatever pages and row groups are passed over."""
    choice = random.Random(where)
    names = [name for name, values in columns.items() if values and not name.startswith("double")]
    for name in choice.sample(names, min(3, len(names))):
        values = columns[name]
        value = choice.choice(values)
        if value is None:
            continue
        question = f"SELECT count(*) FROM read_parquet('{path}') WHERE {name} = ?"
        count = duck.execute(question, [value]).fetchone()[0]
        if count != values.count(value):
            print(f"{where}: {name} = {value!r}: {count} rows, not {values.count(value)}")


def main(directory):
    paths = sorted(pathlib.Path(directory).glob("*.parquet"))
    for path in paths:
        oracle = json.loads(path.with_suffix(".json").read_text())
        columns = {name: written(name, values) for name, values in oracle["columns"].items()}
        expected = {
            name: values if name.startswith("double") else arrow(name, values) for name, values in columns.items()
        }
        file = pq.ParquetFile(path)
        if file.metadata.metadata.get(b"seed") != oracle["metadata"].encode():
            print(f"{path.name}: other metadata: {file.metadata.metadata}")
        readers = {
            "pyarrow": lambda: file.read(),
            "DuckDB": lambda: duck.execute(f"SELECT * FROM read_parquet('{path}')").to_arrow_table(),
            "chdb": lambda: chdb.query(
                f"SELECT * FROM file('{path}', Parquet) SETTINGS input_format_parquet_preserve_order = 1", "ArrowTable"
            ),
        }
        for reader, read in readers.items():
            try:
                table = read()
            except Exception as error:
                print(f"{path.name}: {reader}: {error}")
                continue
            if table.num_rows == 0 and reader == "chdb":
                # Of nothing, chdb tells no columns.
                if any(columns.values()):
                    print(f"{path.name}: {reader}: no rows")
                continue
            if table.column_names != list(columns):
                print(f"{path.name}: {reader}: has {table.column_names}")
                continue
            for name, values in columns.items():
                read_values = found(name, table.column(name), expected[name])
                if read_values != expected[name]:
                    if not name.startswith("double"):
                        read_values = read_values.to_pylist()
                    wrong = [i for i, (a, b) in enumerate(zip(values, read_values)) if a != b][:3]
                    print(
                        f"{path.name}: {reader}: {name}: {len(read_values)} of {len(values)} rows;"
                        f" {[(i, values[i], read_values[i]) for i in wrong]}"
                    )
        check_bounds(path.name, file.metadata, columns, oracle["row_group"])
        check_search(path.name, path, columns)
    print(f"{len(paths)} files")


main(sys.argv[1])
