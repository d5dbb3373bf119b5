import shutil
from pathlib import Path

import pytest

from cloche.sandbox.cache import snapshots


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the engine, whose files may be changed."""
    copy = tmp_path / "engine"
    shutil.copytree(snapshots.ENGINE, copy)
    monkeypatch.setattr(snapshots, "ENGINE", copy)
    return copy


@pytest.mark.parametrize(
    "name",
    [
        "main.ts",
        "languages/python/build/snapshot.ts",
        "languages/python/guest/cloche_guest/boot.py",
        "build/mount_folder.ts",
    ],
)
def test_another_engine_or_builder_has_another_key(name: str, engine: Path) -> None:
    before = snapshots.snapshot_key.__wrapped__()
    (engine / name).write_text("changed")
    assert snapshots.snapshot_key.__wrapped__() != before


@pytest.mark.parametrize("name", ["languages/lua/pack.ts", "languages/ruby/build/stdlib.ts", "main_test.ts"])
def test_what_makes_packs_or_tests_does_not_change_the_key(name: str, engine: Path) -> None:
    before = snapshots.snapshot_key.__wrapped__()
    (engine / name).write_text("changed")
    assert snapshots.snapshot_key.__wrapped__() == before
