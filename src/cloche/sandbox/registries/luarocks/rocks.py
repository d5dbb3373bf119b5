"""Extracts the modules of a rock from its archives."""

import re
import tempfile
import zipfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from cloche.errors import PackageDamaged, PackageUnsupported
from cloche.sandbox.registries.archive_reader import (
    Entry,
    add_entry,
    copy_entry,
    is_zip,
    open_tar,
    open_zip,
    remove_top,
)
from cloche.sandbox.registries.luarocks.lua_table import as_list, as_table

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
PLACES = ("src", "lua", "lib", "")
"""Where modules are searched for if a rock does not say."""


def pack_all(archive: Path, target: zipfile.ZipFile, label: str) -> None:
    """A rock that is ready to use: its modules are in `lua`."""
    count = 0
    with open_zip(archive, label) as entries:
        for name, contents in entries:
            if name.startswith("lib/"):
                raise _native_error(label, name)
            if name.startswith("lua/"):
                copy_entry(contents, target, remove_top(name))
                count += 1
    _check_count(count, label)


def pack_source(archive: Path, spec: Mapping[str, Any], target: zipfile.ZipFile, label: str) -> None:
    """A source rock: the rockspec says where its modules are."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        files = _read_files(archive, Path(folder), label)
    modules = _find_modules(spec.get("build"), files, label)
    for place, path in modules.items():
        data = files.get(path)
        if data is None:
            raise PackageDamaged(f"{label}: its rockspec names {path[:200]!r}, which is not in it. It was refused.")
        add_entry(target, place, data)
    _check_count(len(modules), label)


def _check_count(count: int, label: str) -> None:
    if count == 0:
        raise PackageUnsupported(f"{label} brings no module of Lua.")


def _native_error(label: str, what: str) -> PackageUnsupported:
    return PackageUnsupported(f"{label} is native: {what[:100]} is C. Only rocks of pure Lua can be used.")


def _read_files(archive: Path, folder: Path, label: str) -> dict[str, bytes]:
    """The files of a source rock by their path below its own folder; the sources may be an archive in it."""
    found: dict[str, bytes] = {}
    with open_zip(archive, label) as entries:
        for name, contents in entries:
            if "/" not in name and name.endswith(ARCHIVES):
                inner = folder / "sources"
                with inner.open("wb") as file:
                    while piece := contents.read(1 << 20):
                        file.write(piece)
                with _open_archive(inner, label) as sources:
                    found |= dict(_read_kept(sources))
            elif not name.endswith(".rockspec"):
                found |= dict(_read_kept(iter([(name, contents)])))
    return _strip_top(found)


@contextmanager
def _open_archive(path: Path, label: str) -> Generator[Iterator[Entry]]:
    with (open_zip if is_zip(path) else open_tar)(path, label) as entries:
        yield entries


def _read_kept(entries: Iterator[tuple[str, IO[bytes]]]) -> Iterator[tuple[str, bytes]]:
    for name, contents in entries:
        # Other files are not used, but the names of C files show that a rock is native.
        yield name, contents.read() if name.endswith((".lua", ".json", ".txt", ".tl")) else b""


def _strip_top(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without the folder around everything."""
    tops = {name.partition("/")[0] for name in files if "/" in name}
    if len(tops) == 1 and not any("/" not in name and name.endswith(".lua") for name in files):
        top = tops.pop() + "/"
        return {name.removeprefix(top): data for name, data in files.items()}
    return files


def _find_modules(build: Any, files: Mapping[str, bytes], label: str) -> dict[str, str]:
    """The target of each module, and its file."""
    known = as_table(build)
    declared = {**as_table(known.get("modules")), **as_table(as_table(known.get("install")).get("lua"))}
    found = {_module_path(name, path, label): _check_source(path, label) for name, path in declared.items()}
    return found or _detect_modules(files, label)


def _module_path(module: Any, path: Any, label: str) -> str:
    name = str(module)
    if isinstance(module, int):
        # Listed without a name: it keeps its own.
        name = Path(str(path)).stem
    if not re.fullmatch(r"[\w-]+(\.[\w-]+)*", name):
        raise PackageDamaged(f"{label}: {name[:100]!r} is no name of a module. It was refused.")
    inner = name.replace(".", "/")
    return f"{inner}/init.lua" if str(path).endswith("/init.lua") and not inner.endswith("init") else f"{inner}.lua"


def _check_source(path: Any, label: str) -> str:
    if known := as_table(path):
        sources = as_list(known.get("sources")) or as_list(known) or [known.get("sources")]
        raise _native_error(label, str(sources[0]))
    text = str(path).removeprefix("./")
    if not text.endswith(".lua"):
        raise _native_error(label, text)
    return text


def _detect_modules(files: Mapping[str, bytes], label: str) -> dict[str, str]:
    if native := next((name for name in files if name.endswith((".c", ".cpp", ".cc"))), None):
        raise _native_error(label, native)
    for place in PLACES:
        prefix = f"{place}/" if place else ""
        found = [name for name in files if name.startswith(prefix) and name.endswith(".lua")]
        chosen = [each for each in found if not each.startswith(("test", "spec", "example", "doc"))]
        if chosen:
            return {each.removeprefix(prefix): each for each in chosen}
    return {}
