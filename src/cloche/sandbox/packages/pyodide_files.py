"""Downloads files of the Pyodide distribution, from a URL or a folder, and checks their hashes."""

import hashlib
import http.client
import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
from anyio import to_thread

from cloche.errors import ConfigError, PackageDamaged, PackagesUnreachable
from cloche.limits import MB, PACKAGE_LIMIT
from cloche.sandbox.cache.assets import assets_dir
from cloche.sandbox.cache.fetch_tools import hide_secrets
from cloche.sandbox.packages.pyodide_lock import LockedPackage
from cloche.sandbox.registries.http_client import RequestOptions, open_address

VARIABLE = "CLOCHE_PYODIDE_URL"
DEFAULT = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
PIECE = 1 << 18


class _Engine(msgspec.Struct, frozen=True):
    version: str


def base_address() -> str:
    """Where the distribution is: CLOCHE_PYODIDE_URL, else the address of the version that came with the engine."""
    if chosen := os.environ.get(VARIABLE):
        return chosen
    manifest = (assets_dir() / "node_modules" / "pyodide" / "package.json").read_bytes()
    return DEFAULT.format(version=msgspec.json.decode(manifest, type=_Engine).version)


async def fetch_locked(locked: LockedPackage, folder: Path) -> Path:
    """Fetch one file of the distribution into `folder`, and check its hash."""
    return await to_thread.run_sync(_fetch_file, locked, folder, abandon_on_cancel=True)


def _fetch_file(locked: LockedPackage, folder: Path) -> Path:
    if "/" in locked.file_name or "\\" in locked.file_name or locked.file_name.startswith("."):
        raise PackageDamaged(f"The lock file names {locked.file_name!r}, which is no file of the distribution.")
    where, target = base_address(), folder / locked.file_name
    try:
        with _open_source(where, locked.file_name) as source, target.open("wb") as file:
            digest = _copy_file(source, file)
    except (
        urllib.error.URLError,
        http.client.HTTPException,
        TimeoutError,
        ConnectionError,
        FileNotFoundError,
    ) as error:
        unreachable = PackagesUnreachable(
            f"Could not get {locked.file_name} ({locked.name} {locked.version} is in no index for this Python, but in "
            f"the Pyodide distribution) from {hide_secrets(where)}: {_describe_failure(error)}. "
            f"Set {VARIABLE} to an address or a folder that has it, or run this once where the distribution can be "
            "reached."
        )
        unreachable.source = None if locked.library else f"{locked.name}=={locked.version}"
        raise unreachable from error
    if digest != locked.sha256:
        raise PackageDamaged(
            f"{locked.file_name} from {hide_secrets(where)} does not have the hash that the lock file names "
            f"(expected {locked.sha256[:16]}..., got {digest[:16]}...). It was refused; try again, or set {VARIABLE} "
            "to another place."
        )
    return target


def _open_source(where: str, name: str) -> BinaryIO:
    scheme = urllib.parse.urlsplit(where).scheme
    if scheme in ("http", "https"):
        address = urllib.parse.urljoin(where.rstrip("/") + "/", urllib.parse.quote(name))
        return cast("BinaryIO", open_address(address, RequestOptions({})))
    if scheme == "file":
        return Path(urllib.request.url2pathname(urllib.parse.urlsplit(where).path), name).open("rb")
    if "://" in where:
        raise ConfigError(f"{VARIABLE}={where}: give an address (https://...) or a folder.")
    return Path(where).expanduser().joinpath(name).open("rb")


def _copy_file(source: BinaryIO, target: BinaryIO) -> str:
    digest, size = hashlib.sha256(), 0
    while piece := source.read(PIECE):
        digest.update(piece)
        size += len(piece)
        if size > PACKAGE_LIMIT:
            raise PackageDamaged(f"A file of the distribution is larger than {PACKAGE_LIMIT // MB} MB. It was refused.")
        target.write(piece)
    return digest.hexdigest()


def _describe_failure(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    code = getattr(error, "code", None)
    return " ".join(str(each) for each in (code, reason) if each) or str(error) or type(error).__name__
