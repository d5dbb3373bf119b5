"""The URLs of the registries; environment variables can change them."""

import os
from urllib.parse import urlsplit

from cloche.errors import ConfigError


def base_address(variable: str, default: str) -> str:
    """The address in a variable, else the public one; with a slash at the end."""
    chosen = os.environ.get(variable) or default
    parts = urlsplit(chosen)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"{variable}={chosen[:200]}: give the address of a registry (https://...).")
    return chosen.rstrip("/") + "/"
