"""Wheels that were built in the sandbox: checked for native code, and named for what they are."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

from cloche_guest.packages.build_project import BuildFailed

PURE = "py3-none-any"
NATIVE = (".so", ".pyd", ".dylib", ".dll", ".wasm", ".a")


def purify_wheel(wheel: Path) -> Path:
    """The wheel as one for every system; projects whose C parts are optional call theirs native without them."""
    if wheel.name.endswith("-none-any.whl"):
        return wheel
    pure = wheel.with_name("-".join([*wheel.name.split("-")[:2], PURE]) + ".whl")
    with zipfile.ZipFile(wheel) as source:
        if native := next((name for name in source.namelist() if name.endswith(NATIVE)), None):
            raise BuildFailed(f"it has native code ({native}), which cannot be built in a sandbox")
        with zipfile.ZipFile(pure, "w", zipfile.ZIP_DEFLATED) as target:
            _copy_entries(source, target)
    wheel.unlink()
    return pure


def _copy_entries(source: zipfile.ZipFile, target: zipfile.ZipFile) -> None:
    about = next(name for name in source.namelist() if name.endswith(".dist-info/WHEEL"))
    lines = [line for line in source.read(about).decode("utf-8").splitlines() if line and not line.startswith("Tag:")]
    lines = ["Root-Is-Purelib: true" if line.startswith("Root-Is-Purelib:") else line for line in lines]
    text = "\n".join([*lines, f"Tag: {PURE}", ""]).encode()
    for entry in source.infolist():
        data = source.read(entry)
        if entry.filename == about:
            data = text
        elif entry.filename.endswith(".dist-info/RECORD"):
            data = _correct_record(data.decode("utf-8"), about, text).encode()
        target.writestr(entry, data)


def _correct_record(record: str, name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    lines = (
        f"{name},sha256={digest},{len(data)}" if line.startswith(f"{name},") else line for line in record.splitlines()
    )
    return "\n".join(lines) + "\n"
