"""`cloche repl` with cells piped in, and its options."""

import subprocess
import sys
from pathlib import Path

import pytest

from cloche.cli.terminal.piped_cells import split_cells
from cloche.cli.terminal.shown_images import LIMIT, ShownImages
from tests.cli.conftest import Cloche


@pytest.mark.slow
def test_piped_cells_are_run_one_after_the_other(cloche: Cloche, prepared: None) -> None:
    done = cloche("repl", stdin="x = 20\nx + 1\n# %% the second\nprint('two')\nx * 2\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "21\ntwo\n40\n", "")


@pytest.mark.slow
def test_the_first_piped_cell_that_fails_is_the_last(cloche: Cloche, prepared: None) -> None:
    done = cloche("repl", stdin="# %%\n1/0\n# %%\nprint('never')\n")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert cloche("repl", stdin="raise SystemExit(5)").returncode == 5


def test_piped_commands_are_run(cloche: Cloche, prepared: None) -> None:
    assert cloche("repl", "-l", "bash", stdin="echo a | tr a b\nexit 4").returncode == 4


def test_images_go_where_they_are_wanted(cloche: Cloche, prepared: None, tmp_path: Path) -> None:
    code = "from IPython.display import SVG, display; display(SVG('<svg/>'))"
    done = cloche("repl", "--images", str(tmp_path), stdin=code)
    assert done.stdout == f"[saved as {tmp_path}/cloche-1.svg]\n"
    assert (tmp_path / "cloche-1.svg").read_text() == "<svg/>"


def test_cells_are_split_at_marks() -> None:
    assert split_cells("a\n# %% x\nb\n#%%\n\n# %%\nc") == ["a\n", "\nb\n", "\nc"]


def test_options_are_those_of_run(cloche: Cloche) -> None:
    shown = cloche("repl", "--help").stdout
    assert "--mount" in shown
    assert "--json" not in shown
    assert cloche("repl", "-l", "cobol").returncode == 2


def test_the_editor_is_not_imported_for_help() -> None:
    code = "import sys\nfrom cloche.cli import main\nsys.argv = ['cloche', 'repl', '--help']\n"
    code += "try:\n    main()\nfinally:\n    print([n for n in sys.modules if n.startswith(('prompt_', 'pygments'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=15, check=True)
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize("content", ["%%%", 5, None, {"a": 1}])
def test_an_image_that_cannot_be_read_is_not_saved(tmp_path: Path, content: object) -> None:
    assert ShownImages(tmp_path).save({"image/png": content}) == "not saved: the image cannot be read"
    assert list(tmp_path.iterdir()) == []


def test_one_cell_saves_so_many_images_and_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "cloche-1.svg").symlink_to(tmp_path / "target")
    images = ShownImages(tmp_path)
    notes = [images.save({"image/svg+xml": "<svg/>"}) for _ in range(LIMIT + 1)]
    assert notes[0] == f"saved as {tmp_path}/cloche-2.svg"
    assert notes[-1] == f"not saved: over {LIMIT} images in one cell"
    assert not (tmp_path / "target").exists()
    images.begin()
    assert str(images.save({"image/svg+xml": "<svg/>"})).startswith("saved as")


def test_a_folder_that_is_full_or_gone_is_said(tmp_path: Path) -> None:
    assert ShownImages(tmp_path / "gone").save({"image/svg+xml": ""}) == "not saved: No such file or directory"
