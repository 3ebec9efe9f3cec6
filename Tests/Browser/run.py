#!/usr/bin/env python3
"""Tries the page of a catalog in a real browser.

usage: run.py [--shots DIR] [--filecat PROGRAM] [--directories N] [--only TEXT]

Without --filecat the page talks to a mock with a million entries; with it, to that program over a tree on the disk.
--directories makes the archive smaller or larger: it has a thousand files in each.
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


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--shots", type=pathlib.Path)
    options.add_argument("--filecat")
    options.add_argument("--directories", type=int)
    options.add_argument("--only", default="")
    options.add_argument("--browser", default="/usr/bin/chromium")
    chosen = options.parse_args()
    if chosen.shots:
        chosen.shots.mkdir(parents=True, exist_ok=True)

    place = world(chosen.filecat, chosen.directories)
    passed, failed = 0, 0
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chosen.browser, args=["--no-sandbox", "--disable-dev-shm-usage"])
            for name, function, wishes in SCENARIOS:
                if not re.search(chosen.only, name, re.IGNORECASE):
                    continue
                facts, started = [], time.monotonic()
                wishes = dict(wishes)
                size = {"width": wishes.pop("width", 1280), "height": wishes.pop("height", 800)}
                context = browser.new_context(viewport=size, locale=wishes.pop("locale", "en-GB"), **wishes)
                context.set_default_timeout(10_000)
                driver = Driver(place, context, facts.append)
                shot = (chosen.shots / (re.sub(r"\W+", "-", name.lower())[:60].strip("-") + ".png")) if chosen.shots else None
                try:
                    function(driver)
                    assert driver.errors == [], driver.errors
                    passed += 1
                    mark = "✔"
                except Exception:
                    failed += 1
                    mark = "✘"
                    facts.append(traceback.format_exc(limit=-3))
                if shot:
                    try:
                        driver.page.screenshot(path=shot)
                    except Exception as error:
                        facts.append(f"no picture: {error}")
                context.close()
                print(f"{mark} {name} ({time.monotonic() - started:.1f} s)", *(f"\n    {fact}" for fact in facts), flush=True)
            browser.close()
    finally:
        place.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
