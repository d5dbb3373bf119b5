"""Inspects a wheel without running it: is it for us, is it complete, does it stay in its folder."""

import email.parser
import stat
import struct
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path, PurePosixPath

import msgspec
from packaging.tags import parse_tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from cloche.errors import PackageDamaged
from cloche.limits import MB, PACKAGE_FILES, PACKAGE_LIMIT
from cloche.sandbox.packages.python_target import PythonTarget

WASM = b"\0asm"
METADATA_LIMIT = 4 * MB
"""The most bytes of a metadata file."""

REQUIRES = 5000
"""The most requirements of one package, including those of its extras."""

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""Errors that reading a damaged zip file raises."""

DIRECTORY_LIMIT = 16 * MB
"""The most bytes of a zip file's directory."""

END_REACH = (1 << 16) + 42
"""Bytes at the end of a zip file that are searched for the record about its directory."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
MERGED = ("purelib", "platlib")
"""Folders of NAME.data whose contents belong in site-packages; the others have no place there."""


class Wheel(msgspec.Struct, frozen=True):
    """What a wheel says about itself, and where its files go."""

    name: str
    version: str
    info: str
    """Its folder NAME-VERSION.dist-info."""
    requires: tuple[str, ...]
    places: dict[str, str]
    """Where each of its files goes, by its name in the wheel."""


@contextmanager
def open_wheel(path: Path) -> Generator[zipfile.ZipFile]:
    """Open a zip file whose entries can do no harm."""
    try:
        check_directory(path)
        with zipfile.ZipFile(path) as archive:
            _check_entries(path.name, archive.infolist())
            yield archive
    except BROKEN as error:
        raise PackageDamaged(f"{path.name} is not a whole zip file: {error}. It was refused.") from error


def read_wheel(path: Path, target: PythonTarget) -> Wheel:
    """Check a wheel that came from outside; raises PackageDamaged if it lies or is broken."""
    name, version = _read_name(path.name, target)
    with open_wheel(path) as archive:
        names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
        info = _find_info(path.name, names, name)
        metadata = _read_headers(archive, f"{info}/METADATA", path.name)
        _check_tags(path.name, _read_headers(archive, f"{info}/WHEEL", path.name), target)
    if canonicalize_name(metadata.get("Name", "")) != name or not _same_version(metadata.get("Version", ""), version):
        says = f"{metadata.get('Name')} {metadata.get('Version')}"
        raise PackageDamaged(f"{path.name} says inside that it is {says[:100]}. It was refused.")
    requires = tuple(str(each) for each in metadata.get_all("Requires-Dist", []))
    if len(requires) > REQUIRES:
        raise PackageDamaged(f"{path.name} has {len(requires)} requirements, more than {REQUIRES}. It was refused.")
    return Wheel(name, str(version), info, requires, _map_places(names, info.removesuffix(".dist-info") + ".data"))


def refuse_foreign_module(path: Path, archive: zipfile.ZipFile, name: str) -> None:
    """Raise PackageDamaged if a wheel for WebAssembly has a native module for another machine."""
    if not name.endswith(".so") or not path.name.endswith("_wasm32.whl"):
        return
    with archive.open(name) as file:
        if file.read(4) != WASM:
            raise PackageDamaged(f"{path.name}: {name} is no WebAssembly module. The file was refused.")


def check_directory(path: Path) -> None:
    """Refuse a directory that is too long before it is read into memory."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - END_REACH))
        tail = file.read()
        at = tail.rfind(b"PK\5\6")
        lengths = [struct.unpack_from("<I", tail, at + 12)[0]] if at >= 0 and len(tail) - at >= 22 else []
        if at >= 20 and tail[at - 20 : at - 16] == b"PK\6\7":
            file.seek(min(struct.unpack_from("<Q", tail, at - 12)[0], size))
            large = file.read(56)
            lengths = [struct.unpack_from("<Q", large, 40)[0]] if len(large) == 56 else lengths
    if max(lengths, default=0) > DIRECTORY_LIMIT:
        raise PackageDamaged(f"{path.name} lists more files than {PACKAGE_FILES}. It was refused.")


def _check_entries(label: str, entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > PACKAGE_FILES:
        raise PackageDamaged(f"{label} holds {len(entries)} files, more than {PACKAGE_FILES}. It was refused.")
    size = sum(entry.file_size for entry in entries)
    if size > PACKAGE_LIMIT:
        raise PackageDamaged(f"{label} unpacks to {size // MB} MB, more than {PACKAGE_LIMIT // MB}. It was refused.")
    seen: set[str] = set()
    for entry in entries:
        if problem := _find_problem(entry) or ("appears twice" if entry.filename in seen else None):
            raise PackageDamaged(f"{label}: the entry {entry.filename[:200]!r} {problem}. The file was refused.")
        seen.add(entry.filename)
    folders = {str(parent) for name in seen for parent in PurePosixPath(name).parents}
    if both := folders & {name for name in seen if not name.endswith("/")}:
        raise PackageDamaged(f"{label}: {min(both)[:200]!r} is a file and a folder. The file was refused.")


def _find_problem(entry: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link" if kind == stat.S_IFLNK else "is no plain file"
    parts = entry.filename.removesuffix("/").split("/")
    if any(part in ("", ".", "..") for part in parts) or ":" in parts[0] or "\\" in entry.orig_filename:
        return "leads out of its folder"
    if "\0" in entry.orig_filename or not entry.filename.isprintable():
        return "has characters that do not belong into a name"
    if entry.flag_bits & 0x1 or entry.compress_type not in METHODS:
        return "is encrypted or packed in an unusual way"
    return None


def _read_name(file_name: str, target: PythonTarget) -> tuple[str, Version]:
    try:
        name, version, _, tags = parse_wheel_filename(file_name)
    except (InvalidWheelFilename, InvalidVersion) as error:
        raise PackageDamaged(f"{file_name[:200]} is not the name of a wheel: {error}.") from error
    if tags.isdisjoint(target.tags):
        raise PackageDamaged(
            f"{file_name} is not for the Python in the sandbox: a wheel for py3-none-any or "
            f"{target.abi}-{target.abi}-{target.platform} is needed."
        )
    return name, version


def _find_info(label: str, names: list[str], name: str) -> str:
    found = {top for each in names if (top := each.partition("/")[0]).endswith(".dist-info")}
    if len(found) != 1 or canonicalize_name(min(found).partition("-")[0]) != name:
        raise PackageDamaged(f"{label} has no dist-info folder of its own. It was refused.")
    return min(found)


def _read_headers(archive: zipfile.ZipFile, name: str, label: str) -> Message:
    try:
        entry = archive.getinfo(name)
    except KeyError:
        raise PackageDamaged(f"{label} has no {name}. It was refused.") from None
    if entry.file_size > METADATA_LIMIT:
        raise PackageDamaged(f"{label}: {name} is larger than {METADATA_LIMIT // MB} MB. It was refused.")
    return email.parser.Parser().parsestr(archive.read(entry).decode(errors="replace"), headersonly=True)


def _check_tags(label: str, wheel: Message, target: PythonTarget) -> None:
    if not wheel.get("Wheel-Version", "").startswith("1."):
        raise PackageDamaged(f"{label} has the wheel version {wheel.get('Wheel-Version')}, which is not known.")
    tags = [str(each).strip() for each in wheel.get_all("Tag", [])]
    try:
        fits = any(not target.tags.isdisjoint(parse_tag(tag)) for tag in tags)
    except ValueError:
        fits = False
    if not fits:
        raise PackageDamaged(f"{label} says inside that it is for {', '.join(tags)[:200]}. It was refused.")


def _same_version(text: str, version: Version) -> bool:
    try:
        return Version(text) == version
    except InvalidVersion:
        return False


def _map_places(names: list[str], data: str) -> dict[str, str]:
    places: dict[str, str] = {}
    for name in names:
        top, _, rest = name.partition("/")
        if top == data or (top.endswith(".data") and canonicalize_name(top) == canonicalize_name(data)):
            kind, _, inner = rest.partition("/")
            if kind in MERGED and inner:
                places[name] = inner
        else:
            places[name] = name
    return places
