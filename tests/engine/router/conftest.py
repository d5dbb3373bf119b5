"""Real sandboxes for the tests of the router, as tests/sandbox has them."""

from tests.conftest import anyio_backend
from tests.sandbox.conftest import (
    _quick_start,  # pyright: ignore[reportPrivateUsage] - a fixture by name
    blocking_allowed,
    box,
    fresh,
    open_box,
    own_cache,
    prepared,
    shared_box,
    shell,
)

__all__ = [
    "_quick_start",
    "anyio_backend",
    "blocking_allowed",
    "box",
    "fresh",
    "open_box",
    "own_cache",
    "prepared",
    "shared_box",
    "shell",
]
