"""Runs scenarios of `filecat browse` and compares their screens with those in screens/.

    run.py --list
    run.py --filecat PROGRAM [--update] [NAME…]

Prints a line a scenario; the status is 1 where one fails.
"""

import argparse
import difflib
import os
import sys
import traceback

import scenarios

HERE = os.path.dirname(os.path.abspath(__file__))


def run(scenario, program, update):
    browser = scenario.browser(program)
    try:
        scenario.body(browser)
        shown = browser.album
    finally:
        browser.close()
    path = f"{HERE}/screens/{scenario.name}.txt"
    if update:
        if shown:
            with open(path, "w", encoding="utf-8") as file:
                file.write(shown)
        return
    known = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = file.read()
    if shown != known:
        lines = difflib.unified_diff(
            known.splitlines(), shown.splitlines(), "as it was", "as it is", lineterm=""
        )
        raise AssertionError("\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--filecat")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(scenarios.ALL))
        return 0
    status = 0
    for name in options.names or scenarios.ALL:
        try:
            run(scenarios.ALL[name], options.filecat, options.update)
            print(f"ok {name}")
        except Exception as error:  # one that fails does not keep the others from running
            status = 1
            told = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print(f"FAILED {name}\n{told}")
        sys.stdout.flush()
    return status


sys.exit(main())
