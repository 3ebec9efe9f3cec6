"""Compares what an engine reads from a lake with the catalogs that were published into it.

fleet.py ENGINE DDL REPORTS HOST=CATALOG...

ENGINE: duckdb, which asks the server of objects that the environment names, chdb, or the directory of a Spark.
DDL: the file with the statements of `filecat fleet ddl`. REPORTS: a file with the statement of each report, by its
name, as JSON. Views are compared row by row, reports in their order as well. Prints each difference, and ends with
status 1 where there is one.
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
# The first publication of a catalog has all of its history.
VIEWS = {
    "files": FILES,
    "changes": "v.id, v.scan_id, v.at, v.kind, entry_id, entry_kind, path, old_path, size, old_size, modified_ns",
    "growth_by_directory": (
        "v.scan_id, v.at, directory_id, path, depth, files, directories, size, allocated, total_files, "
        "total_directories, total_size, total_allocated"
    ),
}
# The same over the catalogs themselves, where one for each does not come to one for all.
USAGE = "count(*), sum(f.files), sum(f.size), sum(f.allocated) AS allocated"
CONTRIBUTIONS = """
    (SELECT f.host, f.path, f.modified, CASE f.kind WHEN 'directory' THEN 0 ELSE ifnull(f.size, 0) END AS size,
      CASE f.kind WHEN 'directory' THEN 0 WHEN 'package' THEN (
        SELECT p.files FROM all__packages p WHERE p.host = f.host AND p.id = f.id) ELSE 1 END AS files,
      ifnull(f.allocated, 0) - ifnull((
        SELECT r.allocated FROM all__repeated_links r WHERE r.host = f.host AND r.entry_id = f.id), 0) AS allocated
    FROM all_files f)"""
SUMS = "total_files total_directories total_size total_allocated files directories size allocated".split()
ORACLES = {
    "usage_by_host": """
        SELECT host, sum(entries), sum(files), sum(size), sum(allocated) AS allocated FROM all_usage_by_kind
        GROUP BY host ORDER BY allocated DESC, host""",
    "usage_by_kind": "SELECT host, {columns} FROM all_usage_by_kind ORDER BY allocated DESC, kind, host",
    "usage_by_type": "SELECT host, {columns} FROM all_usage_by_type ORDER BY allocated DESC, type, host",
    "usage_by_extension": """
        SELECT host, {columns} FROM all_usage_by_extension ORDER BY allocated DESC, extension, host""",
    "usage_by_owner": "SELECT host, {columns} FROM all_usage_by_owner ORDER BY allocated DESC, uid, host",
    "usage_by_age": """
        SELECT host, {columns} FROM all_usage_by_age
        ORDER BY min_days IS NULL, min_days, max_days IS NULL, host""",
    "usage_by_month": f"""
        SELECT host, CAST(strftime('%Y%m', modified, 'unixepoch') AS INTEGER) AS month, {USAGE}
        FROM {CONTRIBUTIONS} f GROUP BY host, month ORDER BY allocated DESC, month, host""",
    "usage_by_top_directory": f"""
        SELECT f.host, d.path, {USAGE}
        FROM {CONTRIBUTIONS} f JOIN all_directories d ON d.host = f.host AND d.depth <= 1
          AND (f.path = d.path OR d.depth = 1 AND substr(f.path, 1, length(d.path) + 1) = d.path || '/'
            OR d.depth = 0 AND NOT EXISTS (
              SELECT 1 FROM all_directories o WHERE o.host = f.host AND o.depth = 1
                AND (f.path = o.path OR substr(f.path, 1, length(o.path) + 1) = o.path || '/')))
        GROUP BY f.host, d.path ORDER BY allocated DESC, d.path, f.host""",
    "largest_files": """
        SELECT host, {columns} FROM all_largest_files ORDER BY allocated DESC, size DESC, id, host LIMIT 1000""",
    "growth_by_directory": f"""
        SELECT * FROM (
          SELECT host, path, min(depth), {", ".join(f"sum({name}) AS {name}" for name in SUMS)}
          FROM all_growth_by_directory GROUP BY host, path)
        WHERE {" OR ".join(f"{name} <> 0" for name in SUMS)}
        ORDER BY abs(total_allocated) DESC, path, host""",
    # Of what is gone nothing is left of the size that a change tells.
    "growth_by_owner": """
        SELECT * FROM (SELECT c.host, owner, count(*),
          sum(CASE c.kind WHEN 'removed' THEN 0 ELSE ifnull(size, 0) END - ifnull(old_size, 0)) AS size
        FROM all_changes c JOIN (
          SELECT l.host, l.id, u.name AS owner FROM all__change_log l
          LEFT JOIN all__users u ON u.host = l.host AND u.uid = l.uid) o ON o.host = c.host AND o.id = c.id
        WHERE entry_kind <> 'directory' GROUP BY c.host, owner) ORDER BY abs(size) DESC, owner, host""",
    "duplicate_candidates": """
        SELECT host, path, name, size, copies, wasted, allocated, modified FROM (
          SELECT *, count(*) OVER same AS copies,
            sum(ifnull(allocated, 0)) OVER same - max(ifnull(allocated, 0)) OVER same AS wasted
          FROM all_files f
          WHERE kind = 'file' AND size > 0 AND NOT EXISTS (
            SELECT 1 FROM all_files o WHERE o.host = f.host AND o.kind = 'file' AND o.inode = f.inode
              AND o.size = f.size AND o.id < f.id
              AND ifnull(o.name_bytes, CAST(o.name AS BLOB)) = ifnull(f.name_bytes, CAST(f.name AS BLOB)))
          WINDOW same AS (PARTITION BY size, ifnull(name_bytes, CAST(name AS BLOB))))
        WHERE copies > 1 ORDER BY wasted DESC, name, name_bytes, size, id, host""",
}


def views(hidden):
    """The question about each view, with the host first."""
    return {
        view: f"SELECT host, {columns.format(hidden=hidden)} FROM {{}}{view} v"
        for view, columns in VIEWS.items()
    }


def quoted(text):
    return text.replace("'", "''")


def from_catalogs(catalogs, reports):
    connection = sqlite3.connect(":memory:")
    for number, path in enumerate(catalogs.values()):
        connection.execute(f"ATTACH '{quoted(path)}' AS c{number}")
    own = ("usage_by_host", "usage_by_month", "usage_by_top_directory", "growth_by_owner")
    sources = ["files", "directories", "changes", "_packages", "_repeated_links", "_change_log", "_users"]
    sources += [name for name in reports if name not in own]
    for view in sources:
        parts = [f"SELECT '{quoted(host)}' AS host, * FROM c{n}.{view}" for n, host in enumerate(catalogs)]
        connection.execute(f"CREATE TEMP VIEW all_{view} AS {' UNION ALL '.join(parts)}")
    questions = {view: question.format("all_") for view, question in views("is_hidden").items()}
    for name, report in reports.items():
        columns = ", ".join(report["columns"][1:])
        questions["report " + name] = ORACLES[name].format(columns=columns)
    return {name: connection.execute(question).fetchall() for name, question in questions.items()}


def from_duckdb(statements, questions):
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
    return {name: connection.execute(question).fetchall() for name, question in questions.items()}


def from_chdb(statements, questions):
    from chdb import session

    connection = session.Session()
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.query(statement)
    answers = {}
    for name, question in questions.items():
        text = connection.query(question, "JSONCompactEachRow").bytes().decode()
        answers[name] = [tuple(json.loads(line)) for line in text.splitlines()]
    return answers


def from_spark(home, statements, questions):
    """Each row as an object on a line: names may have tabs and newlines."""
    script = statements
    for number, question in enumerate(questions.values()):
        script += (
            f"SELECT concat('{number} ', to_json(struct(*), map('ignoreNullFields', 'false'))) FROM ({question});\n"
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
    names = list(questions)
    answers = {name: [] for name in names}
    for line in run.stdout.splitlines():
        number, _, row = line.partition(" ")
        if number.isdigit():
            answers[names[int(number)]].append(tuple(json.loads(row).values()))
    return answers


def differences(name, wanted, found):
    """Of reports the order counts as well."""
    wanted, found = [list(map(repr, rows)) for rows in (wanted, found)]
    if not name.startswith("report "):
        wanted, found = sorted(wanted), sorted(found)
    if wanted == found:
        return []
    lines = [f"{name}: {len(wanted)} rows, read {len(found)}"]
    for number, pair in enumerate(zip(wanted + [""] * len(found), found + [""] * len(wanted))):
        if pair[0] != pair[1]:
            lines += [f"  row {number}: {pair[0]}", f"      read: {pair[1]}"]
        if len(lines) > 6:
            break
    return lines


def main():
    engine, ddl, reports, *catalogs = sys.argv[1:]
    with open(ddl) as file:
        statements = file.read()
    with open(reports) as file:
        reports = json.load(file)
    catalogs = dict(catalog.split("=", 1) for catalog in catalogs)
    hidden = "CAST(is_hidden AS INT)"
    questions = {view: question.format("") for view, question in views(hidden).items()}
    questions |= {"report " + name: report["statement"] for name, report in reports.items()}
    if engine == "duckdb":
        found = from_duckdb(statements, questions)
    elif engine == "chdb":
        found = from_chdb(statements, questions)
    else:
        found = from_spark(engine, statements, questions)
    wanted = from_catalogs(catalogs, reports)
    lines = [line for name in wanted for line in differences(name, wanted[name], found[name])]
    print("\n".join(lines))
    print(f"{sum(map(len, wanted.values()))} rows")
    sys.exit(1 if lines else 0)


main()
