"""Installed packages as Python sees them: what to do when they change, and when an import finds nothing."""

from __future__ import annotations

import json
import posix
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from types import FrameType, ModuleType
from typing import Any

from cloche_guest import engine_calls, host_requests
from cloche_guest.cells import errors
from cloche_guest.packages import package_imports, path_files, pip
from cloche_guest.packages.package_imports import FOLDER, HIDDEN
from cloche_guest.programs import program_state

_NO_CTYPES = "ctypes is closed in this sandbox: it reaches raw memory; native modules of installed packages do work"
_PACKAGES = {
    "bs4": "beautifulsoup4", "cv2": "opencv-python", "dateutil": "python-dateutil", "docx": "python-docx",
    "dotenv": "python-dotenv", "PIL": "pillow", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}  # fmt: skip
"""Packages whose modules have other names."""
_LIBRARIES = ("/lib/", "/opt/", "<frozen")

_putenv = posix.putenv
_automatic = False
_missing: dict[str, str] = {}
"""Modules that the host could not provide, each with the reason."""


class Finder:
    """The last finder, for modules that no other has found."""

    @staticmethod
    def find_spec(name: str, path: Any = None, _target: Any = None) -> ModuleSpec | None:
        """Ask the host to install the package with this module, if that is enabled."""
        if name == "_ctypes":
            raise ModuleNotFoundError(_NO_CTYPES, name=name)
        if not _automatic or path is not None or not _is_wanted(name, sys._getframe(1)):
            return None
        return PathFinder.find_spec(name) if _provide(name) else None


Finder.find_spec.__code__ = Finder.find_spec.__code__.replace(co_filename=HIDDEN)


def _is_wanted(name: str, frame: FrameType | None) -> bool:
    """Whether the user's own code imports it for the first time; packages try many modules that they do not need."""
    if name in _missing or name in sys.stdlib_module_names or not engine_calls.can_wait():
        return False
    while frame is not None and _imports(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None and not frame.f_code.co_filename.startswith(_LIBRARIES)


def _imports(file: str) -> bool:
    return file.startswith("<frozen importlib") or file.endswith("/importlib/__init__.py")


def _provide(name: str) -> bool:
    _missing[name] = ""
    try:
        answer = host_requests.send_request({"kind": "provide", "module": name}).data()
    except host_requests.RequestError as error:
        if error.kind == "NotWanted":
            # The next cell may ask again.
            del _missing[name]
        else:
            _missing[name] = str(error)
        return False
    if "source" in answer:
        answer = _build(name, answer)
    if not answer.get("found"):
        _missing[name] = str(answer.get("message") or "")
        return False
    if message := answer.get("message"):
        sys.stderr.write(f"{message}\n")
    return True


def _build(module: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Install a package that has to be built from source."""
    package = answer["package"]
    words = [pip.FROM_SOURCE, answer["source"], answer.get("message", ""), "install", "-q", package]
    said: list[str] = []
    if pip.run_pip(words, said.append) != 0:
        return {"found": False, "message": "".join(said).removeprefix("ERROR: ").strip()}
    return {"found": True, "message": f"built and installed {package} for `import {module}`"}


def hint_install(error: BaseException) -> str | None:
    """A hint for an import that found nothing."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    if not isinstance(name, str) or not name or "." in name or name in sys.stdlib_module_names:
        return None
    if "halted" in str(error) or not name.isidentifier() or name.startswith("_"):
        return None
    command = "pip" if program_state.is_program() else "%pip"
    package = _PACKAGES.get(name, name)
    return _missing.get(name) or f"`{command} install {package}` installs it, if there is such a package"


def start_packages(automatic: bool, libraries: str) -> None:
    """Set whether missing modules are installed automatically, and where shared libraries are."""
    global _automatic
    _automatic = bool(automatic)
    _search(libraries.splitlines())
    path_files.read_path_files(FOLDER)


def update_packages(now: str) -> None:
    """Drop the modules of removed packages, so that imports find the current ones.

    `removed` has a list of files for each. A package with native code stays as it is: that cannot be loaded again.
    """
    known = json.loads(now)
    package_imports.Within.invalidate_caches()
    _missing.clear()
    _search(known["libraries"])
    for files in known["removed"]:
        gone = {f"{FOLDER}/{file}" for file in files}
        modules = {name: module for name, module in list(sys.modules.items()) if _file(module) in gone}
        if not any(isinstance(getattr(one, "__loader__", None), ExtensionFileLoader) for one in modules.values()):
            for name in modules:
                del sys.modules[name]
    path_files.read_path_files(FOLDER)


def _search(folders: list[str]) -> None:
    # The C library's environment, not the one that programs see: this is how native modules find what they need.
    if folders:
        _putenv("LD_LIBRARY_PATH", ":".join(f"{FOLDER}/{folder}" for folder in folders))


def _file(module: object) -> str | None:
    file = module.__dict__.get("__file__") if isinstance(module, ModuleType) else None
    return file if isinstance(file, str) else None


def install() -> None:
    """Install the finder."""
    sys.meta_path.append(Finder)
    errors.add_adviser(hint_install)
