"""npm's own settings: which registry, for which scope, with which credentials."""

import base64
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from cloche.errors import ConfigError

DEFAULT = "https://registry.npmjs.org/"
"""npm's default if neither its files nor the environment name a registry."""

_VARIABLE = re.compile(r"(?<!\\)\$\{([^}]+)\}")


class NpmSettings:
    """The parts of npm's configuration that are about fetching packages."""

    def __init__(self, values: Mapping[str, str], certificates: str | None = None) -> None:
        self._values = values
        self.certificates = certificates
        """A file of certificates."""

    def registry(self, name: str) -> str:
        """The registry of a package."""
        scope = name.partition("/")[0] if name.startswith("@") else ""
        found = (scope and self._values.get(f"{scope}:registry")) or self._values.get("registry") or DEFAULT
        if urlsplit(found).scheme not in ("http", "https"):
            raise ConfigError(f"npm's configuration names the registry {found[:200]!r}: give an https address.")
        return found.rstrip("/") + "/"

    def headers(self, address: str) -> dict[str, str]:
        """The credentials for an address: those of the nearest folder above it."""
        parts = urlsplit(address)
        path = parts.path
        while True:
            place = f"//{parts.netloc}{path.rstrip('/')}"
            for prefix in (f"{place}/", place):
                if found := self._credentials(prefix):
                    return {"Authorization": found}
            if not path.strip("/"):
                return {}
            path = path.rstrip("/").rpartition("/")[0] + "/"

    def _credentials(self, prefix: str) -> str | None:
        if token := self._values.get(f"{prefix}:_authToken"):
            return f"Bearer {token}"
        if basic := self._values.get(f"{prefix}:_auth"):
            return f"Basic {basic}"
        user, password = self._values.get(f"{prefix}:username"), self._values.get(f"{prefix}:_password")
        if not user or not password:
            return None
        # npm stores it encoded, which hides it from no one.
        plain = base64.b64decode(password).decode(errors="replace")
        return "Basic " + base64.b64encode(f"{user}:{plain}".encode()).decode()


def load_npm_settings() -> NpmSettings:
    """Read the files and variables that npm reads; blocks."""
    given = {
        name.lower().removeprefix("npm_config_"): value
        for name, value in os.environ.items()
        if name.lower().startswith("npm_config_") and value
    }
    values: dict[str, str] = {}
    for file in (*_global_files(given), Path(given.get("userconfig") or Path.home() / ".npmrc"), Path(".npmrc")):
        values |= _read_values(file)
    known = values | given
    authorities = known.get("cafile")
    return NpmSettings(known, authorities if authorities and Path(authorities).is_file() else None)


def _global_files(given: Mapping[str, str]) -> list[Path]:
    if chosen := given.get("globalconfig"):
        return [Path(chosen)]
    if prefix := given.get("prefix"):
        return [Path(prefix, "etc", "npmrc")]
    node = shutil.which("node")
    return [Path(node).parent.parent / "etc" / "npmrc"] if node else []


def _read_values(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    values: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith((";", "#", "[")):
            values[_fill_variables(name.strip())] = _fill_variables(value.strip().strip("\"'"))
    return values


def _fill_variables(text: str) -> str:
    return _VARIABLE.sub(
        lambda found: os.environ.get(found[1].rstrip("?"), "" if found[1].endswith("?") else found[0]), text
    )
