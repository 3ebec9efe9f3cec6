"""A catalog that a mock answers from: entries, tables of them, and diffs by index when something changes."""

import base64
import bisect
import hashlib
import re
import threading

import query
from catalog import DAY, NOW, TYPES, Archive, home

COLUMNS = ("id root_id root parent_id directory name path kind type extension size allocated created modified changed accessed "
           "created_ns modified_ns changed_ns accessed_ns mode uid gid owner group_name inode device links flags is_hidden is_package "
           "link_target depth container role backup_policy purgeable asset_stem asset_scale asset_idiom asset_height asset_hd "
           "first_seen_scan last_changed_scan total_size total_allocated total_files type_description is_broken root_state display_name").split()
SORT_KEYS = ("name path size allocated modified created changed accessed kind type extension owner group mode inode links depth "
             "total_size total_allocated total_files full_size full_allocated").split()
ARCHIVE = 1_000_000


class Fault(Exception):
    """Why there is no answer."""

    def __init__(self, status, code, detail, **more):
        super().__init__(detail)
        self.status, self.body = status, {"type": "about:blank", "title": code, "status": status, "detail": detail, "code": code, **more}


def natural(name):
    return [(1, int(part), "") if part.isdigit() else (2, 0, part) for part in re.split(r"(\d+)", name.casefold()) if part]


def on_disk(size):
    return (size + 4095) // 4096 * 4096


class Store:
    def __init__(self, base="/srv", archive=None):
        self.lock = threading.RLock()
        self.base = base
        self.home, self.archive_path = f"{base}/anna", f"{base}/archive"
        self.archive = archive or Archive()
        self.by_path, self.by_id, self.children = {}, {}, {}
        self.extra = {}
        self.next_id = 2
        self.scan_count = 24
        self.state = 1
        self.tables, self.next_table = {}, 1
        self.changes = []
        self.totals_cache = {}
        self._put(self.home, "directory", 4096, NOW - DAY, identifier=1)
        for item in home():
            self._put(f"{self.home}/{item.path}", item.kind, item.size or (4096 if item.kind == "directory" else 0), item.modified,
                      target=item.target, name_bytes=item.name_bytes)
        self._make_history()

    # Entries ------------------------------------------------------------------------------------

    def _put(self, path, kind, size, modified, target=None, name_bytes=None, identifier=None):
        if identifier is None:
            identifier = self.next_id
            self.next_id += 1
        parent = path.rsplit("/", 1)[0]
        entry = self._entry(identifier, path, kind, size, modified, target)
        if name_bytes is not None:
            entry["name_base64"] = base64.b64encode(name_bytes).decode()
            entry["path_base64"] = base64.b64encode(parent.encode() + b"/" + name_bytes).decode()
        self.by_path[path] = entry
        self.by_id[identifier] = entry
        if path != self.home:
            self.children.setdefault(parent, []).append(identifier)
        return entry

    def _entry(self, identifier, path, kind, size, modified, target=None):
        root = self.home if path == self.home or path.startswith(self.home + "/") else self.archive_path
        name = path.rsplit("/", 1)[1]
        stem, dot, extension = name.rpartition(".")
        extension = extension if dot and stem and " " not in extension[:1] and kind == "file" else None
        identity, description = TYPES.get((extension or "").lower(), ("public.data", None))
        if kind != "file":
            identity, description = {"directory": ("public.folder", "Folder"), "symlink": ("public.symlink", "Symbolic link")}.get(kind, ("public.item", None))
        depth = path.count("/") - root.count("/")
        allocated = on_disk(size) if kind == "file" else 4096 if kind == "directory" else 0
        return {
            "id": identifier, "root_id": 1 if root == self.home else 2, "root": root,
            "parent_id": None, "directory": path.rsplit("/", 1)[0] if depth else None, "name": name, "path": path, "kind": kind,
            "type": identity, "type_description": description, "extension": extension, "size": size, "allocated": allocated,
            "created": modified - 3600, "modified": modified, "changed": modified + 1, "accessed": modified + 60,
            "mode": {"directory": 0o40755, "symlink": 0o120777}.get(kind, 0o100644), "uid": 1000, "gid": 1000,
            "owner": "anna" if root == self.home else "root", "group_name": "staff", "inode": 500_000 + identifier, "device": 2049,
            "links": 1, "flags": 0, "is_hidden": int(name.startswith(".")), "is_package": 0, "link_target": target, "depth": depth,
            "container": None, "role": "documents" if "/Documents" in path else None, "backup_policy": None, "purgeable": None,
            "asset_scale": None, "asset_idiom": None, "first_seen_scan": 1, "last_changed_scan": 1 + identifier % 24,
            "is_broken": int(kind == "symlink" and target == "nowhere"), "root_state": "online", "display_name": stem or name,
        }

    def entry(self, identifier):
        """The entry of a number; those of the archive are made by formula."""
        if identifier in self.extra:
            return self.extra[identifier]
        if identifier < ARCHIVE:
            return self.by_id[identifier]
        k, a = identifier - ARCHIVE, self.archive
        if k == 0:
            return self._entry(identifier, self.archive_path, "directory", 4096, NOW - 2 * DAY)
        directory, index = divmod(k - 1, a.files + 1)
        place = f"{self.archive_path}/{a.directory(directory)}"
        if index == 0:
            return self._entry(identifier, place, "directory", 4096, NOW - directory * 3600)
        return self._entry(identifier, f"{place}/{a.file(directory, index - 1)}", "file", a.size(directory, index - 1), a.modified(directory, index - 1))

    def find(self, path):
        """The number of the entry at a path; None if there is none."""
        if path in self.by_path:
            return self.by_path[path]["id"]
        if path == self.archive_path:
            return ARCHIVE
        match = re.fullmatch(re.escape(self.archive_path) + r"/d(\d{3,})(?:/item-(\d{3,})-(\d{4})\.\w+)?", path)
        if not match or int(match[1]) >= self.archive.directories:
            return None
        at = ARCHIVE + 1 + int(match[1]) * (self.archive.files + 1)
        if match[2] is None:
            return at
        if match[2] != match[1] or int(match[3]) >= self.archive.files:
            return None
        identifier = at + 1 + int(match[3])
        return identifier if self.entry(identifier)["path"] == path else None

    def must_find(self, path):
        identifier = self.find(path)
        if identifier is None:
            raise Fault(404, "not_found", f"the catalog has no {path}")
        return identifier

    def children_of(self, path):
        if path == self.archive_path:
            a = self.archive
            return [ARCHIVE + 1 + index * (a.files + 1) for index in range(a.directories)] + self.children.get(path, [])
        if path.startswith(self.archive_path + "/"):
            at = self.find(path)
            return [at + 1 + index for index in range(self.archive.files)] + self.children.get(path, [])
        return list(self.children.get(path, []))

    def below(self, path):
        """The numbers of an entry and of all that is below it."""
        if path == self.archive_path:
            more = [each["id"] for each in self.by_path.values() if each["path"].startswith(path + "/")]
            return [*range(ARCHIVE, ARCHIVE + self.archive.count), *more]
        identifier = self.must_find(path)
        result = [identifier]
        for child in self.children_of(path) if self.entry(identifier)["kind"] == "directory" else []:
            result += self.below(self.entry(child)["path"]) if self.entry(child)["kind"] == "directory" else [child]
        return result

    @property
    def roots(self):
        return [self.home, self.archive_path]

    def totals(self, path):
        """size, allocated, files, directories of everything in a directory, the directory's own values included."""
        if path in self.totals_cache:
            return self.totals_cache[path]
        if path == self.archive_path:
            a = self.archive
            sums = [0, 0, 0, 0]
            parts = [self.totals(f"{path}/{a.directory(index)}") for index in range(a.directories)]
            sums = [sum(part[at] for part in parts) for at in range(4)]
            sums[1] += 4096
            sums[3] += a.directories
        else:
            sums = [0, 4096, 0, 0]
            a = self.archive
            if path.startswith(self.archive_path + "/"):
                directory = int(path[len(self.archive_path) + 2:])
                sizes = [a.size(directory, index) for index in range(a.files)]
                sums = [sum(sizes), 4096 + sum(map(on_disk, sizes)), len(sizes), 0]
            for child in self.children.get(path, []):
                entry = self.by_id[child]
                if entry["kind"] == "directory":
                    below = self.totals(entry["path"])
                    sums = [sums[0] + below[0], sums[1] + below[1], sums[2] + below[2], sums[3] + below[3] + 1]
                else:
                    sums = [sums[0] + entry["size"], sums[1] + entry["allocated"], sums[2] + 1, sums[3]]
        self.totals_cache[path] = tuple(sums)
        return self.totals_cache[path]

    def full(self, entry):
        """An entry with the sums of what is in it."""
        if entry["kind"] != "directory":
            return {**entry, "total_size": None, "total_allocated": None, "total_files": None}
        size, allocated, files, _ = self.totals(entry["path"])
        return {**entry, "total_size": size, "total_allocated": allocated, "total_files": files}

    # Tables -------------------------------------------------------------------------------------

    def _key(self, text):
        first = []
        items = text.split(",")
        if items[0] == "directories-first":
            first, items = [lambda e: e["kind"] != "directory"], items[1:] or ["name"]
        parts = []
        for item in items:
            down, key = item.startswith("-"), item.lstrip("-")
            if key not in SORT_KEYS:
                raise Fault(400, "unknown_sort_key", f"unknown sort key “{key}”")
            parts.append((key, down))

        def value(entry, key):
            if key == "name":
                return natural(entry["name"])
            if key in ("full_size", "full_allocated"):
                plain = key[5:]
                return self.totals(entry["path"])[plain == "allocated"] if entry["kind"] == "directory" else entry[plain]
            if key.startswith("total_"):
                return self.totals(entry["path"])[["size", "allocated", "files"].index(key[6:])] if entry["kind"] == "directory" else -1
            return {"group": entry["group_name"]}.get(key, entry.get(key)) if entry.get(key) is not None or key == "group" else ""

        def key(identifier):
            entry = self.entry(identifier)
            result = [part(entry) for part in first]
            for name, down in parts:
                each = value(entry, name)
                result.append(_Down(each) if down else each)
            return (*result, natural(entry["name"]), entry["path"].encode(), identifier)
        return key

    def _order(self, spec):
        try:
            test, depth = query.parse(spec["q"])
        except query.QueryError as error:
            raise problem_of(error, spec["q"])
        places = spec["in"] or self.roots
        for place in places:
            self.must_find(place)
        # A whole archive in the order of its names is what its formula gives.
        if spec["q"].strip() == "" and places == [self.archive_path] and spec["sort"] == "name" and not self.children.get(self.archive_path):
            a = self.archive
            directories = self.children_of(self.archive_path)
            return [ARCHIVE, *directories, *(at + 1 + index for at in directories for index in range(a.files))], test
        if depth == 0 and not spec["in"]:
            candidates = [self.find(root) for root in self.roots]
        elif len(places) == 1 and depth is not None and depth == self.entry(self.find(places[0]))["depth"] + 1:
            candidates = self.children_of(places[0])
        else:
            candidates = [each for place in places for each in self.below(place)]
        if spec["q"].strip() != "":
            candidates = [each for each in candidates if test(self.entry(each))]
        return sorted(candidates, key=self._key(spec["sort"])), test

    def open(self, spec):
        with self.lock:
            if len(self.tables) >= 40:
                raise Fault(429, "too_many_tables", "40 tables are open")
            table = Table(str(self.next_table), spec, *self._order(spec))
            self.next_table += 1
            self.tables[table.id] = table
            return table

    def table(self, identifier):
        if identifier not in self.tables:
            raise Fault(404, "no_table", f"there is no table {identifier}")
        return self.tables[identifier]

    def reopen(self, table, changes):
        with self.lock:
            spec = {**table.spec, **changes}
            if (spec["q"], spec["in"], spec["sort"]) != (table.spec["q"], table.spec["in"], table.spec["sort"]):
                order, test = self._order(spec)
            else:
                order, test = table.order, table.test
            table.spec, table.order, table.test = spec, order, test
            table.generation += 1
            table.send("reset", {"generation": table.generation, "count": len(order)})

    def row(self, identifier, columns):
        entry = self.full(self.entry(identifier))
        row = {"id": identifier, **{column: entry.get(column) for column in columns}}
        if "path" in columns and "path_base64" in entry:
            row["path_base64"] = entry["path_base64"]
        return row

    # Changes ------------------------------------------------------------------------------------

    def change(self, add=(), remove=(), touch=(), move=()):
        """Changes files as a scan would find them, and tells whoever has a table open."""
        with self.lock:
            came, gone, other, log = [], [], set(), []
            at = self.now()
            scan = self.scan_count + 1

            def note(kind, entry, **more):
                log.append({"scan_id": scan, "at": at, "kind": kind, "path": entry["path"], "old_path": None, "entry_id": entry["id"],
                            "entry_kind": entry["kind"], "fields": [], "size": entry["size"], "old_size": None, **more})

            old_keys = {}
            for table in self.tables.values():
                key = self._key(table.spec["sort"])
                old_keys[table.id] = key
            for item in add:
                entry = self._put(f"{self.base}/{item['path']}", item.get("kind", "file"), item.get("size", 0), at)
                entry["first_seen_scan"] = scan
                came.append(entry["id"])
                note("added", entry)
            for path in remove:
                entry = self.by_path.pop(f"{self.base}/{path}")
                self.children[entry["directory"]].remove(entry["id"])
                gone.append(entry["id"])
                note("removed", entry, size=None, old_size=entry["size"])
            for item in touch:
                entry = self.by_path[f"{self.base}/{item['path']}"]
                note("modified", entry, size=item["size"], old_size=entry["size"], fields=["size", "modified"])
                entry.update(size=item["size"], allocated=on_disk(item["size"]), modified=at, changed=at)
                other.add(entry["id"])
            for old, new in move:
                entry = self.by_path.pop(f"{self.base}/{old}")
                before = entry["path"]
                self.children[entry["directory"]].remove(entry["id"])
                fresh = self._put(f"{self.base}/{new}", entry["kind"], entry["size"], entry["modified"], identifier=entry["id"])
                note("moved", fresh, old_path=before)
                other.add(entry["id"])
            # Sums of all directories above are others.
            for each in log:
                for path in filter(None, (each["path"], each["old_path"])):
                    while path not in self.roots:
                        path = path.rsplit("/", 1)[0]
                        identifier = self.find(path)
                        if identifier is not None:
                            other.add(identifier)
            self.totals_cache.clear()
            self.scan_count = scan
            self.state += 1
            self.changes += log
            for table in self.tables.values():
                self._update(table, came, gone, other - set(came) - set(gone))
            for identifier in gone:
                self.by_id.pop(identifier, None)
            return log

    def _update(self, table, came, gone, other):
        old = table.order
        at = {}
        wanted = {*gone, *other}
        if len(wanted) > 3 or len(old) < 50_000:
            at = {identifier: index for index, identifier in enumerate(old) if identifier in wanted}
        else:
            for identifier in wanted:
                try:
                    at[identifier] = old.index(identifier)
                except ValueError:
                    pass
        within = [self.entry(self.find(place))["path"] for place in table.spec["in"]] or self.roots

        def belongs(identifier):
            entry = self.entry(identifier)
            return any(entry["path"] == place or entry["path"].startswith(place + "/") for place in within) and table.test(entry)

        leaves = [each for each in gone if each in at] + [each for each in other if each in at and not belongs(each)]
        enters = [each for each in came if belongs(each)] + [each for each in other if each not in at and belongs(each)]
        stays = [each for each in other if each in at and each not in leaves]
        taken = sorted((at[each] for each in (*leaves, *stays)), reverse=True)
        new = list(old)
        for index in taken:
            del new[index]
        ascending = sorted(taken)
        rank = {each: at[each] - bisect.bisect_left(ascending, at[each]) for each in stays}
        key = self._key(table.spec["sort"])
        moved, last = [], (-1, -1)
        place = {each: bisect.bisect(new, key(each), key=key) for each in (*stays, *enters)}
        for each in sorted((*stays, *enters), key=lambda each: (place[each], key(each)), reverse=True):
            new.insert(place[each], each)
        index_of = {each: index for index, each in enumerate(new) if each in place} if len(new) < 50_000 else {each: new.index(each) for each in place}
        for each in sorted(stays, key=lambda each: index_of[each]):
            # A row has moved if others that stayed are now on its other side.
            if rank[each] != place[each] or (place[each], at[each]) < last:
                moved.append([at[each], index_of[each]])
            else:
                last = (place[each], at[each])
        table.order = new
        if not (leaves or enters or stays):
            table.send("state", {"scan_id": self.scan_count, "at": self.now(), "roots": self.roots})
            return
        before = table.generation
        table.generation += 1
        count = len(leaves) + len(enters) + len(stays) + len(moved)
        if count > 10_000:
            table.send("reset", {"generation": table.generation, "count": len(new)})
            return
        table.send("diff", {
            "generation": table.generation, "from_generation": before, "count": len(new), "shape": "full",
            "deletions": ranges(sorted(at[each] for each in leaves)), "insertions": ranges(sorted(index_of[each] for each in enters)),
            "updates": ranges(sorted(at[each] for each in stays)), "moves": sorted(moved, key=lambda move: move[1]),
        })

    def now(self):
        return NOW + (self.scan_count - 24) * 60

    # History ------------------------------------------------------------------------------------

    def _make_history(self):
        paths = sorted(path for path, entry in self.by_path.items() if entry["kind"] == "file")
        for scan in range(2, self.scan_count + 1):
            at = NOW - (self.scan_count - scan) * 7 * DAY - 3600
            for index in range(14):
                seed = scan * 131 + index * 17
                entry = self.by_path[paths[seed * 7 % len(paths)]]
                kind = ("modified", "added", "modified", "removed", "moved")[seed % 5]
                path = entry["path"] if kind != "removed" else f"{entry['directory']}/old {seed % 97}.tmp"
                self.changes.append({
                    "scan_id": scan, "at": at, "kind": kind, "path": path,
                    "old_path": f"{self.home}/Downloads/{entry['name']}" if kind == "moved" else None, "entry_id": entry["id"],
                    "entry_kind": "file", "fields": ["size", "modified"] if kind == "modified" else [], "size": None if kind == "removed" else entry["size"],
                    "old_size": entry["size"] * 2 // 3 if kind in ("modified", "removed") else None,
                })

    def scans(self, limit):
        rows = []
        for scan in range(self.scan_count, 0, -1):
            at = NOW - (24 - scan) * 7 * DAY - 3600 if scan <= 24 else NOW + (scan - 24) * 60
            log = [each for each in self.changes if each["scan_id"] == scan]
            count = lambda kind: sum(each["kind"] == kind for each in log)
            rows.append({"id": scan, "root_id": 1, "root": self.home, "started_at": at - 2, "finished_at": at, "state": "complete",
                         "entries": len(self.by_path), "added": count("added"), "removed": count("removed"), "modified": count("modified"),
                         "moved": count("moved"), "errors": 0, "seconds": 1.25})
        return rows[:limit]

    def points(self, path):
        size, allocated, files, _ = self.totals(path)
        seed = int(hashlib.sha1(path.encode()).hexdigest()[:6], 16)
        points, part = [], 0.45 + seed % 30 / 100
        for scan in range(1, 25):
            if scan > 1:
                part += (1 - part) * (0.06 + (seed >> scan % 12) % 7 / 60) - (0.05 if (seed + scan) % 9 == 0 else 0)
            share = 1 if scan == 24 else min(part, 1.12)
            points.append({"scan_id": scan, "at": NOW - (24 - scan) * 7 * DAY - 3600, "total_size": int(size * share),
                           "total_allocated": int(allocated * share), "total_files": int(files * share)})
        return points


class _Down:
    """A value that sorts the other way."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other.value < self.value

    def __eq__(self, other):
        return other.value == self.value


def ranges(indexes):
    result = []
    for index in indexes:
        if result and result[-1][1] == index - 1:
            result[-1][1] = index
        else:
            result.append([index, index])
    return result


def problem_of(error, text):
    more = {"expected": error.expected}
    if error.nearest:
        more["nearest"] = error.nearest
    return Fault(400, error.code, str(error), query=text, position={"offset": error.offset, "length": error.length}, **more)


class Table:
    """An open table: its rows by number, and who listens to it."""

    def __init__(self, identifier, spec, order, test):
        self.id, self.spec, self.order, self.test = identifier, spec, order, test
        self.generation = 1
        self.listeners = []

    @property
    def facts(self):
        return {"id": self.id, "count": len(self.order), "generation": self.generation, **self.spec}

    def send(self, event, data):
        for listener in list(self.listeners):
            listener.put((event, data, self.generation))
