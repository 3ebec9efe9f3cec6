"""Opens a page of Datasette for every view of a catalog.

usage: pages.py CATALOG METADATA
"""

import asyncio
import sqlite3
import sys

import yaml
from datasette.app import Datasette


async def main(path, metadata):
    datasette = Datasette(
        [path], metadata=yaml.safe_load(open(metadata, encoding="utf-8")),
        settings={"suggest_facets": False},
    )
    await datasette.invoke_startup()
    views = sqlite3.connect(path).execute(
        "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT LIKE '\\_%' ESCAPE '\\'"
    ).fetchall()
    for (view,) in views:
        for page in (f"/catalog/{view}", f"/catalog/{view}.json?_shape=array"):
            answer = await datasette.client.get(page)
            if answer.status_code != 200:
                print(f"{page}: {answer.status_code}")
    answer = await datasette.client.get("/catalog/files")
    # From the data dictionary, by way of the metadata.
    for text in ("The absolute path.", "row each"):
        if text not in answer.text:
            print(f"the page of files does not say “{text}”")
    print(f"{len(views)} views")


asyncio.run(main(*sys.argv[1:]))
