"""Compares what an engine reads from a lake with the catalogs that were published into it.

fleet.py ENGINE DDL HOST=CATALOG...

ENGINE: duckdb, which asks the server of objects that the environment names, or the directory of a Spark. DDL: the file with the statements of `filecat fleet ddl`.
Prints each difference, and ends with status 1 where there is one.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile

FILES = (
    "id, path, name, kind, type, extension, size, allocated, created_ns, modified_ns, changed_ns, mode, uid, "
    "gid, owner, group_name, inode, links, {hidden} AS is_hidden, link_target, container, role"
)
USAGE = {
    "usage_by_kind": "kind, entries, files, size, allocated",
    "usage_by_type": "type, description, entries, files, size, allocated",
    "usage_by_extension": "extension, entries, files, size, allocated",
    "usage_by_owner": "owner, uid, entries, files, size, allocated",
}
# The first publication of a catalog has all of its history.
HISTORY = {
    "changes": "v.id, v.scan_id, v.at, v.kind, entry_id, entry_kind, path, old_path, size, old_size, modified_ns",
    "growth_by_directory": (
        "v.scan_id, v.at, directory_id, path, depth, files, directories, size, allocated, total_files, "
        "total_directories, total_size, total_allocated"
    ),
}


def questions(hidden):
    yield "files", FILES.format(hidden=hidden)
    yield from USAGE.items()
    yield from HISTORY.items()


def from_catalog(path):
    connection = sqlite3.connect(path)
    return {
        view: connection.execute(f"SELECT {columns} FROM {view} v").fetchall()
        for view, columns in questions("is_hidden")
    }


def from_duckdb(statements):
    import duckdb

    connection = duckdb.connect()
    server = os.environ.get("AWS_ENDPOINT_URL_S3")
    if server:
        import duckdb_extensions

        duckdb_extensions.import_extension("httpfs")
        connection.execute("LOAD httpfs")
        connection.execute(
            f"CREATE SECRET (TYPE s3, KEY_ID '{os.environ['AWS_ACCESS_KEY_ID']}',"
            f" SECRET '{os.environ['AWS_SECRET_ACCESS_KEY']}', REGION 'us-east-1',"
            f" ENDPOINT '{server.removeprefix('http://')}', URL_STYLE 'path', USE_SSL false)")
    connection.execute(statements)
    return {
        view: connection.execute(f"SELECT host, {columns} FROM {view} v").fetchall()
        for view, columns in questions("CAST(is_hidden AS INT)")
    }


def from_spark(home, statements):
    """Each row as an object on a line: names may have tabs and newlines."""
    script = statements
    for view, columns in questions("CAST(is_hidden AS INT)"):
        script += (
            f"SELECT concat('{view} ', to_json(struct(*), map('ignoreNullFields', 'false')))"
            f" FROM (SELECT host, {columns} FROM {view} v);\n"
        )
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "questions.sql")
        with open(file, "w") as output:
            output.write(script)
        run = subprocess.run(
            [
                f"{home}/bin/spark-sql", "-S", "--master", "local[2]",
                "--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                "--conf", "spark.sql.shuffle.partitions=4", "-f", file,
            ],
            cwd=directory, env=os.environ | {"SPARK_HOME": home},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
    if run.returncode != 0:
        sys.exit(f"spark-sql: {run.stderr[-2000:]}")
    views = [view for view, _ in questions("")]
    answers = {view: [] for view in views}
    for line in run.stdout.splitlines():
        view, _, row = line.partition(" ")
        if view in answers:
            answers[view].append(tuple(json.loads(row).values()))
    return answers


def main():
    engine, ddl, *catalogs = sys.argv[1:]
    with open(ddl) as file:
        statements = file.read()
    read = from_duckdb(statements) if engine == "duckdb" else from_spark(engine, statements)
    wanted = {view: [] for view in read}
    for catalog in catalogs:
        host, _, path = catalog.partition("=")
        for view, rows in from_catalog(path).items():
            wanted[view] += [(host, *row) for row in rows]
    differences = 0
    for view, rows in wanted.items():
        missing = sorted(set(map(repr, rows)) - set(map(repr, read[view])))
        excess = sorted(set(map(repr, read[view])) - set(map(repr, rows)))
        if len(rows) != len(read[view]) or missing or excess:
            differences += 1
            print(f"{view}: {len(rows)} rows, read {len(read[view])}")
            for row in missing[:3]:
                print(f"  missing {row}")
            for row in excess[:3]:
                print(f"  excess  {row}")
    print(f"{sum(map(len, wanted.values()))} rows")
    sys.exit(1 if differences else 0)


main()
