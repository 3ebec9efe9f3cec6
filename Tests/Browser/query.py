"""As much of the query language as a mock needs: terms, operators, and where a mistake is."""

import difflib
import fnmatch
import re

from catalog import DAY, KINDS_OF_EXTENSIONS, NOW

KEYS = ("name path regex pathregex ext kind type is size allocated modified created accessed changed owner group uid gid "
        "mode depth links empty hidden broken role container backup purgeable offline scale idiom tag case").split()
KINDS = ["file", "directory", "package", "symlink", "fifo", "socket", *KINDS_OF_EXTENSIONS]
OWNERS = ["anna", "root"]
NOTES = {
    "name": "the name, or a part of it", "path": "the path, or a part of it", "ext": "the text after the last dot",
    "kind": "what the entry is", "size": "bytes of content", "modified": "when the content was last changed",
    "type": "the type, exactly", "is": "a type that it conforms to", "owner": "the owning user", "depth": "steps below the root",
    "hidden": "whether it is hidden", "empty": "whether nothing is in it", "broken": "a link without a target",
}


class QueryError(Exception):
    def __init__(self, code, message, offset, length, expected, nearest=None):
        super().__init__(message)
        self.code, self.offset, self.length, self.expected, self.nearest = code, offset, length, expected, nearest


def _tokens(text):
    index = 0
    while index < len(text):
        each = text[index]
        if each.isspace():
            index += 1
        elif each in "()|":
            yield each, each, index
            index += 1
        else:
            start, quote = index, None
            while index < len(text) and (quote or not (text[index].isspace() or text[index] in "()|")):
                if text[index] == '"':
                    quote = None if quote is not None else index
                index += 1
            if quote is not None:
                raise QueryError("unbalanced", "a quote has no counterpart", quote, 1, "a closing quote")
            yield "word", text[start:index], start


def parse(text):
    """A test of entries, and the depth that the whole query asks for, if it does."""
    tokens = list(_tokens(text))
    at = 0
    wanted = {"depth": None}

    def peek():
        return tokens[at] if at < len(tokens) else (None, None, len(text))

    def alternatives(level):
        nonlocal at
        tests = [conjunction(level)]
        while peek()[0] == "|" or peek()[1] == "OR":
            at += 1
            tests.append(conjunction(level))
        return tests[0] if len(tests) == 1 else lambda entry: any(test(entry) for test in tests)

    def conjunction(level):
        nonlocal at
        tests = []
        while peek()[0] is not None and peek()[0] not in (")", "|") and peek()[1] != "OR":
            if peek()[1] == "AND":
                at += 1
                continue
            tests.append(factor(level))
        if not tests:
            raise QueryError("missing_term", "an operator has nothing to stand for", peek()[2], 0, "a term")
        return tests[0] if len(tests) == 1 else lambda entry: all(test(entry) for test in tests)

    def factor(level):
        nonlocal at
        kind, word, offset = peek()
        at += 1
        if kind == "(":
            test = alternatives(level + 1)
            if peek()[0] != ")":
                raise QueryError("unbalanced", "a parenthesis has no counterpart", offset, 1, "a closing parenthesis")
            at += 1
            return test
        if word == "NOT":
            test = factor(level)
            return lambda entry: not test(entry)
        if word.startswith("!") and len(word) > 1:
            test = term(word[1:], offset + 1, level + 1)
            return lambda entry: not test(entry)
        if word.startswith("-") and ":" in word:
            test = term(word[1:], offset + 1, level + 1)
            return lambda entry: not test(entry)
        if word.startswith("-"):
            raise QueryError("leading_dash", "a word begins with a dash", offset, len(word), "a term", "!" + word[1:])
        return term(word, offset, level)

    def term(word, offset, level):
        key, colon, value = word.partition(":")
        if not colon or word.startswith('"'):
            return pattern(word, "path" if "/" in word else "name")
        if key.lower() not in KEYS:
            near = difflib.get_close_matches(key.lower(), KEYS, 1, 0.5)
            raise QueryError("unknown_term", f"unknown term “{key}:”", offset, len(key) + 1, "the key of a term",
                             near[0] + ":" if near else None)
        if value == "":
            raise QueryError("missing_value", f"“{key}:” has no value", offset + len(word), 0, "a value")
        if key == "depth" and level == 0 and value.isdigit():
            wanted["depth"] = int(value)
        return valued(key.lower(), value.strip('"'), offset + len(key) + 1)

    test = alternatives(0) if tokens else (lambda entry: True)
    if at < len(tokens):
        raise QueryError("unbalanced", "a parenthesis has no counterpart", tokens[at][2], 1, "a term")
    return test, wanted["depth"]


def pattern(word, field):
    word = word.strip('"').lower()
    if any(each in word for each in "*?["):
        compiled = re.compile(fnmatch.translate(word if field == "name" else "*" + word))
        return lambda entry: compiled.match(entry[field].lower()) is not None
    return lambda entry: word in entry[field].lower()


def _bytes(text, offset):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmgt]?)(b?)", text.lower())
    if not match:
        raise QueryError("malformed_value", f"“{text}” is no size", offset, len(text), "a size such as 10M")
    base = 1000 if match[3] else 1024
    return int(float(match[1]) * base ** " kmgt".index(match[2] or " "))


def _range(value, offset, read):
    if ".." in value:
        low, high = value.split("..", 1)
        low, high = (read(low, offset) if low else None), (read(high, offset) if high else None)
        return lambda number: number is not None and (low is None or number >= low) and (high is None or number <= high)
    sign = re.match(r"[<>]=?", value)
    limit = read(value[sign.end():] if sign else value, offset + (sign.end() if sign else 0))
    return {None: lambda n: n == limit, ">": lambda n: n is not None and n > limit, "<": lambda n: n is not None and n < limit,
            ">=": lambda n: n is not None and n >= limit, "<=": lambda n: n is not None and n <= limit}[sign[0] if sign else None]


def valued(key, value, offset):
    if key in ("name", "path"):
        return pattern(value, key)
    if key in ("regex", "pathregex"):
        try:
            compiled = re.compile(value, re.IGNORECASE)
        except re.error:
            raise QueryError("malformed_pattern", "the regular expression is malformed", offset, len(value), "a regular expression")
        return lambda entry: compiled.search(entry["name"]) is not None
    if key == "ext":
        wanted = set(value.lower().split(","))
        return lambda entry: (entry["extension"] or "").lower() in wanted
    if key == "kind":
        tests, start = [], offset
        for each in value.split(","):
            if each not in KINDS:
                near = difflib.get_close_matches(each, KINDS, 1, 0.5)
                raise QueryError("unknown_word", f"there is no kind “{each}”", start, len(each), "a kind such as image", near[0] if near else None)
            start += len(each) + 1
            if each in KINDS_OF_EXTENSIONS:
                known = set(KINDS_OF_EXTENSIONS[each].split())
                tests.append(lambda entry, known=known: entry["kind"] == "file" and entry["extension"] in known)
            else:
                tests.append(lambda entry, each=each: entry["kind"] == each)
        return lambda entry: any(test(entry) for test in tests)
    if key in ("size", "allocated"):
        test = _range(value, offset, _bytes)
        return lambda entry: test(entry[key])
    if key in ("depth", "links", "uid", "gid"):
        def whole(text, at):
            if not text.isdigit():
                raise QueryError("malformed_value", f"“{text}” is no number", at, len(text), "a number")
            return int(text)
        test = _range(value, offset, whole)
        return lambda entry: test(entry[key])
    if key in ("modified", "created", "accessed", "changed"):
        match = re.fullmatch(r"([<>])(\d+)([hdwmy])", value)
        if not match:
            raise QueryError("malformed_value", f"“{value}” is no date", offset, len(value), "a date such as 2026-01 or <7d")
        limit = NOW - int(match[2]) * {"h": 3600, "d": DAY, "w": 7 * DAY, "m": 30 * DAY, "y": 365 * DAY}[match[3]]
        return (lambda entry: entry[key] > limit) if match[1] == "<" else (lambda entry: entry[key] < limit)
    if key in ("hidden", "empty", "broken", "purgeable", "offline"):
        if value not in ("yes", "no"):
            raise QueryError("unknown_word", f"“{value}” is neither yes nor no", offset, len(value), "yes or no")
        column = {"hidden": "is_hidden", "broken": "is_broken"}.get(key)
        return lambda entry: bool(entry.get(column) if column else entry["size"] == 0 and entry["kind"] == "file") == (value == "yes")
    if key == "owner":
        return lambda entry: entry["owner"] == value
    if key == "type":
        return lambda entry: entry["type"] == value
    return lambda entry: True


def complete(text, position):
    """Where the word at a position is, and what it can become."""
    start = position
    while start > 0 and not (text[start - 1].isspace() or text[start - 1] in "()|!"):
        start -= 1
    word = text[start:position]
    key, colon, value = word.partition(":")
    if not colon:
        words = [{"text": f"{each}:", "note": NOTES.get(each, "")} for each in KEYS if word and each.startswith(word.lower())]
        return {"from": start, "to": position, "words": words}
    value = value.rsplit(",", 1)[-1]
    at = position - len(value)
    choices = {
        "kind": [(each, "a sort of file" if each in KINDS_OF_EXTENSIONS else "what it is to the file system") for each in KINDS],
        "owner": [("anna", "uid 1000"), ("root", "uid 0")],
        "ext": [(each, kind) for kind, list in KINDS_OF_EXTENSIONS.items() for each in list.split()],
        "hidden": [("yes", ""), ("no", "")], "broken": [("yes", ""), ("no", "")], "empty": [("yes", ""), ("no", "")],
        "modified": [("<7d", "within seven days"), ("today", ""), (">1y", "more than a year ago")],
        "size": [(">1M", "more than a mebibyte"), (">1G", "more than a gibibyte")],
    }.get(key.lower(), [])
    return {"from": at, "to": position, "words": [{"text": text, "note": note} for text, note in choices if text.startswith(value.lower())]}


def unknown(text):
    return [{"term": "owner:", "word": name, "nearest": (difflib.get_close_matches(name, OWNERS, 1, 0.4) or [None])[0]}
            for name in re.findall(r"owner:(\w+)", text) if name not in OWNERS]
