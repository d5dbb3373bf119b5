"""CPython's test_subprocess, of which those count that a Python of this machine passes with its own tests."""

import ast
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from beside.cases import SUITE, Case, Outcome

NAME = "subprocess"
FOLDER = "Lib/test/test_subprocess.py"
RENEWED = True
"""A test that fails may spoil the sandbox for the next, so that gets another."""
FRESH = False
ENV: Mapping[str, str] = {}
TOOLS: Mapping[str, str] = {}
SECONDS = 20.0
CHOSEN = "CLOCHE_PEERS_PYTHON"
"""An environment variable that names the real Python, which must have CPython's tests; else the newest is taken."""
DRIVER = "import unittest; from test import support; support.has_subprocess_support = True; unittest.main(module=None)"
"""Their tests take it from the platform's name that it has no subprocesses."""
VERSIONS = range(20, 10, -1)


FORK = "runs code in a copy of the process before the program starts (preexec_fn)"
GROUPS = "asks the system for sessions and process groups"
THREADS = "starts threads"
LINUX = "asks Linux for the size of pipes, a process' signals or its open files"
INSIDE = "looks into the C module that forks"
NOT_APPLYING: Mapping[str, str] = {
    "test_preexec": FORK,
    "test_preexec_at_exit": FORK,
    "test_preexec_errpipe_does_not_double_close_pipes": FORK,
    "test_preexec_exception": FORK,
    "test_preexec_gc_module_failure": FORK,
    "test_close_fds_after_preexec": FORK,
    "test_surrogates_error_message": FORK,
    "test_process_group_0": GROUPS,
    "test_start_new_session": GROUPS,
    "test_double_close_on_error": THREADS,
    "test_threadsafe_wait": THREADS,
    "test_pipesizes": LINUX,
    "test_pipesize_default": LINUX,
    "test_restore_signals": LINUX,
    "test_failed_child_execute_fd_leak": LINUX,
    "test_stopped": LINUX,
    "test__use_vfork": INSIDE,
    "test_fork_exec_sorted_fd_sanity_check": INSIDE,
}
"""Tests of what a sandbox does not have, each with the reason; they do not count."""


def list_cases(checkout: Path) -> list[Case]:
    """One for each test that applies."""
    tree = ast.parse((checkout / FOLDER).read_text())
    python = find_python()
    names = [name for name in list_tests(tree) if name.partition(".")[2] not in NOT_APPLYING]
    return [_make_case(name, python) for name in names]


def _make_case(name: str, python: str) -> Case:
    run = f"-c {shlex.quote(DRIVER)} test.test_subprocess.{name}"
    ours = f"ln -s {SUITE}/Lib/test test; PYTHONPATH=$PWD python3 {run}"
    return Case(name=name, group=name.partition(".")[0], code=ours, real=f"{python} {run}", seconds=SECONDS)


def list_tests(tree: ast.Module) -> Iterator[str]:
    """The tests of all classes, with those that a class has from another."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        if any(base == "TestCase" for base in _bases(node, classes)):
            yield from (f"{name}.{test}" for test in sorted(_tests(node, classes)))


def _bases(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    for base in node.bases:
        name = base.attr if isinstance(base, ast.Attribute) else ast.unparse(base)
        yield name
        if name in classes:
            yield from _bases(classes[name], classes)


def _tests(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> set[str]:
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test")}
    inherited = [_tests(classes[base], classes) for base in _bases(node, classes) if base in classes]
    return own.union(*inherited)


def find_python() -> str:
    """The real Python."""
    if chosen := os.environ.get(CHOSEN):
        return chosen
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        name = f"python3.{version}"
        built = sorted(pyenv.glob(f"3.{version}.*/bin/{name}"))
        if found := [str(path) for path in built] or [path for path in [shutil.which(name)] if path]:
            return found[-1]
    return "python3"


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """Its name, if the test was run and passed."""
    passed = outcome.status == 0 and "skipped" not in outcome.stderr and "\nOK" in outcome.stderr
    return [case.name] if passed else []
