"""Follows the recipes of CONTRIBUTING.md in a copy of the tree: what they do not name is not touched."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from cloche.sandbox.cache.assets import assets_dir, cache_dir
from cloche.sandbox.process.engine_paths import find_deno
from tests.sandbox.registries.index_server import Site

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
    "packages": "phrases",
    "packageTools": ["phrase"],
    "features": ["stdin"],
}
RUNTIME = """\
/** Echo: a cell prints its text, and has its length as its value. */

import type { ExecRequest, ExecResult, Outcome, RunRequest } from "../../protocol.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";
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
import { defineTool } from "../tool/define.ts";

const USAGE = { letters: "l", long: { loud: "l" }, synopsis: "[OPTION]... NAME..." };

const greet = defineTool("greet", USAGE, (tool) => {
  const words = `Good day, ${tool.operands.join(" ")}`;
  tool.print(`${tool.given.has("l") ? words.toUpperCase() : words}\\n`);
});

export const commands = [greet];
"""
COMMAND_LINE = '  ["greet", () => import("./layout/greet.ts")],'
TOOL = '''\
"""`count_words`: how many words a file has."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.mcp.arguments import Arguments, PathField
from cloche.mcp.contents import make_answer
from cloche.mcp.tool import Tool, ToolRequest


class CountWords(Arguments):
    path: Annotated[str, PathField]


class WordCount(BaseModel):
    words: Annotated[int, Field(description="Words of the file.")]


async def count_words(request: ToolRequest, given: CountWords) -> CallToolResult:
    """Count the words of a file."""
    async with request.session.box() as box:
        words = len((await box.read(given.path)).split())
    return make_answer(f"{words} words", WordCount(words=words))


TOOL = Tool(
    "count_words", "Count words", "Count the words of a file.", CountWords, WordCount, count_words, rank=12
)
'''
CLI_COMMAND = '''\
"""`cloche greet`: says good day."""

import click

GROUP, RANK = "Run code", 16
HELP = "Say good day."


@click.command()
@click.argument("name")
def greet(name: str) -> None:
    """Say good day to somebody.

    \\b
    cloche greet Ada
    """
    click.echo(f"Good day, {name}")
'''
REGISTRY = '''\
"""A registry of phrases: a package is one text."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from cloche.sandbox.registries.base_address import base_address
from cloche.sandbox.registries.index_cache import IndexCache
from cloche.sandbox.registries.registry import PickedVersion, Registry, WantedPackage
from cloche.sandbox.registries.tool_syntax import ToolSyntax


class Phrases(Registry):
    """A site with a file for each."""

    language = "echo"
    tools = (ToolSyntax("phrase", {"add": "install"}),)

    def parse(self, text: str) -> WantedPackage:
        return WantedPackage(text, "")

    async def resolve(self, roots: Mapping[str, str], here: Mapping[str, str], web: IndexCache) -> list[PickedVersion]:
        base = base_address("CLOCHE_PHRASES_URL", "https://phrases.example/")
        return [PickedVersion(name, "1", name, f"{base}{name}.txt", base, identity=base + name) for name in roots]

    def pack(self, pick: PickedVersion, archive: Path, target: zipfile.ZipFile) -> None:
        target.write(archive, "text")

    def provider(self, module: str) -> str:
        return module


REGISTRY = Phrases
'''
ACTION = '''\
class ClearEnvAction(Struct, frozen=True):
    """Remove all environment variables."""

    kind: ClassVar[str] = "clear_env"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    @property
    def message(self) -> str:
        return "Removing all environment variables"


EnvironmentAction = AddEnvVarsAction | ClearEnvAction
'''
RUNTIME_CLASS = '''\
"""A runtime that answers commands itself and has a sandbox execute the rest."""

from cloche.events import CmdOutputMetadata, CmdOutputObservation, CmdRunAction, Observation, RunnableAction
from cloche.runtime.base import Runtime
from cloche.runtime.pyodide import PyodideRuntime


class LoudRuntime(Runtime):
    """Prints what commands print in capitals."""

    async def attach(self) -> None:
        self._inner = PyodideRuntime(self.config, sid=self.sid)
        await self._inner.connect()

    async def perform(self, action: RunnableAction, *, timeout: float, key: str) -> Observation:
        done = await self._inner.execute(action, timeout=timeout, key=key, on_output=self.tell_output)
        if isinstance(action, CmdRunAction) and action.command.startswith("shout"):
            return CmdOutputObservation(action.command.upper(), action.command, CmdOutputMetadata(exit_code=0))
        return done

    async def interrupt(self) -> bool:
        return await self._inner.interrupt()

    async def detach(self) -> None:
        await self._inner.close()
'''
RUNTIME_TEST = """\
import pytest

from cloche.runtime import get_runtime_cls
from cloche.runtime.contract import RuntimeContract


class TestLoud(RuntimeContract):
    @pytest.fixture
    async def runtime(self):
        async with get_runtime_cls("cloche.runtime.loud.LoudRuntime")() as runtime:
            yield runtime
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory, assets: Path) -> Path:
    """A copy to which each recipe adds its files, with a cache of its own, as its snapshot is another."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    copied = folder / "cache" / assets.relative_to(cache_dir())
    shutil.copytree(assets, copied, copy_function=os.link)
    _add_language(folder / "src/cloche/engine/languages")
    _add_command(folder / "src/cloche/engine/languages/bash/shell/commands")
    (folder / "src/cloche/mcp/tools/count_words.py").write_text(TOOL)
    (folder / "src/cloche/sandbox/registries/phrases").mkdir()
    (folder / "src/cloche/sandbox/registries/phrases/phrases.py").write_text(REGISTRY)
    (folder / "src/cloche/cli/commands/greet.py").write_text(CLI_COMMAND)
    (folder / "src/cloche/runtime/loud.py").write_text(RUNTIME_CLASS)
    (folder / "test_loud.py").write_text(RUNTIME_TEST)
    return folder


def _add_language(languages: Path) -> None:
    (languages / "echo").mkdir()
    (languages / "echo/runtime.ts").write_text(RUNTIME)
    (languages / "echo/cases.json").write_text(json.dumps(CASES))
    catalog = languages / "catalog.json"
    lines = catalog.read_text().splitlines()
    catalog.write_text("\n".join([*lines[:-2], f"{lines[-2]},", f'  "echo": {json.dumps(LINE)}', lines[-1]]) + "\n")


def _add_command(commands: Path) -> None:
    (commands / "layout/greet.ts").write_text(COMMAND)
    index = commands / "index.ts"
    before = "const TEXT: CommandModule[] = ["
    index.write_text(index.read_text().replace(before, f"{before}\n{COMMAND_LINE}"))


def _environment(tree: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "CLOCHE_CACHE": str(tree / "cache"), **more}


def _run(tree: Path, *command: str, code: int = 0, **env: str) -> str:
    variables = _environment(tree, **env)
    done = subprocess.run(
        command, cwd=tree / "src/cloche/engine", env=variables, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout


def _run_cloche(tree: Path, *words: str, **env: str) -> str:
    return _run(tree, sys.executable, "-c", CLOCHE, *words, code=0, **env)


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


def test_a_command_of_bash_is_one_file_and_one_line(tree: Path) -> None:
    names = ("--allow-env", "languages/bash/build/command_list.ts")
    _run_deno(tree, "run", *names, "--check", code=1)
    _run_deno(tree, "run", *names)
    _run_deno(tree, "run", *names, "--check")
    script = "greet all of you; greet -l you | tr A-Z a-z; greet --help; greet -x; which greet"
    assert _run_cloche(tree, "run", "-l", "bash", "-c", script) == (
        "Good day, all of you\ngood day, you\nUsage: greet [OPTION]... NAME...\n/usr/bin/greet\n"
    )


def test_a_cli_command_is_one_file(tree: Path) -> None:
    table = (sys.executable, str(ROOT / "scripts/help_table.py"))
    _run(tree, *table, "--check", code=1)
    _run(tree, *table)
    _run(tree, *table, "--check")
    assert _run_cloche(tree, "greet", "Ada") == "Good day, Ada\n"
    listed = _run_cloche(tree, "--help").splitlines()
    assert [line.split()[0] for line in listed if line.startswith("  languages") or "Say good day." in line] == [
        "languages",
        "greet",
    ]


async def test_an_mcp_tool_is_one_file(tree: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-c", CLOCHE, "mcp"], env=_environment(tree))
    async with Client(server) as client:
        assert (await client.list_tools()).tools[-1].name == "count_words"
        await client.call_tool("write_file", {"path": "a.txt", "content": "one two three"})
        counted = await client.call_tool("count_words", {"path": "a.txt"})
    assert counted.structured_content == {"words": 3}


def test_a_registry_is_one_file(tree: Path) -> None:
    with Site() as site:
        site.put("/hello.txt", b"hello, all\n")
        env = {"CLOCHE_PHRASES_URL": site.address, "NO_PROXY": "127.0.0.1"}
        script = "phrase add hello > log && cat /opt/languages/echo/hello/text"
        assert _run_cloche(tree, "run", "-l", "bash", "-c", script, **env) == "hello, all\n"
        assert _run_cloche(tree, "run", "-l", "echo", "--with", "hello", "-c", "ok", **env) == "ok\n2\n"


def test_pyright_names_the_place_where_a_new_action_is_not_executed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.ts", "engine"))
    family = tmp_path / "src/cloche/events/kinds/environment.py"
    source = family.read_text().replace("EnvironmentAction = AddEnvVarsAction\n", ACTION)
    family.write_text(source.replace('["AddEnvVarsAction"]', '["AddEnvVarsAction", "ClearEnvAction"]'))
    left_out = ["src/cloche/plugins/skills", "src/cloche/adapters"]
    settings = {"include": ["src"], "exclude": left_out, "stubPath": str(ROOT / "typings")}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = (sys.executable, "-m", "pyright", "--pythonpath", sys.executable)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)
    found = re.findall(r"src/cloche/(\S+?):\d+:\d+ - error", done.stdout)
    assert found == ["runtime/mapper.py"], done.stdout
    assert '"ClearEnvAction" is not assignable to type "Never"' in done.stdout.replace("\xa0", " ")


def test_a_runtime_is_one_file(tree: Path) -> None:
    action = tree / "action.json"
    action.write_text(json.dumps({"action": "run", "args": {"command": "shout hello"}}))
    execute = (sys.executable, "-c", CLOCHE, "exec", str(action))
    answer = json.loads(_run(tree, *execute, CLOCHE_CORE__RUNTIME="cloche.runtime.loud.LoudRuntime"))
    assert answer["content"] == "SHOUT HELLO"
    some = "output_and_exit_code or claimed or sent_twice or interrupt or written_read"
    pytest_ = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tree}", "-k", some)
    assert " passed" in _run(tree, *pytest_, str(tree / "test_loud.py"))
