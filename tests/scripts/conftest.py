"""A snapshot for the sandboxes that scripts start."""

from tests.cli.conftest import prepared

__all__ = ["prepared"]
