"""`cloche doctor`."""

import json
from pathlib import Path

from tests.cli.conftest import Cloche


def test_a_machine_that_works_is_0(cloche: Cloche, prepared: None) -> None:
    done = cloche("doctor", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], done.stderr) == (0, True, "")
    assert list(report) == ["ok", "summary", "versions", "checks", "layers", "system"]
    assert [check["name"] for check in report["checks"]] == ["cache", "files", "snapshot", "first run"]
    assert [layer["name"] for layer in report["layers"]] == ["wasm", "javascript", "deno", "system", "limits"]
    assert [layer["name"] for layer in report["system"]] == ["bubblewrap", "landlock"]


def test_the_table_is_for_people(cloche: Cloche, prepared: None) -> None:
    done = cloche("doctor")
    assert done.returncode == 0
    assert "  ok      first run   6 * 7 = 42" in done.stdout
    assert "Sandboxes work here" in done.stdout.splitlines()[-1]


def test_missing_files_are_1_with_advice(cloche: Cloche, tmp_path: Path) -> None:
    done = cloche("doctor", CLOCHE_CACHE=str(tmp_path))
    assert done.returncode == 1
    assert "not fetched yet" in done.stdout
    assert "run `cloche fetch`" in done.stdout


def test_a_layer_that_does_not_hold_is_named_with_advice(cloche: Cloche, tmp_path: Path, prepared: None) -> None:
    report = json.loads(cloche("doctor", "--json", PATH=str(tmp_path)).stdout)
    bubblewrap = report["system"][0]
    assert (bubblewrap["name"], bubblewrap["holds"]) == ("bubblewrap", False)
    assert "apt-get install bubblewrap" in bubblewrap["detail"]


def test_a_cache_that_cannot_be_written_is_named(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cloche("doctor", CLOCHE_CACHE=str(tmp_path / "file"))
    assert done.returncode == 1
    assert "cannot be written" in done.stdout
