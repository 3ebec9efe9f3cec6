#!/usr/bin/env python3
"""Tries the page of a catalog in a real browser.

usage: run.py [--filecat PROGRAM] [--directories N] [--pages N] [--part NAME] [--only TEXT] [--tries N] [--shots DIR]
              [--base DIR] [--picture FILE]

Without --filecat the page talks to a mock with a million entries; with it, to that program over a tree on the disk.
--directories makes the archive smaller or larger: it has a thousand files in each. --part takes the scenarios of one file,
--only those with a text in their names. --shots keeps a picture of how each has ended.

The picture of the README: run.py --filecat PROGRAM --base /srv --directories 20 --only README --picture FILE
"""

import argparse
import pathlib
import re
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

# Each adds its scenarios to the list, in this order.
import scenarios_table  # noqa: F401
import scenarios_live  # noqa: F401
import scenarios_search  # noqa: F401
import scenarios_views  # noqa: F401
import scenarios_look  # noqa: F401
from driver import SCENARIOS, Driver
from world import world


def attempt(browser, place, scenario, options, shots):
    """Plays a scenario, and says what went wrong, if anything did, and what is to be told."""
    name, function, wishes = scenario
    wishes, facts = dict(wishes), []
    size = {"width": wishes.pop("width", 1280), "height": wishes.pop("height", 800)}
    context = browser.new_context(viewport=size, locale=wishes.pop("locale", "en-GB"), **wishes)
    context.set_default_timeout(10_000 * options.patience)
    driver = Driver(place, context, facts.append, options)
    fault = None
    try:
        function(driver)
        assert driver.errors == [], driver.errors
    except Exception:
        fault = traceback.format_exc(limit=-3)
    if shots:
        try:
            driver.page.screenshot(path=shots / (re.sub(r"\W+", "-", name.lower())[:60].strip("-") + ".png"))
        except Exception as error:
            facts.append(f"no picture: {error}")
    context.close()
    return fault, facts


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--shots", type=pathlib.Path)
    options.add_argument("--filecat")
    options.add_argument("--directories", type=int)
    options.add_argument("--pages", type=int, default=600, help="how many pages of the long table are looked at")
    options.add_argument("--base", help="an empty directory for the tree")
    options.add_argument("--picture")
    options.add_argument("--part", default="")
    options.add_argument("--only", default="")
    options.add_argument("--tries", type=int, default=1, help="a busy machine may be too late for what moves")
    options.add_argument("--patience", type=int, default=1, help="by what all waiting may be longer")
    options.add_argument("--browser", default="/usr/bin/chromium")
    chosen = options.parse_args()
    if chosen.shots:
        chosen.shots.mkdir(parents=True, exist_ok=True)

    place = world(chosen.filecat, chosen.directories, chosen.base)
    passed, failed = 0, 0
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chosen.browser, args=["--no-sandbox", "--disable-dev-shm-usage"])
            for scenario in SCENARIOS:
                name, function, _ = scenario
                if not re.search(chosen.only, name, re.IGNORECASE) or not function.__module__.endswith(chosen.part):
                    continue
                for number in range(chosen.tries):
                    started = time.monotonic()
                    fault, facts = attempt(browser, place, scenario, chosen, chosen.shots)
                    mark = "✘" if fault else "✔"
                    print(f"{mark} {name} ({time.monotonic() - started:.1f} s)", *(f"\n    {fact}" for fact in facts + [fault] if fact), flush=True)
                    if not fault:
                        break
                passed, failed = passed + (not fault), failed + bool(fault)
            browser.close()
    finally:
        place.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
