"""Prints, as JSON, where the engine's own tests find what a sandbox is made of; fetches and builds what is missing."""

import json
import sys

import anyio

from cloche.sandbox.embedding.deno_bridge import find_engine_paths


async def _places() -> dict[str, object]:
    return {**await find_engine_paths(), "python": sys.executable}


if __name__ == "__main__":
    print(json.dumps(anyio.run(_places)))
