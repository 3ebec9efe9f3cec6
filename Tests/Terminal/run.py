"""Runs scenarios of `filecat browse` and compares their screens with those in screens/.

    run.py --list
    run.py --filecat PROGRAM [--update] [--jobs COUNT] [NAME…]

Prints a line a scenario; the status is 1 where one fails.
"""

import argparse
import difflib
import multiprocessing
import os
import sys
import traceback

import scenarios

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGES = os.path.normpath(f"{HERE}/../../Documentation/images")


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def compare(path, shown, update):
    if update:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(shown)
        return
    known = read(path)
    if shown != known:
        lines = difflib.unified_diff(
            known.splitlines(), shown.splitlines(), "as it was", "as it is", lineterm=""
        )
        raise AssertionError(f"{os.path.basename(path)}\n" + "\n".join(lines))


def run(scenario, program, update):
    screens = f"{HERE}/screens/{scenario.name}.txt"
    browser = scenario.browser(program, "" if update else read(screens))
    try:
        scenario.body(browser)
    finally:
        browser.close()
    if browser.album or not update:
        compare(screens, browser.album, update)
    for name, picture in browser.pictures.items():
        compare(f"{IMAGES}/{name}", picture, update)


def attempt(job):
    """Runs a scenario. Returns what it has to say for itself; one that fails does not keep others from running."""
    name, program, update = job
    try:
        run(scenarios.ALL[name], program, update)
        return f"ok {name}"
    except AssertionError as error:
        return f"FAILED {name}\n{error}"
    except Exception:
        return f"FAILED {name}\n{traceback.format_exc()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--filecat", type=os.path.abspath)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(scenarios.ALL))
        return 0
    jobs = [(name, options.filecat, options.update) for name in options.names or scenarios.ALL]
    status = 0
    with multiprocessing.Pool(options.jobs) as pool:
        for told in pool.imap(attempt, jobs):
            print(told, flush=True)
            status |= told.startswith("FAILED")
    return status


if __name__ == "__main__":
    sys.exit(main())
