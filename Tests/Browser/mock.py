#!/usr/bin/env python3
"""A server with the API that the page asks over a made catalog, with which the page can be tried alone.

usage: mock.py [--port N] [--files N] [--slow SECONDS]

Prints `ready URL CONTROL`. POST to CONTROL what no real server would do:
  {"change": {"add": [{"path", "size"}], "remove": [path], "touch": [{"path", "size"}], "move": [[old, new]]}}
  {"outage": seconds, "forget": true}   nobody answers for so long; then all tables are gone, as after a restart
  {"requests": true}                    what was asked for since the last time
"""

import argparse
import base64
import calendar
import gzip
import json
import pathlib
import queue
import re
import socket
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import query
from catalog import KINDS_OF_EXTENSIONS, Archive
from store import COLUMNS, Fault, Store, problem_of

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "CCatalogPage"
MEDIA = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'none'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")

REPORTS = [
    ("usage_by_type", "Usage by type", "What each type of entry takes.", "type:,description:,entries:,files:,size:bytes,allocated:bytes", "allocated"),
    ("usage_by_kind", "Usage by kind", "What files, directories and links take.", "kind:,entries:,files:,size:bytes,allocated:bytes", "allocated"),
    ("usage_by_extension", "Usage by extension", "What each extension takes.", "extension:,entries:,files:,size:bytes,allocated:bytes", "allocated"),
    ("usage_by_owner", "Usage by owner", "What each owner's entries take.", "owner:,uid:,entries:,files:,size:bytes,allocated:bytes", "allocated"),
    ("usage_by_age", "Usage by age", "What was changed when.", "age:,min_days:,max_days:,entries:,files:,size:bytes,allocated:bytes", "allocated"),
    ("usage_by_directory", "Usage by directory", "What each directory takes, with everything in it.",
     "path:,depth:,files:,directories:,size:bytes,allocated:bytes,newest_modified:seconds since 1970-01-01 UTC", "allocated"),
    ("largest_files", "Largest files", "The files that take most.", "path:,type:,size:bytes,allocated:bytes,modified:seconds since 1970-01-01 UTC,owner:,links:", "allocated"),
    ("growth_by_directory", "Growth by directory", "By how much each directory grew.", "path:,depth:,total_files:,total_size:bytes,total_allocated:bytes", "total_allocated"),
    ("broken_links", "Broken links", "Symbolic links without a target.", "path:,link_target:,modified:seconds since 1970-01-01 UTC,owner:", None),
    ("duplicate_candidates", "Duplicate candidates", "Files with the same name and size.", "name:,size:bytes,copies:,wasted:bytes,allocated:bytes", "wasted"),
    ("hard_links", "Hard links", "Files with several names.", "path:,links:,size:bytes,allocated:bytes", "allocated"),
    ("name_collisions", "Name collisions", "Names in one directory that differ only in case, or in how letters with marks are encoded.",
     "path:,name:,alike:,differ_in:,kind:,size:bytes", None),
]


def columns_of(text):
    return [{"name": part.split(":", 1)[0], "unit": part.split(":", 1)[1] or None, "meaning": part.split(":")[0].replace("_", " ")} for part in text.split(",")]


class Api:
    """The answers of the API, one function a path."""

    def __init__(self, store):
        self.store = store

    def places(self, parameters, name="in"):
        odd = [base64.b64decode(each).decode("utf-8", "replace") for each in parameters.get(f"{name}_base64", [])]
        return parameters.get(name, []) + odd

    def place(self, parameters):
        return (self.places(parameters, "path") or [None])[0]

    def number(self, parameters, name, otherwise, low, high):
        text = parameters.get(name, [str(otherwise)])[0]
        if not re.fullmatch(r"-?\d+", text) or not low <= int(text) <= high:
            raise Fault(400, "bad_parameter", f"“{name}” is a number from {low} to {high}")
        return int(text)

    def session(self, p):
        return {"version": "0.0.0", "read_only": True, "allow_sql": False, "catalog": "catalog.sqlite", "now": self.store.now()}

    def roots(self, p):
        rows = []
        for index, path in enumerate(self.store.roots):
            size, allocated, files, directories = self.store.totals(path)
            rows.append({"id": index + 1, "path": path, "state": "online", "last_scan": self.store.scan_count, "last_scan_at": self.store.now(),
                         "last_scan_state": "complete", "excludes": "", "one_file_system": 0, "shallow": 0, "include_packages": 0,
                         "container": None, "entries": files + directories + 1, "total_size": size, "total_allocated": allocated})
        return {"roots": rows}

    def entry(self, p):
        store = self.store
        entry = store.full(store.entry(store.must_find(self.place(p) or "")))
        totals = None
        if entry["kind"] == "directory":
            size, allocated, files, directories = store.totals(entry["path"])
            totals = {"total_size": size, "total_allocated": allocated, "total_files": files, "total_directories": directories,
                      "newest_modified": entry["modified"], "state": "complete"}
        is_named = entry["name"].startswith("animal")
        return {"entry": entry, "values": {"xattr:user.origin": "https://example.org/zoo"} if is_named else {}, "tags": ["favourite", "zoo"] if is_named else [],
                "totals": totals, "errors": [], "type_description": entry["type_description"],
                "supertypes": ["public.data", "public.item"] if entry["kind"] == "file" else ["public.directory", "public.item"]}

    def totals(self, p):
        store, depth, limit = self.store, self.number(p, "depth", 1, 0, 8), self.number(p, "limit", 1000, 1, 10000)
        rows = []

        def add(path, level):
            entry = store.entry(store.find(path))
            size, allocated, files, directories = store.totals(path)
            inner = [child for child in store.children_of(path) if store.entry(child)["kind"] == "directory"] if not path.startswith(store.archive_path + "/") else []
            own = [sum(store.totals(store.entry(child)["path"])[at] for child in inner) for at in (0, 1, 2)]
            rows.append({"id": entry["id"], "path": path, "name": entry["name"], "depth": entry["depth"], "kind": "directory",
                         "size": size - own[0], "allocated": allocated - own[1], "files": files - own[2], "directories": len(inner),
                         "total_size": size, "total_allocated": allocated, "total_files": files, "total_directories": directories,
                         "newest_modified": entry["modified"], "state": "complete",
                         **({"path_base64": entry["path_base64"]} if "path_base64" in entry else {})})
            if level < depth:
                for child in sorted(inner, key=lambda each: -store.totals(store.entry(each)["path"])[1])[:limit]:
                    add(store.entry(child)["path"], level + 1)

        path = self.place(p)
        if path is None:
            depth -= 1
            for root in sorted(store.roots, key=lambda each: -store.totals(each)[1]):
                add(root, 0)
        else:
            store.must_find(path)
            add(path, 0)
        return {"path": path, "depth": depth, "rows": rows}

    def reports(self, p):
        return {"reports": [{"name": name, "title": title, "abstract": abstract, "columns": columns_of(columns), "measure": measure,
                             "about_time": name == "growth_by_directory"} for name, title, abstract, columns, measure in REPORTS]}

    def report(self, p, name):
        known = {each[0]: each for each in REPORTS}
        if name not in known:
            raise Fault(404, "report_not_found", f"there is no report “{name}”")
        _, _, _, columns, measure = known[name]
        store, limit = self.store, self.number(p, "limit", 100, 1, 10000)
        within = (self.places(p) or [store.home])[0]
        entries = [store.full(store.entry(each)) for each in store.below(within)] if within.startswith(store.home) else []
        rows = self.rows_of(name, entries)
        key = p.get("sort", [f"-{measure}" if measure else "path"])[0]
        name_of, down = key.lstrip("-"), key.startswith("-")
        known_rows = [row for row in rows if row.get(name_of) is not None]
        rows = sorted(known_rows, key=lambda row: row[name_of], reverse=down) + [row for row in rows if row.get(name_of) is None]
        names = [each["name"] for each in columns_of(columns)]
        where = f"\nWHERE path LIKE '{within}/%'" if self.places(p) else ""
        return {"name": name, "columns": columns_of(columns), "measure": measure, "rows": [{key: row.get(key) for key in names} for row in rows[:limit]],
                "sql": f"SELECT {', '.join(names)}\nFROM {name}{where}\nORDER BY {name_of}{' DESC' if down else ''}\nLIMIT {limit}"}

    def rows_of(self, name, entries):
        if name.startswith("usage_by_") and name != "usage_by_directory":
            ages = [("within a day", 0, 1), ("within a week", 1, 7), ("within a month", 7, 30), ("within a year", 30, 365), ("over a year", 365, None)]

            def group(entry):
                if name == "usage_by_age":
                    days = (self.store.now() - entry["modified"]) / 86400
                    return next((each for each in ages if days < (each[2] or 1e9)), ages[-1])
                return {"type": (entry["type"], entry["type_description"]), "kind": (entry["kind"],), "extension": (entry["extension"],),
                        "owner": (entry["owner"], entry["uid"])}[name[9:]]
            keys = {"type": ["type", "description"], "kind": ["kind"], "extension": ["extension"], "owner": ["owner", "uid"], "age": ["age", "min_days", "max_days"]}[name[9:]]
            groups = {}
            for entry in entries:
                row = groups.setdefault(group(entry), {"entries": 0, "files": 0, "size": 0, "allocated": 0})
                row["entries"] += 1
                row["files"] += entry["kind"] == "file"
                row["size"] += entry["size"] if entry["kind"] == "file" else 0
                row["allocated"] += entry["allocated"]
            return [{**dict(zip(keys, group)), **sums} for group, sums in groups.items()]
        if name == "largest_files":
            return [entry for entry in entries if entry["kind"] == "file"]
        if name == "broken_links":
            return [entry for entry in entries if entry["is_broken"]]
        if name in ("usage_by_directory", "growth_by_directory"):
            rows = []
            for entry in entries:
                if entry["kind"] != "directory":
                    continue
                size, allocated, files, directories = self.store.totals(entry["path"])
                first = self.store.points(entry["path"])[0]
                rows.append({"path": entry["path"], "depth": entry["depth"], "files": files, "directories": directories, "size": size, "allocated": allocated,
                             "newest_modified": entry["modified"], "total_files": files - first["total_files"], "total_size": size - first["total_size"],
                             "total_allocated": allocated - first["total_allocated"]})
            return rows
        return []

    def changes(self, p):
        limit, start = self.number(p, "limit", 1000, 1, 10000), int(p.get("cursor", ["0"])[0])
        since, kind = p.get("since", [""])[0], p.get("kind", [""])[0]
        places = self.places(p)
        if since.isdigit():
            test = lambda each: each["scan_id"] > int(since)
        elif since:
            at = calendar.timegm(time.strptime(since[:19], "%Y-%m-%dT%H:%M:%S"))
            test = lambda each: each["at"] >= at
        else:
            test = lambda each: True
        found = [each for each in reversed(self.store.changes) if test(each) and (not kind or each["kind"] == kind)
                 and (not places or any(each["path"].startswith(place + "/") for place in places))]
        end = start + limit
        return {"changes": found[start:end], "horizon": 1, "next": str(end) if end < len(found) else None}

    def scans(self, p):
        return {"scans": self.store.scans(self.number(p, "limit", 100, 1, 1000))}

    def growth(self, p):
        store, path = self.store, self.place(p)
        store.must_find(path or "")
        inner = [] if path.startswith(store.archive_path) else [store.entry(each) for each in store.children_of(path) if store.entry(each)["kind"] == "directory"]
        inner.sort(key=lambda entry: -store.totals(entry["path"])[1])
        return {"path": path, "points": store.points(path), "children": [{"path": entry["path"], "points": store.points(entry["path"])} for entry in inner[:8]]}

    def complete(self, p):
        text = p.get("q", [""])[0]
        return query.complete(text, self.number(p, "position", len(text), 0, len(text)))

    def check(self, p):
        text = p.get("q", [""])[0]
        try:
            query.parse(text)
        except query.QueryError as error:
            raise problem_of(error, text)
        return {"ok": True, "unknown": query.unknown(text)}

    # Tables

    def spec(self, body, otherwise):
        places = body.get("in", otherwise["in"])
        if "in_base64" in body:
            places = places + [base64.b64decode(each).decode("utf-8", "replace") for each in body["in_base64"]]
        columns = body.get("columns", otherwise["columns"])
        for column in columns:
            if column not in COLUMNS:
                raise Fault(400, "unknown_column", f"there is no column “{column}”")
        return {"q": body.get("q", otherwise["q"]), "in": places, "sort": body.get("sort", otherwise["sort"]), "columns": columns}

    def rows(self, p, table):
        start, count = self.number(p, "from", 0, 0, 1 << 40), self.number(p, "count", 100, 1, 500)
        if "generation" in p and int(p["generation"][0]) != table.generation:
            raise Fault(409, "generation_past", "the table has another generation", generation=table.generation)
        rows = [self.store.row(each, table.spec["columns"]) for each in table.order[start:start + count]]
        return {"from": start, "count": len(rows), "generation": table.generation, "rows": rows}

    def find(self, p, table):
        identifier = int(p["id"][0]) if "id" in p else self.store.find(self.place(p) or "")
        try:
            return {"index": table.order.index(identifier)}
        except ValueError:
            return {"index": None}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *values):
        pass

    def setup(self):
        super().setup()
        self.server.mock.connections.add(self.connection)

    def finish(self):
        self.server.mock.connections.discard(self.connection)
        super().finish()

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def do_PATCH(self):
        self.answer("PATCH")

    def do_DELETE(self):
        self.answer("DELETE")

    def answer(self, method):
        mock = self.server.mock
        url = urllib.parse.urlsplit(self.path)
        parameters = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        try:
            if self.server.is_control:
                return self.send(200, mock.control(json.loads(body)))
            if not url.path.startswith("/api/v1/"):
                return self.file(url.path)
            mock.requests.append(f"{method} {self.path}")
            if mock.slow:
                time.sleep(mock.slow)
            self.api(method, url.path[8:].split("/"), parameters, json.loads(body) if body else {})
        except Fault as fault:
            self.send(fault.status, fault.body, "application/problem+json")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def api(self, method, way, parameters, body):
        mock = self.server.mock
        store, api = mock.store, mock.api
        if way[0] == "events":
            return self.events(mock.listeners)
        if way[0] == "tables":
            if len(way) == 1:
                table = store.open(api.spec(body, {"q": "", "in": [], "sort": "name", "columns": []}))
                return self.send(201, table.facts, headers={"Location": f"/api/v1/tables/{table.id}"})
            table = store.table(way[1])
            if len(way) == 2 and method == "GET":
                return self.send(200, table.facts)
            if len(way) == 2 and method == "PATCH":
                store.reopen(table, api.spec(body, table.spec))
                return self.send(200, table.facts)
            if len(way) == 2 and method == "DELETE":
                store.tables.pop(table.id, None)
                return self.send(204, None)
            if way[2] == "events":
                return self.events(table.listeners, table)
            with store.lock:
                return self.send(200, {"rows": api.rows, "find": api.find}[way[2]](parameters, table))
        if way[0] == "reports" and len(way) == 2:
            with store.lock:
                return self.cached(api.report(parameters, way[1]))
        answer = getattr(api, way[0], None)
        if answer is None or way[0] in ("rows", "find", "spec", "places", "place", "number", "report"):
            raise Fault(404, "not_found", "there is nothing here")
        with store.lock:
            result = answer(parameters)
        return self.send(200, result) if way[0] in ("session", "check", "complete") else self.cached(result)

    def cached(self, result):
        tag = f'W/"state-{self.server.mock.store.state}"'
        if self.headers.get("If-None-Match") == tag:
            return self.send(304, None, headers={"ETag": tag})
        return self.send(200, result, headers={"ETag": tag})

    def file(self, path):
        place = (PAGE / (path.lstrip("/") or "page.html")).resolve()
        if PAGE not in place.parents or not place.is_file() or place.suffix not in MEDIA:
            return self.send(404, {"title": "not found", "status": 404}, "application/problem+json")
        return self.send(200, place.read_bytes(), f"{MEDIA[place.suffix]}; charset=utf-8")

    def send(self, status, body, media="application/json", headers=None):
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        if len(data) > 1400 and "gzip" in (self.headers.get("Accept-Encoding") or ""):
            data = gzip.compress(data, 1)
            self.send_header("Content-Encoding", "gzip")
        for name, value in {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache",
                            "Referrer-Policy": "no-referrer", **(headers or {})}.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Type", media)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def events(self, listeners, table=None):
        mailbox = queue.Queue()
        listeners.append(mailbox)
        self.close_connection = True
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            last = self.headers.get("Last-Event-ID")
            if table is not None and last is not None and int(last) != table.generation:
                mailbox.put(("reset", {"generation": table.generation, "count": len(table.order)}, table.generation))
            self.wfile.write(b": hello\n\n")
            self.wfile.flush()
            while True:
                try:
                    event, data, number = mailbox.get(timeout=5)
                except queue.Empty:
                    self.wfile.write(b": still here\n\n")
                    self.wfile.flush()
                    continue
                if event is None:
                    return
                self.wfile.write(f"id: {number}\nevent: {event}\ndata: {json.dumps(data)}\n\n".encode())
                self.wfile.flush()
        except OSError:
            pass
        finally:
            if mailbox in listeners:
                listeners.remove(mailbox)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass


class Mock:
    def __init__(self, port=0, archive=None, slow=0):
        self.store = Store(archive=archive)
        self.api = Api(self.store)
        self.slow = slow
        self.connections, self.listeners, self.requests = set(), [], []
        self.server = self._listen(port, False)
        self.port = self.server.server_address[1]
        self.controls = self._listen(0, True)

    def _listen(self, port, is_control):
        server = Server(("127.0.0.1", port), Handler)
        server.mock, server.is_control = self, is_control
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return server

    def control(self, wish):
        if "change" in wish:
            log = self.store.change(**wish["change"])
            for listener in list(self.listeners):
                listener.put(("state", {"scan_id": self.store.scan_count, "at": self.store.now(), "roots": self.store.roots}, self.store.state))
            return {"changes": log}
        if "outage" in wish:
            threading.Thread(target=self._outage, args=(wish["outage"], wish.get("forget", False)), daemon=True).start()
            return {}
        if "requests" in wish:
            asked, self.requests = self.requests, []
            return {"requests": asked}
        if "slow" in wish:
            self.slow = wish["slow"]
            return {}
        return {"tables": len(self.store.tables)}

    def _outage(self, seconds, forgets):
        self.server.shutdown()
        self.server.server_close()
        for connection in list(self.connections):
            if connection.getsockname()[1] == self.port:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        for listener in [*self.listeners, *(each for table in self.store.tables.values() for each in table.listeners)]:
            listener.put((None, None, 0))
        if forgets:
            self.store.tables.clear()
        time.sleep(seconds)
        self.server = self._listen(self.port, False)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--directories", type=int, default=999)
    options.add_argument("--slow", type=float, default=0)
    chosen = options.parse_args()
    mock = Mock(chosen.port, Archive(chosen.directories), chosen.slow)
    print(f"ready http://127.0.0.1:{mock.port}/ http://127.0.0.1:{mock.controls.server_address[1]}/", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
