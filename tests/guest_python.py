"""The Python that is inside a sandbox, as files and tags name it."""

from cloche.sandbox.languages import languages

VERSION = languages()["python"].version
DIGITS = VERSION.replace(".", "")
TAG = f"cp{DIGITS}"
"""In the names of wheels."""
CACHE_TAG = f"cpython-{DIGITS}"
"""In the names of bytecode."""
SUFFIX = f".{CACHE_TAG}-wasm32-emscripten.so"
"""Of native modules."""
