"""The folders in which cases run."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from beside.cases import FOLDER, TOOLS, Case


def write_tools(work: Path, tools: Mapping[str, str]) -> None:
    """Write the programs of a suite."""
    folder = work / Path(TOOLS).name
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in tools.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def make_folder(work: Path, case: Case) -> Path:
    """Make the folder of a case, with the files that it needs."""
    folder = work / Path(FOLDER).name
    if case.files is None:
        folder.mkdir(parents=True)
    else:
        shutil.copytree(case.files, folder, symlinks=True)
    for name in case.folders:
        (folder / name).mkdir()
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder, also one whose parts a case has made unreadable."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)


def read_output(folder: Path, case: Case, stdout: str) -> str:
    """What the case has printed."""
    if not case.output:
        return stdout
    path = folder / case.output
    return path.read_bytes().decode(errors="replace") if path.is_file() else ""
