"""Finds the reason for a failure in pip's log, and explains it in a sentence or two."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from cloche.errors import (
    PackageConflict,
    PackageDamaged,
    PackageError,
    PackageNotFound,
    PackagesUnreachable,
    PackageUnsupported,
)
from cloche.sandbox.cache.fetch_tools import hide_secrets
from cloche.sandbox.packages.known_names import INSTEAD, POPULAR
from cloche.sandbox.packages.pyodide_lock import PyodideLock
from cloche.sandbox.packages.python_target import PythonTarget

_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT[\d:,]+ ", re.MULTILINE)
_MISSING = re.compile(r"No matching distribution found for (.+)")
_VERSIONS = re.compile(r"Could not find a version that satisfies the requirement .*\(from versions: (.*)\)")
_OTHER_TAGS = re.compile(r"Skipping link: none of the wheel's tags \((.*?)\) are compatible.*?: \S*/([^/#\s]+)")
_SOURCES = re.compile(r"Skipping link: (?:No sources permitted|No binaries permitted|unsupported archive).*?for (\S+)")
_OTHER_PYTHON = re.compile(r"Link requires a different Python \(.*?not in: '(.*?)'\): \S*/([^/#\s]+)")
_UNREACHED = re.compile(r"Could not fetch URL (\S+): (.*?)(?: - skipping)?$", re.MULTILINE)
_CAUSES = re.compile(r"The conflict is caused by:\n((?:    .*\n)+)")
_HASH = re.compile(r"(\S+) from (\S+?)(?:#\S*)?(?: \(from .*?\))?:?\n\s+Expected (\S+ +\S+)\n\s+Got +(\S+)")
_BROKEN = re.compile(
    r"(?:ERROR: |Error: )(.*(?:is invalid|invalid metadata|bad zip|BadZipFile|IncompleteRead).*)", re.I
)
_REFUSED = re.compile(r"cloche refused: ([^()\n]+?)'?(?:\)| - skipping|$)", re.MULTILINE)
_ADVICE = "pip's own settings are used (pip.conf, PIP_INDEX_URL, HTTPS_PROXY): check them, or try again later"


def explain_pip_failure(log: str, reason: str, lock: PyodideLock) -> PackageError:
    """The error for what pip logged; `reason` are the last lines it printed."""
    log = hide_secrets(_STAMP.sub("", log))
    if refused := _REFUSED.search(log):
        return PackageDamaged(
            f"A package, or the index, leads to where nothing is fetched from: {_shorten_text(refused[1])}. Packages "
            "come by name from the indexes that pip is configured with, and from public hosts that these name."
        )
    if "DO NOT MATCH THE HASHES" in log:
        return _wrong_hash(log)
    if causes := _CAUSES.search(log):
        parts = "; ".join(line.strip() for line in causes[1].splitlines())
        return PackageConflict(f"These requirements cannot be met together: {_shorten_text(parts, 600)}.")
    if missing := _MISSING.search(log):
        return _not_found(missing[1].strip(), log, lock)
    if unreached := _UNREACHED.search(log):
        return _explain_unreachable(unreached)
    if broken := _BROKEN.search(log):
        return PackageDamaged(f"A package could not be read: {_shorten_text(broken[1])}. It was refused.")
    if "packages may not start programs" in log:
        return PackageUnsupported("A package has to be built from source, which is not done: a wheel is needed.")
    if "Traceback (most recent call last)" in log:
        # Leave out the paths of pip's own files.
        reason = reason.rpartition(" | ")[2]
    return PackageError(f"pip could not resolve the packages: {_shorten_text(reason)}.")


def _wrong_hash(log: str) -> PackageError:
    found = _HASH.search(log)
    what = f"{found[1]} (expected {found[3][:30]}..., got {found[4][:16]}...)" if found else "a package"
    return PackageDamaged(
        f"What the index sent for {what} does not have the hash that the index names. It was refused; try again, or "
        "use another index."
    )


def _not_found(wanted: str, log: str, lock: PyodideLock) -> PackageError:
    name = _package_name(wanted)
    # The index might have it: that the distribution does not is no answer.
    if unreached := _failed_page(log, name):
        return _explain_unreachable(unreached)
    if _appears_in_log(log, name):
        return _explain_unsuitable(wanted, name, log, lock.target)
    near = get_close_matches(name, {*lock.packages, *POPULAR}, 3, 0.8)
    mean = f" Did you mean {' or '.join(near)}?" if near else " Check the spelling, and that your index has it."
    return PackageNotFound(
        f"No package is called {name!r}: neither your index nor the Pyodide distribution has it.{mean}"
    )


def _appears_in_log(log: str, name: str) -> bool:
    return any(
        _belongs_to(name, file)
        for file in re.findall(r"(?:Found link|Skipping link|Link requires).*?/([^/#\s]+)(?:#|\s|$)", log, re.M)
    )


def _explain_unsuitable(wanted: str, name: str, log: str, target: PythonTarget) -> PackageError:
    versions = _VERSIONS.search(log)
    if versions and versions[1] != "none":
        newest = ", ".join(versions[1].split(", ")[-5:])
        return PackageNotFound(f"No version of {name} fits {wanted}: there are ..., {newest}.")
    pythons = {spec for spec, file in _OTHER_PYTHON.findall(log) if _belongs_to(name, file)}
    tags = [tags for tags, file in _OTHER_TAGS.findall(log) if _belongs_to(name, file)]
    if tags:
        return _with_source(PackageUnsupported(_explain_native(name, tags, target.platform)), wanted)
    if pythons:
        return PackageUnsupported(f"{name} needs another Python ({min(pythons)}); the sandbox has {target.release}.")
    return _with_source(
        PackageUnsupported(
            f"{name} has no wheel, only source, which only `pip install` in a sandbox builds: use that, or build one "
            f"(`pip wheel {name}`) and install it{_suggest_alternative(name)}."
        ),
        wanted,
    )


def _with_source(error: PackageError, wanted: str) -> PackageError:
    error.source = wanted.split(" (from")[0]
    return error


def _explain_native(name: str, tags: Iterable[str], platform: str) -> str:
    platforms = sorted(
        {tag.rpartition("-")[2].split("_")[0].rstrip("0123456789") for each in tags for tag in each.split(", ")}
    )
    return (
        f"{name} has only wheels for {', '.join(platforms)}: it has native code, and a wheel for WebAssembly "
        f"({platform}) is needed, which neither your index nor the Pyodide distribution has"
        f"{_suggest_alternative(name)}."
    )


def _suggest_alternative(name: str) -> str:
    return f"; instead: {INSTEAD[name]}" if name in INSTEAD else ""


def _failed_page(log: str, name: str) -> re.Match[str] | None:
    """A page of this project that failed for a reason other than 404."""
    for each in _UNREACHED.finditer(log):
        if f"/{name}/" in each[1] and " 404 " not in f" {each[2]} ":
            return each
    return None


def _explain_unreachable(found: re.Match[str]) -> PackageError:
    return PackagesUnreachable(
        f"The package index could not be reached: {found[1]}: {_shorten_text(found[2])}. {_ADVICE}."
    )


def _belongs_to(name: str, file: str) -> bool:
    """Whether this file belongs to the project."""
    return canonicalize_name(file).startswith(name + "-")


def _package_name(wanted: str) -> str:
    try:
        return canonicalize_name(Requirement(wanted.split(" (from")[0]).name)
    except InvalidRequirement:
        return canonicalize_name(re.split(r"[^A-Za-z0-9._-]", wanted)[0])


def _shorten_text(text: str, length: int = 400) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= length else f"{text[:length]}..."
