"""The parts of the guest that need no Pyodide: the command line of python3, and errors as the caller sees them."""

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import cloche
from cloche.limits import LEFT_OUT

_GUEST = Path(cloche.__file__).parent / "engine" / "languages" / "python" / "guest" / "cloche_guest"


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"guest_{Path(name).name}", _GUEST / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


arguments = _load("programs/arguments")
errors = _load("cells/errors")
virtual_environment = _load("programs/virtual_environment")
build_project = _load("packages/build_project")
build_hooks = _load("packages/build_hooks")


def _raised_by(source: str) -> BaseException:
    try:
        exec(compile(source, "Cell In[1]", "exec"), {})
    except BaseException as error:  # noqa: BLE001 - any error is what the test asks for
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("words", "kind", "target", "args"),
    [
        (["-c", "print(1)", "a", "-b"], "code", "-c", ["a", "-b"]),
        (["-uBc", "print(1)"], "code", "-c", []),
        (["-mjson.tool", "x"], "module", "-m", ["x"]),
        (["-W", "error", "-X", "dev", "x.py", "-c"], "file", "x.py", ["-c"]),
        (["-", "q"], "stdin", "-", ["q"]),
        ([], "stdin", "", []),
    ],
)
def test_a_command_line_says_what_to_run(words: list[str], kind: str, target: str, args: list[str]) -> None:
    plan = arguments.parse_arguments(words)
    assert (plan.kind, plan.target, plan.args, plan.message) == (kind, target, args, None)


@pytest.mark.parametrize("words", [["-z"], ["--nope"], ["-c"], ["-m"]])
def test_a_wrong_command_line_exits_with_two(words: list[str]) -> None:
    plan = arguments.parse_arguments(words)
    assert plan.exit == 2
    assert "usage: python3" in plan.message


def test_the_line_of_an_error_is_the_innermost_one_of_the_cell() -> None:
    details = errors.describe(_raised_by("import json\ndef f():\n    json.loads('{')\nf()\n"))
    assert (details["type"], details["line"]) == ("JSONDecodeError", 3)


def test_a_syntax_error_has_its_own_line_and_column() -> None:
    details = errors.describe(_raised_by("x = 1\nx = = 2\n"))
    assert (details["line"], details["column"]) == (2, 5)
    assert "Traceback" not in details["traceback"]


def test_an_error_that_cannot_be_printed_is_still_described() -> None:
    source = "class E(Exception):\n    def __str__(self): raise SystemExit(9)\nraise E\n"
    details = errors.describe(_raised_by(source))
    assert (details["type"], details["message"]) == ("E", "<exception str() failed>")


def test_a_long_message_is_clipped() -> None:
    details = errors.describe(_raised_by("raise ValueError('x' * 10**6)"))
    assert len(details["message"]) < 30_000
    # As the host notes it: secrets are looked for beside it.
    assert errors.clip("x" * 50, 10) == f"xxxxx{LEFT_OUT.format(40)}xxxxx"


@pytest.mark.parametrize(("code", "status"), [(None, 0), (3, 3), (-1, 255), (256, 0), ("bye", 1)])
def test_an_exit_has_the_status_of_a_process(code: object, status: int) -> None:
    assert errors.exit_status(SystemExit(code))[0] == status


def test_a_virtual_environment_is_a_folder_with_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "env"
    virtual_environment.make_environment(root, prompt="mine")
    assert "include-system-site-packages = true\n" in (root / "pyvenv.cfg").read_text()
    for name in ("python", "python3", "pip", "pip3"):
        assert (root / "bin" / name).stat().st_mode & 0o111
    script = (root / "bin" / "activate").read_text()
    assert f"VIRTUAL_ENV='{root}'\n" in script
    assert "VIRTUAL_ENV_PROMPT='mine'\n" in script
    for name in ("prefix", "exec_prefix", "executable"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    monkeypatch.setenv(virtual_environment.LAUNCHER, str(tmp_path / "none" / "bin" / "python"))
    assert virtual_environment.enter_environment() is None
    monkeypatch.setenv(virtual_environment.LAUNCHER, f"{root}/bin/python3")
    assert virtual_environment.enter_environment() == str(virtual_environment.library(root))
    assert (sys.prefix, sys.executable) == (str(root), f"{root}/bin/python3")
    assert virtual_environment.LAUNCHER not in os.environ


BACKEND = """\
def build_wheel(target, settings=None, metadata=None):
    return f"q-1-{target}.whl"

class own:
    class hooks:
        def build_sdist(target, settings):
            raise ValueError("no sources")
"""


@pytest.mark.parametrize(
    ("backend", "hook", "answer"),
    [
        ("tiny_backend", "build_wheel", {"value": "q-1-there.whl"}),
        ("tiny_backend", "build_editable", {"value": None}),
        ("tiny_backend:own.hooks", "build_sdist", {"error": "ValueError: no sources"}),
        ("no_such_backend", "build_wheel", {"error": "ModuleNotFoundError: No module named 'no_such_backend'"}),
    ],
)
def test_a_hook_of_a_backend_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str, hook: str, answer: dict[str, object]
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.delitem(sys.modules, "tiny_backend", raising=False)
    (tmp_path / "tiny_backend.py").write_text(BACKEND)
    request: dict[str, object] = {"backend": backend, "paths": [str(tmp_path)], "hook": hook, "args": ["there", {}]}
    (tmp_path / "request").write_text(json.dumps(request))
    assert build_hooks.call_hook(str(tmp_path / "request"), str(tmp_path / "answer")) == 0
    assert json.loads((tmp_path / "answer").read_text()) == answer


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        ('requires = ["maturin>=1"]\nbuild-backend = "maturin"', "the compiler for Rust"),
        ('requires = ["meson-python"]\nbuild-backend = "mesonpy"', "a compiler for C and Meson"),
        ('requires = ["setuptools", "setuptools-rust>=1"]', "the compiler for Rust"),
        ('requires = []\nbackend-path = [".."]', "leads out of the project"),
        ("requires = [", "cannot be read"),
    ],
)
def test_a_project_that_cannot_be_built_says_why(tmp_path: Path, system: str, reason: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[build-system]\n{system}\n")
    tools = build_project.BuildTools(bool, print)
    with pytest.raises(build_project.BuildFailed, match=reason):
        build_project.open_backend(tmp_path, tools)
    with pytest.raises(build_project.BuildFailed, match="it is no Python project"):
        build_project.open_backend(tmp_path / "none", tools)
