"""Play as a folder of files, which any web host can serve below any address."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache.assets import ENGINE
from cloche.sandbox.embedding.site import BrowserSite, SiteIndex, site_key

PAGE = ENGINE.parent / "server" / "page" / "built"
"""The page as `make page` builds it, for servers and for folders of files."""

INDEX = Path("engine", "site.json")
"""Marks a folder as written here."""

_HTML = {"play.html": "index.html", "embed.html": "embed.html"}
"""Pages and what they are called in the folder."""
_AS_IT_IS = ("frame.html", "icon.svg", "sw.js")
_MARK = "<html "
_MARKED = '<html data-play="index.html" data-embed="embed.html" '


def check_target(target: Path) -> None:
    """Raise ValueError unless a site can be written to this folder without destroying anything else."""
    if target.exists() and not target.is_dir():
        raise ValueError(f"{target} is not a folder")
    if target.exists() and not (target / INDEX).is_file() and any(target.iterdir()):
        raise ValueError(f"{target} has other files in it: name a new or an empty folder")


def write_site(target: Path, site: BrowserSite, languages: Sequence[str]) -> int:
    """Write Play with these languages, in place of what was written there before; returns the bytes of all files."""
    check_target(target)
    if not (PAGE / "play.html").is_file():
        raise AssetsUnavailable("The page is not built. In a checkout of Cloche, run: make page")
    root = f"engine/{site_key()}"
    files = [*_list_page(), *_list_engine(site, languages, root)]
    for folder in ("engine", "page"):
        shutil.rmtree(target / folder, ignore_errors=True)
    for name, read in files:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(read())
    for name in languages:
        _write_json(target / "engine" / "ready" / name, site.describe(name))
    # Last, so that a folder with it is complete.
    _write_json(target / INDEX, SiteIndex(f"{root}/", [*languages]))
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())


_File = tuple[str, Callable[[], bytes]]


def _list_page() -> Iterator[_File]:
    for name, written in _HTML.items():
        text = (PAGE / name).read_text().replace(_MARK, _MARKED, 1).encode()
        yield written, lambda text=text: text
    for path in (*(PAGE / name for name in _AS_IT_IS), *sorted((PAGE / "page").iterdir())):
        yield path.relative_to(PAGE).as_posix(), path.read_bytes


def _list_engine(site: BrowserSite, languages: Iterable[str], root: str) -> Iterator[_File]:
    for address in site.list([*languages]):
        found = site.find(address)
        if found is not None:
            yield f"{root}/{address}", found.read


def _write_json(path: Path, value: msgspec.Struct) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(value))
