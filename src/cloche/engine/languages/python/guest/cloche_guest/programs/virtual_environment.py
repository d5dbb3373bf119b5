"""`python3 -m venv`: folders that look like virtual environments, over the sandbox's own packages."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

HOME = "/usr/bin"
PYTHONS = ("python", "python3")
INSTALLERS = ("pip", "pip3")
LAUNCHER = "__PYVENV_LAUNCHER__"
"""The variable in which the `python` of an environment says where it is."""
PACKAGES = "/opt/packages"
MARK = "# Written by pip."

ACTIVATE = """\
# This file must be used with "source bin/activate" from bash.
deactivate () {
    if [ -n "${_OLD_VIRTUAL_PATH:-}" ]; then PATH="$_OLD_VIRTUAL_PATH"; export PATH; unset _OLD_VIRTUAL_PATH; fi
    if [ -n "${_OLD_VIRTUAL_PS1:-}" ]; then PS1="$_OLD_VIRTUAL_PS1"; export PS1; unset _OLD_VIRTUAL_PS1; fi
    hash -r 2> /dev/null
    unset VIRTUAL_ENV VIRTUAL_ENV_PROMPT
    if [ ! "${1:-}" = nondestructive ]; then unset -f deactivate; fi
}
deactivate nondestructive
VIRTUAL_ENV=@ROOT@
export VIRTUAL_ENV
VIRTUAL_ENV_PROMPT=@PROMPT@
export VIRTUAL_ENV_PROMPT
_OLD_VIRTUAL_PATH="$PATH"
PATH="$VIRTUAL_ENV/bin:$PATH"
export PATH
if [ -z "${VIRTUAL_ENV_DISABLE_PROMPT:-}" ]; then
    _OLD_VIRTUAL_PS1="${PS1:-}"
    PS1="($VIRTUAL_ENV_PROMPT) ${PS1:-}"
    export PS1
fi
hash -r 2> /dev/null
"""


def run_venv(args: Sequence[str]) -> int:
    """Make the folders that a command line names, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="venv", description="Creates virtual environments over the sandbox's packages."
    )
    parser.add_argument("dirs", metavar="ENV_DIR", nargs="+")
    for option in ("--system-site-packages", "--symlinks", "--copies", "--clear", "--upgrade", "--without-pip"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--upgrade-deps", action="store_true")
    parser.add_argument("--without-scm-ignore-files", action="store_true")
    parser.add_argument("--prompt")
    options = parser.parse_args(list(args))
    for name in options.dirs:
        root = Path(os.path.abspath(name))  # noqa: PTH100 - links in it stay as they were named
        if root.exists() and not root.is_dir():
            print(f"Error: Unable to create directory {str(root)!r}", file=sys.stderr)
            return 1
        if options.clear:
            _empty_folder(root)
        make_environment(root, prompt=options.prompt, with_pip=not options.without_pip)
    return 0


def make_environment(root: Path, *, prompt: str | None = None, with_pip: bool = True) -> None:
    """Write the files of a virtual environment."""
    version = ".".join(map(str, sys.version_info[:3]))
    library(root).mkdir(parents=True, exist_ok=True)
    (root / "bin").mkdir(exist_ok=True)
    (root / "include").mkdir(exist_ok=True)
    lines = [f"home = {HOME}", "include-system-site-packages = true", f"version = {version}"]
    lines += [f"prompt = {prompt!r}"] if prompt else []
    lines += [f"executable = {HOME}/python3", f"command = {HOME}/python3 -m venv {root}"]
    (root / "pyvenv.cfg").write_text("\n".join(lines) + "\n", "utf-8")
    (root / ".gitignore").write_text("# Created by venv\n*\n", "utf-8")
    script = ACTIVATE.replace("@ROOT@", _quote(str(root))).replace("@PROMPT@", _quote(prompt or root.name))
    (root / "bin" / "activate").write_text(script, "utf-8")
    for name in (*PYTHONS, f"python3.{sys.version_info[1]}"):
        path = root / "bin" / name
        _write_script(path, f'#!/bin/bash\nexport {LAUNCHER}={_quote(str(path))}\nexec {HOME}/python3 "$@"\n')
    for name in INSTALLERS if with_pip else ():
        _write_script(root / "bin" / name, f'#!/bin/bash\nexec {_quote(str(root))}/bin/python -m pip "$@"\n')


def library(root: Path) -> Path:
    """The folder for modules of a virtual environment."""
    return root / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"


def enter_environment() -> str | None:
    """Become the interpreter of a virtual environment, if its `python` was called; return its folder for modules."""
    name = os.environ.pop(LAUNCHER, "")
    root = Path(name).parent.parent
    if not name.startswith("/") or not (root / "pyvenv.cfg").is_file():
        return None
    sys.prefix = sys.exec_prefix = str(root)
    sys.executable = name
    return str(library(root))


def write_scripts() -> None:
    """Make the scripts of this environment those of the packages that are installed now."""
    folder = Path(sys.prefix, "bin")
    found: dict[str, str] = {}
    for package in importlib.metadata.distributions(path=[PACKAGES]):
        for entry in package.entry_points.select(group="console_scripts"):
            module, _, attribute = entry.value.partition("[")[0].partition(":")
            found[entry.name] = _script(module.strip(), attribute.strip())
    for path in folder.iterdir():
        if path.name not in found and MARK in path.read_text("utf-8", "replace"):
            path.unlink()
    for name, text in found.items():
        path = folder / name
        if not path.exists() or MARK in path.read_text("utf-8", "replace"):
            _write_script(path, text)


def _script(module: str, attribute: str) -> str:
    first = attribute.partition(".")[0]
    lines = [f"#!{sys.prefix}/bin/python", MARK, "import sys", f"from {module} import {first}"]
    return "\n".join([*lines, 'if __name__ == "__main__":', f"    sys.exit({attribute}())"]) + "\n"


def _empty_folder(root: Path) -> None:
    for each in root.iterdir() if root.is_dir() else ():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()


def _write_script(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
