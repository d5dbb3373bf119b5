"""Prints, as JSON, where the engine's own tests find what a sandbox is made of; fetches and builds what is missing."""

import json

import anyio

from cloche.sandbox import assets, packs, snapshots
from cloche.sandbox.languages import languages
from cloche.sandbox.warm import warm_up


async def _places() -> dict[str, object]:
    folder = await assets.fetch()
    prepared = await snapshots.build(warm_up)
    names = [each.name for each in languages().values() if each.pack]
    found = {name: str(await packs.fetch(name)) for name in names}
    return {"assets": str(folder), "snapshot": str(prepared.snapshot), "packs": found}


if __name__ == "__main__":
    print(json.dumps(anyio.run(_places)))
