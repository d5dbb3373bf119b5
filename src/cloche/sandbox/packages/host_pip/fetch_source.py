"""What `pip download` does instead, if a source is wanted: it fetches the archive, and neither unpacks nor builds it.

pip itself would build a source to learn what it requires, which must not happen on the host. `run_pip.py` loads this
file by its path, because pip may run in a Python without Cloche.
"""

import hashlib
import importlib
import os
import shutil
from typing import Any

PIECE = 1 << 18


def install_fetch() -> None:
    """Make this what `pip download` does."""
    command: Any = importlib.import_module("pip._internal.commands.download").DownloadCommand
    for name in ("get_default_session", "_build_package_finder"):
        if not callable(getattr(command, name, None)):
            raise SystemExit("ERROR: this version of pip cannot fetch sources: install another one")
    command.run = _run


def _run(self: Any, options: Any, args: list[str]) -> int:
    wanted: Any = importlib.import_module("pip._vendor.packaging.requirements").Requirement(args[0])
    target: Any = importlib.import_module("pip._internal.cli.cmdoptions").make_target_python(options)
    session = self.get_default_session(options)
    finder = self._build_package_finder(options=options, session=session, target_python=target)
    found = finder.find_best_candidate(wanted.name, wanted.specifier).best_candidate
    if found is None:
        raise SystemExit(f"ERROR: No source of {wanted} was found")
    link = found.link
    path = os.path.join(str(options.download_dir), os.path.basename(str(link.filename)))  # noqa: PTH118, PTH119 - cheap
    if link.is_file:
        shutil.copyfile(link.file_path, path)
    else:
        _download(session, link.url_without_fragment, path)
    _check_hash(link, path)
    return 0


def _download(session: Any, address: str, path: str) -> None:
    answer = session.get(address, headers={"Accept-Encoding": "identity"}, stream=True)
    answer.raise_for_status()
    with open(path, "wb") as file:  # noqa: PTH123 - cheap
        for piece in answer.iter_content(PIECE):
            file.write(piece)


def _check_hash(link: Any, path: str) -> None:
    if not link.hash:
        return
    with open(path, "rb") as file:  # noqa: PTH123 - cheap
        got = hashlib.file_digest(file, link.hash_name).hexdigest()
    if got != link.hash:
        failed: Any = importlib.import_module("pip._internal.exceptions").InstallationError
        raise failed(
            "THESE PACKAGES DO NOT MATCH THE HASHES: "
            f"{link.filename} from {link.url_without_fragment}:\n  Expected {link.hash_name} {link.hash}\n  Got {got}"
        )
