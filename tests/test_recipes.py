"""How a language and a command of bash are added, gone through in a copy of the tree: nothing else is touched."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cloche.sandbox.cache.assets import assets_dir, cache_dir
from cloche.sandbox.process.engine_paths import find_deno

ROOT = Path(__file__).parent.parent
FLAGS = "--no-check --no-prompt --no-config --no-lock --no-remote --cached-only --node-modules-dir=manual"
CLOCHE = "import sys; from cloche.cli import main; sys.exit(main())"

LINE = {
    "title": "Echo",
    "version": "1",
    "engine": "none",
    "pack": False,
    "size": 1000,
    "memory": 64,
    "interrupt": "soft",
    "modules": [],
    "extensions": ["echo"],
    "commands": ["echolang"],
    "packages": None,
    "features": ["stdin"],
}
RUNTIME = """\
/** Echo: a cell prints its text, and has its length as its value. */

import type { ExecRequest, ExecResult, Outcome, RunRequest } from "../../protocol.ts";
import { ProgramOutput } from "../../worker/program_output.ts";
import { LanguageRuntime } from "../language.ts";

export default class EchoRuntime extends LanguageRuntime {
  load(): Promise<void> {
    return Promise.resolve();
  }

  run(id: number, { code }: RunRequest): Promise<Outcome> {
    const { outputBuffer } = this.worker;
    outputBuffer.open(id);
    outputBuffer.write("stdout", new TextEncoder().encode(`${code}\\n`));
    outputBuffer.flush();
    return Promise.resolve({ value: String(code.length), error: null, exitCode: 0 });
  }

  exec(id: number, request: ExecRequest): Promise<ExecResult> {
    this.worker.outputBuffer.open(id);
    const output = new ProgramOutput(this.worker, request);
    output.write("stdout", new TextEncoder().encode(`${(request.argv ?? []).slice(1).join(" ")}\\n`));
    return Promise.resolve(output.result(0));
  }

  setEnv(): void {}

  override memory(): number {
    return 0;
  }
}
"""
CASES = [
    {"name": "a value", "code": "hello", "stdout": "hello\n", "value": "5", "exit": 0},
    {"name": "several cells", "cells": ["a", "bcd"], "stdout": "a\nbcd\n", "value": "3"},
]
COMMAND = """\
/** greet: says good day. */
import { defineCommand, textResult } from "./command.ts";

const greet = defineCommand("greet", (args) => textResult(`Good day, ${args.join(" ")}\\n`));

export const commands = [greet];
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory, assets: Path) -> Path:
    """A copy with a language and a command more, and a cache of its own, as its snapshot is another."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    copied = folder / "cache" / assets.relative_to(cache_dir())
    shutil.copytree(assets, copied, copy_function=os.link)
    _add_language(folder / "src/cloche/engine/languages")
    (folder / "src/cloche/engine/languages/bash/commands/greet.ts").write_text(COMMAND)
    return folder


def _add_language(languages: Path) -> None:
    (languages / "echo").mkdir()
    (languages / "echo/runtime.ts").write_text(RUNTIME)
    (languages / "echo/cases.json").write_text(json.dumps(CASES))
    catalog = languages / "catalog.json"
    lines = catalog.read_text().splitlines()
    catalog.write_text("\n".join([*lines[:-2], f"{lines[-2]},", f'  "echo": {json.dumps(LINE)}', lines[-1]]) + "\n")


def _run(tree: Path, *command: str, code: int = 0, **env: str) -> str:
    variables = {**os.environ, "PYTHONPATH": str(tree / "src"), "CLOCHE_CACHE": str(tree / "cache"), **env}
    done = subprocess.run(
        command, cwd=tree / "src/cloche/engine", env=variables, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout


def _run_cloche(tree: Path, *words: str) -> str:
    return _run(tree, sys.executable, "-c", CLOCHE, *words)


def _run_deno(tree: Path, verb: str, *words: str, code: int = 0, **env: str) -> str:
    flags = [*FLAGS.split(), f"--import-map={assets_dir() / 'import_map.json'}", "--allow-read", "--allow-write"]
    return _run(tree, find_deno(), verb, *flags, *words, code=code, **env)


def test_a_language_is_its_folder_and_one_line(tree: Path) -> None:
    assert _run_cloche(tree, "run", "--language", "echo", "-c", "hello") == "hello\n5\n"
    assert _run_cloche(tree, "run", "-l", "bash", "-c", "echolang a b | tr a-z A-Z") == "A B\n"
    listed = json.loads(_run_cloche(tree, "languages", "--json"))
    assert [(each["name"], each["fetched"]) for each in listed][-1] == ("echo", True)
    places = _run(tree, sys.executable, str(ROOT / "scripts/engine_test_paths.py"))
    more = ("--unstable-worker-options", "--allow-net", "--allow-env=CLOCHE_ASSETS,CLOCHE_PLACES")
    only = ("--filter=cases of echo", "testing/cases_test.ts")
    tested = _run_deno(tree, "test", *more, *only, CLOCHE_PLACES=places, CLOCHE_ASSETS=str(assets_dir()))
    assert "(2 steps)" in tested


def test_a_command_of_bash_is_one_file(tree: Path) -> None:
    index = ("--allow-env", "languages/bash/build/command_index.ts")
    _run_deno(tree, "run", *index, "--check", code=1)
    _run_deno(tree, "run", *index)
    _run_deno(tree, "run", *index, "--check")
    assert _run_cloche(tree, "run", "-l", "bash", "-c", "greet all of you") == "Good day, all of you\n"
