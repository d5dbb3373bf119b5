"""`pip install` of what has to be built first: projects, source archives, packages without a suitable wheel."""

from __future__ import annotations

import importlib
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cloche_guest.packages.build_project import BuildFailed, BuildTools, build_wheel
from cloche_guest.packages.built_wheels import purify_wheel
from cloche_guest.packages.pip_requests import Write, ask_host

FROM_SOURCE = "--from-source"
"""What comes first if the host has no wheel: then come the requirement, and why it has none."""

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")
EDITABLE = ("-e", "--editable")
LISTS = ("-r", "--requirement")
VALUED = ("-c", "--constraint", "-C", "--config-settings", "--format", "--only-binary", "--no-binary", "--log")
"""Other options whose value is the next word."""

SOURCES = 20
"""The most packages that one command builds from source."""

DEPTH = 3
"""How often what a build needs may itself have to be built."""

SIZE = 512 << 20
FILES = 50_000
"""The most bytes and files of a source archive."""

_INSTALLED = re.compile(r"^Successfully installed (.+)$", re.MULTILINE)


def run(words: list[str], write: Write) -> int:
    """Run `pip install` with these words."""
    source = None
    if words[:1] == [FROM_SOURCE]:
        source, words = (words[1], words[2]), words[3:]
    quiet = not {"-q", "--quiet", "-qq"}.isdisjoint(words)
    with tempfile.TemporaryDirectory(prefix="pip-") as folder:
        job = _Installation(write, Path(folder), quiet, isolated="--no-build-isolation" not in words)
        try:
            with job.lists_removed():
                return job.install(job.build_words(words), write, source)
        except BuildFailed as error:
            write(f"ERROR: {error}\n")
            return 1


@contextmanager
def open_tools(write: Write, *, isolated: bool) -> Iterator[BuildTools]:
    """What a build uses, for builds that install nothing; what they needed is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="pip-") as folder:
        job = _Installation(write, Path(folder), quiet=False, isolated=isolated)
        with job.needed_removed():
            yield job.tools


class _Installation:
    def __init__(self, write: Write, folder: Path, quiet: bool, isolated: bool) -> None:
        self._folder = folder
        self.tools = BuildTools(self._install_needed, self._say(write, quiet), isolated)
        self._needed: list[str] = []
        self._depth = 0
        self._lists: list[Path] = []

    @staticmethod
    def _say(write: Write, quiet: bool) -> Callable[[str], object]:
        return lambda text: None if quiet else write(f"{text}\n")

    @contextmanager
    def lists_removed(self) -> Iterator[None]:
        """Remove the files of requirements that were written meanwhile."""
        try:
            yield
        finally:
            for path in self._lists:
                path.unlink(missing_ok=True)

    def install(self, words: list[str], write: Write, source: tuple[str, str] | None = None) -> int:
        """Install; what has no suitable wheel is built from source."""
        tried: set[str] = set()
        while True:
            status = 1
            if source is None:
                status, answer = ask_host(words, write)
                if "source" not in answer:
                    return status
                source = (str(answer["source"]), str(answer.get("error", "")))
            wanted, reason = source
            source = None
            if wanted in tried or len(tried) >= SOURCES or self._depth > DEPTH:
                raise BuildFailed(reason)
            tried.add(wanted)
            try:
                words = [*words, str(self._build_source(wanted))]
            except BuildFailed as error:
                raise BuildFailed(f"{reason}\nIts source cannot be used instead: {error}") from None

    def build_words(self, words: Sequence[str]) -> list[str]:
        """The words, with wheels in place of projects and archives."""
        rest, kept = list(words), list[str]()
        while rest:
            word = rest.pop(0)
            name, equals, value = word.partition("=")
            if name in EDITABLE or name in LISTS:
                if not equals and not rest:
                    return [*kept, word]
                value = value if equals else rest.pop(0)
                kept += self._build_path(value, editable=True) if name in EDITABLE else ["-r", self._build_list(value)]
            elif name in VALUED and not equals:
                kept += [word, *rest[:1]]
                rest = rest[1:]
            elif not word.startswith("-") and _is_local(word):
                kept += self._build_path(word)
            else:
                kept.append(word)
        return kept

    def _build_list(self, file: str) -> str:
        """A file of requirements without the projects in it, which are built."""
        path = Path(file)
        try:
            lines = path.read_text("utf-8").splitlines()
        except OSError, UnicodeDecodeError:
            return file
        kept: list[str] = []
        for line in lines:
            text = re.sub(r"(^|\s)#.*$", "", line).strip()
            option, _, value = text.replace("=", " ", 1).partition(" ")
            if option in EDITABLE:
                kept += self._build_path(value.strip(), editable=True)
            else:
                kept += self._build_path(text) if _is_local(text) else [line]
        if kept == lines:
            return file
        # Beside the file: what it names is relative to its folder.
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".pip-", suffix=".txt", delete=False) as copy:
            copy.write("\n".join(kept) + "\n")
        self._lists.append(Path(copy.name))
        return copy.name

    def _build_path(self, word: str, *, editable: bool = False) -> list[str]:
        name, extras = split_extras(word)
        path = Path(name.removeprefix("file://")).resolve()
        self.tools.tell(f"Obtaining file://{path}" if editable else f"Processing {path}")
        try:
            wheel = self._build(path if path.is_dir() else self._unpack(path), editable=editable)
        except BuildFailed as error:
            raise BuildFailed(f"{word} cannot be built: {error}") from None
        # The wheel is taken first, so that the name means it.
        return [str(wheel), *([f"{wheel.name.partition('-')[0]}[{extras}]"] if extras else [])]

    def _build_source(self, wanted: str) -> Path:
        """Fetch the source of a package and build it."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        said: list[str] = []
        options = ["download", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]
        status, _ = ask_host([*options, wanted], said.append)
        archive = next(folder.iterdir(), None)
        if status or archive is None:
            raise BuildFailed("".join(said).partition("ERROR: ")[2].strip() or "it could not be fetched")
        self.tools.tell(f"Collecting {wanted}\n  Downloaded {archive.name} ({archive.stat().st_size // 1000} kB)")
        return self._build(self._unpack(archive))

    def _build(self, folder: Path, *, editable: bool = False) -> Path:
        target = Path(tempfile.mkdtemp(dir=self._folder))
        with self.needed_removed():
            return purify_wheel(build_wheel(folder, target, self.tools, editable=editable))

    @contextmanager
    def needed_removed(self) -> Iterator[None]:
        """Remove what a build needed and nobody had asked for."""
        before, self._needed = self._needed, []
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._needed:
                ask_host(["uninstall", "-y", "-q", *self._needed], lambda _text: None)
            self._needed = before

    def _install_needed(self, names: Sequence[str]) -> bool:
        said: list[str] = []
        try:
            status = self.install(["install", *names], said.append)
        except BuildFailed as error:
            said.append(f"ERROR: {error}\n")
            status = 1
        text = "".join(said)
        self._needed += [each.rpartition("-")[0] for found in _INSTALLED.findall(text) for each in found.split()]
        if status:
            self.tools.tell(text.rstrip())
        importlib.invalidate_caches()
        return status == 0

    def _unpack(self, archive: Path) -> Path:
        """The folder of the project in an archive."""
        import tarfile  # Rarely needed, and large.
        import zipfile

        folder = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            if archive.suffix == ".zip":
                with zipfile.ZipFile(archive) as source:
                    _check_size([entry.file_size for entry in source.infolist()])
                    source.extractall(folder)
            else:
                with tarfile.open(archive) as source:
                    _check_size([entry.size for entry in source.getmembers()])
                    source.extractall(folder, filter="data")
        except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
            raise BuildFailed(f"{archive.name} cannot be unpacked: {error}") from None
        inside = list(folder.iterdir())
        return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def split_extras(word: str) -> tuple[str, str]:
    """The path and the extras of a word such as `.[dev,test]`."""
    found = re.fullmatch(r"(.*?)\[([\w\s.,-]*)\]", word)
    return (found[1], found[2]) if found else (word, "")


def _is_local(word: str) -> bool:
    """Whether a word names a project or an archive; a bare name is a package, even if a folder has it too."""
    name = split_extras(word)[0].removeprefix("file://")
    if name.endswith(ARCHIVES):
        return Path(name).is_file()
    return ("/" in name or name.startswith(".")) and Path(name).is_dir()


def _check_size(sizes: Sequence[int]) -> None:
    if len(sizes) > FILES or sum(sizes) > SIZE:
        raise BuildFailed(f"its source is too large: {len(sizes)} files, {sum(sizes) >> 20} MB")
