"""How Pyodide imports JavaScript's objects as modules."""

from collections.abc import Callable
from typing import Any

class JsFinder:
    jsproxies: dict[str, Any]

jsfinder: JsFinder
register_module_not_found_hook: Callable[..., None]
REPODATA_PACKAGES_IMPORT_TO_PACKAGE_NAME: dict[str, str]
