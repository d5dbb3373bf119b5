"""The downloads: which tool is used, what it may say, what is packed."""

import hashlib
import importlib.util
import sys
import zipfile
from importlib.machinery import ModuleSpec
from pathlib import Path

import anyio
import pytest

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache import downloads, fetch_tools
from cloche.sandbox.cache.downloads import DownloadProgress, Report, download_wheels

METADATA = "Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n"
RECORD = "sample-1.0.dist-info/RECORD"
FILES = {
    "sample/__init__.py": "x = 1\n",
    "sample/tests/test_sample.py": "",
    "sample-1.0.dist-info/METADATA": METADATA,
    "sample-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "sample-1.0.data/data/share/man/man1/sample.1": "",
}


@pytest.fixture
def wheel_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one wheel, pinned as all the guest needs, and nothing else for pip to look at."""
    index = tmp_path / "index"
    index.mkdir()
    wheel = index / "sample-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
        archive.writestr(RECORD, "".join(f"{name},,\n" for name in [*FILES, RECORD]))
    pins = tmp_path / "pins.txt"
    pins.write_text(f"sample==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    monkeypatch.setattr(downloads, "PINNED", [*downloads.PINNED[:-1], str(pins)])
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return index


def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def find_others(name: str) -> ModuleSpec | None:
        return None if name == "pip" else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_others)


def pack(tmp_path: Path, report: Report = print) -> dict[str, str]:
    target = tmp_path / "site.zip"
    (tmp_path / "stage").mkdir()
    anyio.run(download_wheels, tmp_path / "stage", target, report)
    with zipfile.ZipFile(target) as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        return {name: archive.read(name).decode() for name in archive.namelist()}


WANTED = {name: FILES[name] for name in sorted(FILES) if "tests" not in name and ".data" not in name}


def test_pip_is_used_and_only_what_the_guest_needs_is_packed(wheel_index: Path, tmp_path: Path) -> None:
    assert pack(tmp_path) == WANTED


def test_without_pip_uv_gives_the_same(wheel_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_pip(monkeypatch)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert pack(tmp_path) == WANTED


@pytest.mark.slow
def test_without_both_the_pip_for_new_environments_gives_the_same(
    wheel_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_pip(monkeypatch)
    monkeypatch.setenv("PATH", "")
    assert pack(tmp_path) == WANTED


def test_without_any_the_error_says_what_to_install(
    wheel_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_pip(monkeypatch)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(downloads, "bundled_pip", lambda: None)
    with pytest.raises(AssetsUnavailable, match=r"neither pip nor uv .*apt-get install python3-pip.*cloche fetch"):
        pack(tmp_path)


def test_a_wheel_that_is_not_the_pinned_one_is_refused(wheel_index: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(next(wheel_index.iterdir()), "a") as archive:
        archive.writestr("sample/evil.py", "")
    with pytest.raises(AssetsUnavailable, match=r"(?i)hash"):
        pack(tmp_path)


def test_without_network_the_error_names_the_tool_and_the_reason(
    wheel_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(AssetsUnavailable) as caught:
        pack(tmp_path)
    for part in ("Python packages", "pip download", "sample==1.0", "cloche fetch", "CLOCHE_CACHE"):
        assert part in str(caught.value)


def test_a_download_that_fails_on_a_full_disk_says_that_it_is_full(
    wheel_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setattr(fetch_tools, "FULL", sys.maxsize)
    with pytest.raises(OSError, match="No space left on device"):
        pack(tmp_path)


def test_progress_ends_at_its_total(wheel_index: Path, tmp_path: Path) -> None:
    seen: list[DownloadProgress] = []
    pack(tmp_path, seen.append)
    assert seen[-1].done == seen[-1].total > 0
