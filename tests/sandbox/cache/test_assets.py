"""The assets: found, whole, fetched once, and clear errors on bad days."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import anyio
import deno
import pytest

from cloche.errors import AssetsUnavailable
from cloche.sandbox.cache import assets as engine_assets
from cloche.sandbox.cache.downloads import ENGINE, DownloadProgress, Report
from tests.sandbox.cache.fake_downloads import CONTENTS, FakeDownloads

UNREACHABLE = {
    "NPM_CONFIG_REGISTRY": "http://user:secret@127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "PIP_INDEX_URL": "http://127.0.0.1:9",
    "PIP_NO_INDEX": "1",
}
SITE = "python/site.zip"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="only on POSIX")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLOCHE_CACHE", str(folder))
    return folder


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> FakeDownloads:
    fake = FakeDownloads()
    monkeypatch.setattr(engine_assets, "download_npm", fake.fetch_npm)
    monkeypatch.setattr(engine_assets, "download_wheels", fake.fetch_wheels)
    return fake


@pytest.fixture
def other_process(cache: Path, tmp_path: Path) -> Iterator["Fetchers"]:
    fetchers = Fetchers(tmp_path / "gate")
    yield fetchers
    fetchers.close()


class Fetchers:
    """Processes that fetch with fake downloads, which wait until the gate is opened."""

    def __init__(self, gate: Path) -> None:
        self.gate = gate
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, *prefix: str) -> subprocess.Popen[str]:
        command = [*prefix, sys.executable, "-m", "tests.sandbox.cache.fake_downloads", str(self.gate)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def open(self) -> None:
        self.gate.touch()

    def started(self) -> int:
        log = self.gate.with_suffix(".started")
        return len(log.read_text().splitlines()) if log.exists() else 0

    def wait_started(self) -> None:
        deadline = time.monotonic() + 10
        while not self.started():
            assert time.monotonic() < deadline, "no process has begun to fetch"
            time.sleep(0.01)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate(timeout=5)


def fetch(report: Report | None = None) -> Path:
    async def bounded() -> Path:
        with anyio.fail_after(15):
            return await engine_assets.fetch_assets(report)

    return anyio.run(bounded)


def leftovers(cache: Path) -> list[str]:
    names = {path.name for path in (cache / "assets").glob("*")}
    key = engine_assets.assets_dir().name
    return sorted(names - {".lock", key, f".used-{key}"})


def test_the_cache_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLOCHE_CACHE", str(tmp_path / "mine"))
    assert engine_assets.cache_dir() == tmp_path / "mine"
    monkeypatch.delenv("CLOCHE_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert engine_assets.cache_dir() == tmp_path / "xdg" / "cloche"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert engine_assets.cache_dir() == tmp_path / ".cache" / "cloche"


def test_a_fetch_fills_the_folder_and_reports_how_far_it_is(cache: Path, downloads: FakeDownloads) -> None:
    seen: list[DownloadProgress] = []
    assert not engine_assets.assets_ready()
    folder = fetch(seen.append)
    assert folder == engine_assets.assets_dir()
    assert folder.parent == cache / "assets"
    assert {name: (folder / name).read_bytes() for name in CONTENTS} == CONTENTS
    assert seen == [DownloadProgress("npm packages", 2, 2), DownloadProgress("Python packages", 1, 1)]
    assert engine_assets.assets_ready()
    assert engine_assets.verify_assets() == []
    assert leftovers(cache) == []


def test_what_is_ready_is_not_fetched_again(cache: Path, downloads: FakeDownloads) -> None:
    fetch()
    fetch()
    assert downloads.runs == 1


@pytest.mark.parametrize("name", [*CONTENTS, SITE, "manifest.json"])
def test_a_cut_file_is_noticed_and_fetched_again(cache: Path, downloads: FakeDownloads, name: str) -> None:
    folder = fetch()
    os.truncate(folder / name, 1)
    assert not engine_assets.assets_ready()
    assert engine_assets.verify_assets() == [name]
    fetch()
    assert downloads.runs == 2
    assert engine_assets.verify_assets() == []
    assert leftovers(cache) == []


def test_what_is_there_can_be_fetched_anew(cache: Path, downloads: FakeDownloads) -> None:
    fetch()
    anyio.run(partial(engine_assets.fetch_assets, anew=True))
    assert downloads.runs == 2
    assert engine_assets.assets_ready()
    assert leftovers(cache) == []


def test_damage_is_mended_once_and_reported(
    cache: Path, downloads: FakeDownloads, caplog: pytest.LogCaptureFixture
) -> None:
    folder = fetch()
    assert not anyio.run(engine_assets.repair_assets)
    name = next(iter(sorted(path for path in folder.rglob("*.js")))).relative_to(folder).as_posix()
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(bytes(len(data)))
    assert engine_assets.assets_ready()
    assert anyio.run(engine_assets.repair_assets)
    assert f"damaged in the cache, made again: {folder}/{name}" in caplog.text
    assert (folder / name).read_bytes() == data
    assert not anyio.run(engine_assets.repair_assets)
    assert downloads.runs == 2


def test_a_missing_file_is_noticed(cache: Path, downloads: FakeDownloads) -> None:
    folder = fetch()
    (folder / SITE).unlink()
    assert not engine_assets.assets_ready()
    assert engine_assets.verify_assets() == [SITE]


def test_changed_contents_of_the_same_size_are_found_by_verify(cache: Path, downloads: FakeDownloads) -> None:
    folder = fetch()
    (folder / SITE).write_bytes(b"KP")
    assert engine_assets.assets_ready()
    assert engine_assets.verify_assets() == [SITE]


def test_assets_of_another_version_are_left_alone(cache: Path, downloads: FakeDownloads) -> None:
    other = cache / "assets" / "0123456789abcdef"
    other.mkdir(parents=True)
    (other / "manifest.json").write_text("{}")
    folder = fetch()
    assert folder != other
    assert [path.name for path in other.iterdir()] == ["manifest.json"]


def _changed(source: Path) -> Path:
    """The folder of the assets when this file is another."""
    contents = source.read_bytes()
    source.write_bytes(contents + b"// changed\n")
    engine_assets.asset_key.cache_clear()
    folder = engine_assets.assets_dir()
    source.write_bytes(contents)
    return folder


def test_what_decides_the_contents_decides_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = engine_assets.assets_dir()
    engine = tmp_path / "engine"
    shutil.copytree(ENGINE, engine, ignore=shutil.ignore_patterns("cloche_guest"))
    monkeypatch.setattr(engine_assets, "ENGINE", engine)
    engine_assets.asset_key.cache_clear()
    try:
        assert engine_assets.assets_dir() == before
        # The last two are imported by what makes the assets, and by what that imports.
        names = ("deno.lock", "languages/bash/git/isomorphic_patch.ts", "wasm/format.ts")
        assert len({before, *(_changed(engine / name) for name in names)}) == 4
        (engine / "fs/quota.ts").unlink()
        engine_assets.asset_key.cache_clear()
        assert engine_assets.assets_dir() == before
    finally:
        engine_assets.asset_key.cache_clear()


def test_a_failed_fetch_leaves_nothing(cache: Path, downloads: FakeDownloads, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise AssetsUnavailable("no")

    monkeypatch.setattr(engine_assets, "download_wheels", fail)
    with pytest.raises(AssetsUnavailable):
        fetch()
    assert not engine_assets.assets_dir().exists()
    assert leftovers(cache) == []


def test_a_cancelled_fetch_leaves_nothing(cache: Path, downloads: FakeDownloads, tmp_path: Path) -> None:
    downloads.gate = tmp_path / "never"

    async def give_up() -> None:
        with anyio.move_on_after(0.3) as scope:
            await engine_assets.fetch_assets()
        assert scope.cancelled_caught

    anyio.run(give_up)
    assert not engine_assets.assets_dir().exists()
    assert leftovers(cache) == []


def test_without_network_the_error_says_what_was_tried_and_what_to_do(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in UNREACHABLE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(AssetsUnavailable) as caught:
        fetch()
    message = str(caught.value)
    for part in ("npm packages", "deno install", "127.0.0.1:9", "cloche fetch", "CLOCHE_CACHE"):
        assert part in message
    assert "secret" not in message
    assert leftovers(cache) == []


def test_what_is_ready_needs_no_network(cache: Path, downloads: FakeDownloads, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fetch()
    monkeypatch.undo()
    for name, value in {**UNREACHABLE, "CLOCHE_CACHE": str(cache)}.items():
        monkeypatch.setenv(name, value)
    assert fetch() == folder


def test_a_cache_that_is_a_file_is_an_error_that_says_so(cache: Path, downloads: FakeDownloads) -> None:
    cache.write_text("not a folder")
    with pytest.raises(AssetsUnavailable, match=r"Could not write .* CLOCHE_CACHE") as caught:
        fetch()
    assert str(cache) in str(caught.value)


@POSIX
def test_a_read_only_cache_is_an_error_that_says_so(cache: Path, other_process: Fetchers) -> None:
    (cache / "assets").mkdir(parents=True)
    (cache / "assets").chmod(0o555)
    # Root may write everywhere unless it gives up that right.
    humble = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    output = other_process.start(*humble).communicate(timeout=10)[1]
    assert "AssetsUnavailable: Could not write the engine's files to" in output
    assert "Permission denied" in output
    assert "CLOCHE_CACHE" in output


@POSIX
def test_a_full_disk_is_an_error_that_says_so_and_leaves_nothing(cache: Path, other_process: Fetchers) -> None:
    other_process.open()
    process = other_process.start("bash", "-c", 'ulimit -f 1; "$@"', "bash")
    output = process.communicate(timeout=10)[1]
    assert "AssetsUnavailable: Could not write the engine's files to" in output
    assert "File too large" in output
    assert leftovers(cache) == []


def test_two_processes_at_once_fetch_once_and_both_succeed(cache: Path, other_process: Fetchers) -> None:
    first, second = other_process.start(), other_process.start()
    other_process.wait_started()
    other_process.open()
    folder = f"{engine_assets.assets_dir()}\n"
    assert [process.communicate(timeout=10) for process in (first, second)] == [(folder, ""), (folder, "")]
    assert other_process.started() == 1
    assert engine_assets.verify_assets() == []


def test_what_a_killed_process_left_is_removed_by_the_next(
    cache: Path, downloads: FakeDownloads, other_process: Fetchers
) -> None:
    process = other_process.start()
    other_process.wait_started()
    process.kill()
    process.communicate(timeout=5)
    assert len(leftovers(cache)) == 1
    assert not engine_assets.assets_ready()
    fetch()
    assert leftovers(cache) == []
    assert engine_assets.verify_assets() == []


SHELL = """
const { Bash } = await import(`file://${Deno.args[0]}/node_modules/just-bash/dist/bundle/index.js`);
const { exitCode, stdout, stderr } = await new Bash().exec(`
  printf '%05.2f\\n' 3.14159; ls -d /; echo '<b>x</b>' | html-to-markdown; echo 'a: 1' > f; tar cjf t f; tar tjf t
`);
console.log(JSON.stringify([exitCode, stdout, stderr]));
"""


def test_the_assets_are_complete_without_network(assets: Path, tmp_path: Path) -> None:
    script = tmp_path / "shell.ts"
    script.write_text(SHELL)
    flags = ["--no-config", "--no-lock", "--no-remote", "--cached-only", "--node-modules-dir=manual", "--no-prompt"]
    allowed = [f"--allow-read={assets},{tmp_path}", "--allow-env"]
    output = subprocess.run(
        [deno.find_deno_bin(), "run", *flags, *allowed, str(script), str(assets)],
        env={**os.environ, **UNREACHABLE, "DENO_DIR": str(tmp_path / "deno")},
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )
    assert output.stdout.splitlines()[-1:] == [r'[0,"03.14\n/\n**x**\nf\n",""]'], output
    assert engine_assets.verify_assets() == []


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(180)
def test_two_real_fetches_at_once_give_one_whole_folder(cache: Path) -> None:
    program = "import anyio; from cloche.sandbox.cache import assets; print(anyio.run(assets.fetch_assets))"
    both = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=170)[0] for process in both]
    assert outputs == [f"{engine_assets.assets_dir()}\n"] * 2
    assert engine_assets.verify_assets() == []
    assert leftovers(cache) == []
