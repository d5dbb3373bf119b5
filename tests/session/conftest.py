"""Sessions over real sandboxes."""

from tests.sandbox.conftest import _quick_start, prepared  # pyright: ignore[reportPrivateUsage] - a fixture by name

__all__ = ["_quick_start", "prepared"]
