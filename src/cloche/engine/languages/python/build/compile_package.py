"""Runs inside the builder: writes an archive again, with the bytecode of its modules."""

import importlib.util
import marshal
import os
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

_CACHE = "__pycache__"
_SUFFIX = f".{sys.implementation.cache_tag}.codes"


def build(root: str, target: str) -> None:
    """Copy all files below `root` into the archive `target`, and add the bytecode of those that compile.

    The modules of a folder share one file, which holds their bytecode by name: reading it costs one look at the disk.
    """
    sys.setrecursionlimit(3000)
    warnings.simplefilter("ignore")
    label = _label_package(root)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, strict_timestamps=False) as archive:
        for folder, files in _walk_folders(root):
            codes: dict[str, bytes] = {}
            for name in files:
                path = f"{folder}/{name}"
                with open(path, "rb") as file:  # noqa: PTH123 - thousands of times
                    data = file.read()
                archive.writestr(zipfile.ZipInfo(path[len(root) + 1 :]), data)
                if name.endswith(".py") and (code := _compile_module(data, path)):
                    codes[name[:-3]] = code
            if codes:
                place = f"{folder}/{_CACHE}/{label}{_SUFFIX}"[len(root) + 1 :]
                archive.writestr(zipfile.ZipInfo(place), importlib.util.MAGIC_NUMBER + marshal.dumps(codes))


def _label_package(root: str) -> str:
    """A name that no other package has: folders may belong to several."""
    return next((info.stem for info in Path(root).glob("*.dist-info")), "modules")


def _walk_folders(root: str) -> Iterator[tuple[str, list[str]]]:
    for folder, folders, files in os.walk(root):
        # Bytecode that a package brings is for another Python, or not for these paths.
        folders[:] = sorted(name for name in folders if name != _CACHE)
        yield folder, sorted(files)


def _compile_module(data: bytes, path: str) -> bytes | None:
    try:
        return marshal.dumps(compile(data, path, "exec", dont_inherit=True, optimize=0))
    except SyntaxError, ValueError, RecursionError, MemoryError, OverflowError:
        # Templates, or tests of other Pythons: importing one raises the error.
        return None
