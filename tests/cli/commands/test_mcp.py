"""Options of `cloche mcp`; what it serves is tested in tests/mcp."""

from typing import Any

import pytest

from cloche.cli.commands.mcp import merge_config
from tests.cli.conftest import Cloche

TOKEN = "t0ken-0123456789"
NOTHING: dict[str, Any] = {
    "workspace": None,
    "mounts": (),
    "env": {},
    "packages": (),
    "allow_net": (),
    "secrets": {},
    "confinement": None,
    "timeout": None,
    "memory_mb": None,
    "auto_install": None,
}


def test_a_secret_whose_host_cannot_be_reached_is_a_usage_error(cloche: Cloche) -> None:
    done = cloche("mcp", "--secret", "a.example=X-Key: $MY_TOKEN", stdin="", MY_TOKEN=TOKEN)
    assert done.returncode == 2
    assert "'a.example' is not in allow_net" in done.stderr
    assert TOKEN not in done.stderr


@pytest.mark.parametrize(
    ("said", "serves", "holds"), [("none", True, "none"), (None, True, "require"), (None, False, "auto")]
)
def test_the_layer_that_must_hold_is_the_one_that_is_asked_for(said: str | None, serves: bool, holds: str) -> None:
    config = merge_config("/dev/null", {**NOTHING, "confinement": said}, serves=serves)
    assert config.sandbox.confinement == holds
