"""JavaScript's global scope, as far as Pyodide shows it before the guest is sealed."""

from typing import Any

def __getattr__(name: str) -> Any: ...
