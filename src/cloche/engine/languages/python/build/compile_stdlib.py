"""Runs inside the builder: writes the standard library again, with bytecode beside its modules."""

import importlib._bootstrap_external as external
import importlib.util
import sys
import zipfile

_PLACE = f"/lib/python{sys.version_info[0]}{sys.version_info[1]}.zip"


def build(source: str, target: str) -> None:
    """Copy the archive `source` to `target`; imports take the bytecode, tracebacks the text."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(zipfile.ZipInfo(info.filename), data, zipfile.ZIP_DEFLATED)
            if info.filename.endswith(".py"):
                code = compile(data, f"{_PLACE}/{info.filename}", "exec", dont_inherit=True, optimize=0)
                # The text never changes, so imports need not compare it with the bytecode.
                unchecked = external._code_to_hash_pyc(code, importlib.util.source_hash(data), False)
                new.writestr(zipfile.ZipInfo(f"{info.filename}c"), unchecked)
