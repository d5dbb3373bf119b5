"""Runs inside the builder: writes an archive again, with the bytecode of its modules."""

import importlib.util
import marshal
import os
import sys
import warnings
import zipfile

_HEAD = importlib.util.MAGIC_NUMBER + b"\1\0\0\0" + bytes(8)
"""Marks bytecode that is used without a look at its source, so that the source's hash does not matter."""
_TOP = "__pycache__"


def build(root, target):
    """Copy all files below `root` into the archive `target`, and add the bytecode of those that compile."""
    sys.setrecursionlimit(3000)
    warnings.simplefilter("ignore")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, strict_timestamps=False) as archive:
        for path, name in _files(root):
            with open(path, "rb") as file:  # noqa: PTH123 - thousands of times
                data = file.read()
            archive.writestr(zipfile.ZipInfo(name), data)
            if name.endswith(".py") and (code := _compile(data, path)):
                archive.writestr(zipfile.ZipInfo(importlib.util.cache_from_source(name)), code)


def _files(root):
    for folder, folders, files in os.walk(root):
        # Bytecode that a package brings is for another Python, or not for these paths.
        folders[:] = sorted(name for name in folders if name != _TOP)
        for name in sorted(files):
            path = f"{folder}/{name}"
            yield path, path[len(root) + 1 :]


def _compile(data, path):
    try:
        code = compile(data, path, "exec", dont_inherit=True, optimize=0)
        return _HEAD + marshal.dumps(code)
    except SyntaxError, ValueError, RecursionError, MemoryError, OverflowError:
        # Templates, tests of other Pythons: whoever imports it gets the error.
        return None
