"""Every place that has the options of a sandbox follows their declaration; one is added to a copy of the tree."""

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

import cloche
from cloche.cli import cli
from cloche.config import AppConfig, SandboxConfig, load_config
from cloche.errors import ConfigError
from cloche.options import OPTIONS, Option, find_sentences, read_sentences
from cloche.runtime.sandbox_machine import read_options
from cloche.sandbox.options import complete_options

ROOT = Path(__file__).parent.parent
TAKERS = [
    *(cloche.Sandbox, cloche.SyncSandbox, cloche.Pool, cloche.SyncPool, cloche.Template, cloche.run),
    *(cloche.Pool.sandbox, cloche.SyncPool.sandbox),
]
DEMO = '''    demo: Annotated[int, Option(3, ("--demo",), "N", in_config=True, least=1, most=9, wanted="1 to 9")]
    """How often to try."""
'''
WRITTEN = {"config/shared_options.py", "config/config.template.toml", "sdk.md", "cli.md"}
"""What `make fmt` writes for it."""


def flags(command: str) -> dict[str, click.Option]:
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    return {str(each.name): each for each in found.params if isinstance(each, click.Option)}


@pytest.mark.parametrize("taker", TAKERS, ids=lambda taker: taker.__qualname__)
def test_python_takes_every_option_with_its_default(taker: Any) -> None:
    taken = inspect.signature(taker).parameters
    assert {name: taken[name].default for name in OPTIONS} == {name: each.default for name, each in OPTIONS.items()}


@pytest.mark.parametrize("command", ["run", "bash", "repl", "mcp"])
def test_the_command_line_has_the_options_that_have_flags(command: str) -> None:
    found = flags(command)
    for name, option in OPTIONS.items():
        assert (name in found) == bool(option.flags), name
        if option.flags:
            assert found[name].opts == [*option.flags]
            assert found[name].metavar == option.metavar
            assert (found[name].help or "").startswith(read_sentences()[name].removesuffix("."))


def test_the_configuration_has_the_options_it_is_to_have() -> None:
    has = {field.name: field for field in msgspec.structs.fields(SandboxConfig)}
    for name, option in OPTIONS.items():
        assert (name in has) == (option.in_config or name == "timeout"), name
        # What the command line has, `cloche mcp` passes on with the configuration.
        assert name in has or not option.flags or name == "workspace", name
        if option.in_config and not option.holds_many:
            assert has[name].default == option.default


def test_the_sandbox_of_a_session_gets_what_the_configuration_has() -> None:
    plain = {name for name, each in OPTIONS.items() if each.in_config and not each.holds_many}
    other = SandboxConfig(memory_mb=99, output_limit=77, auto_install=True, confinement="none")
    given: Any = read_options(AppConfig(sandbox=other))
    assert {name: given[name] for name in plain} == {name: getattr(other, name) for name in plain}
    assert given.keys() | {"env"} >= {name for name, each in OPTIONS.items() if each.in_config}
    defaults = {name: OPTIONS[name].default for name in plain}
    assert all(getattr(other, name) != default for name, default in defaults.items()), "give each another value above"


def wrong_values(option: Option) -> list[Any]:
    found: list[Any] = [] if option.least is None else [option.least - 1, float("nan"), "many"]
    found += [] if option.most is None else [option.most + 1]
    found += [] if option.above is None else [option.above, float("nan")]
    return [*found, *(["else"] if option.choices else [])]


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if wrong_values(option)])
def test_limits_hold_everywhere(name: str, tmp_path: Path) -> None:
    option, file = OPTIONS[name], tmp_path / "config.toml"
    complete_options({name: option.default})  # pyright: ignore[reportArgumentType] - any option
    for value in wrong_values(option):
        with pytest.raises(ConfigError, match=f"^{name}={re.escape(repr(value))} is "):
            cloche.Sandbox(**{name: value})
        if option.in_config and value == value:
            file.write_text(f"[sandbox]\n{name} = {value!r}\n")
            with pytest.raises(ConfigError, match=f"{name}: found .*, expected "):
                load_config(file, {})
        if option.flags and isinstance(value, int) and not option.may_be_none:
            with pytest.raises(click.BadParameter):
                flags("run")[name].type.convert(str(value), None, None)


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(TypeError, match=r"no option 'memory'\. Did you mean 'memory_mb'"):
        cloche.Sandbox(memory=3)  # pyright: ignore[reportCallIssue] - wrong on purpose


def test_every_option_has_a_sentence_that_editors_show() -> None:
    sentences = read_sentences()
    assert sentences.keys() == OPTIONS.keys()
    assert all(re.fullmatch(r"[A-Z].*\.", sentence) for sentence in sentences.values())
    assert find_sentences("class A:\n    x: int\n    y: int\n    '''Why.'''\n", "A") == {"y": "Why."}


def test_options_that_a_spare_can_take_are_named_where_pools_are_explained() -> None:
    late = {name for name, option in OPTIONS.items() if option.late}
    page = (ROOT / "docs" / "pool.md").read_text()
    for text in (cloche.Pool.sandbox.__doc__, cloche.SyncPool.sandbox.__doc__, page):
        sentences = [each for each in re.split(r"\.\s", text or "") if "set on a spare" in each]
        assert [set(re.findall(r"`(\w+)`", each)) for each in sentences] == [late]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with one more option, declared and nothing else."""
    root = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "*.ts")
    shutil.copytree(ROOT / "src", root / "src", ignore=ignored)
    for name in ("scripts/option_tables.py", "docs/sdk.md", "docs/cli.md", "pyproject.toml"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    path = root / "src" / "cloche" / "options.py"
    source = path.read_text()
    path.write_text(source.replace("    # In config.toml, `timeout`", f"{DEMO}    # In config.toml, `timeout`"))
    assert path.read_text() != source
    return root


def python(tree: Path, *args: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(tree / "src"), "CLOCHE_SANDBOX__DEMO": ""}
    done = subprocess.run(
        [sys.executable, *args], cwd=tree, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_an_option_is_added_by_its_declaration(tree: Path) -> None:
    assert python(tree, "scripts/option_tables.py", "--check").startswith("stale: shared_options.py, sdk.md, cli.md. ")
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert python(tree, "scripts/option_tables.py") == ""
    assert python(tree, "scripts/option_tables.py", "--check") == ""
    changed = [path for path, text in before.items() if path.read_bytes() != text]
    assert {name for name in WRITTEN for path in changed if str(path).endswith(name)} == WRITTEN
    assert len(changed) == len(WRITTEN)
    main = "import sys; from cloche.cli import main; sys.argv = ['cloche', *sys.argv[1:]]; main()"
    for command in ("run", "bash", "repl", "mcp"):
        assert "--demo N" in python(tree, "-c", main, command, "--help")
    assert "1<=x<=9" in python(tree, "-c", main, "run", "--demo", "10", "-c", "1")
    assert "demo = 3  # default" in python(tree, "-c", main, "config", "--config", "/dev/null")
    assert "# How often to try.\n#demo = 3\n" in python(tree, "-c", main, "config", "--template")
    for taker in ("Sandbox", "SyncSandbox", "Pool", "SyncPool"):
        said = python(tree, "-c", f"import cloche; cloche.{taker}(demo=10)")
        assert said.endswith("demo=10 is not possible: give 1 to 9\n")
    code = "from cloche.config import *; from cloche.runtime.sandbox_machine import read_options as r\n"
    assert python(tree, "-c", f"{code}print(r(AppConfig(sandbox=SandboxConfig(demo=5)))['demo'])") == "5\n"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_pyright_knows_the_options(tree: Path) -> None:
    (tree / "sample.py").write_text(
        "import cloche\n"
        "from cloche.config import SandboxConfig\n"
        'cloche.Sandbox(demo="x")\n'
        "cloche.SyncSandbox(demo=1, memory_mb=64)\n"
        'cloche.Pool(2, demo="x")\n'
        'cloche.run("1", demos=1)\n'
        "reveal_type(SandboxConfig().memory_mb)\n"
    )
    (tree / "pyrightconfig.json").write_text('{"include": ["sample.py"], "extraPaths": ["src"]}')
    said = python(tree, "-m", "pyright", "--pythonpath", sys.executable)
    assert [int(line) for line in re.findall(r"sample\.py:(\d+):\d+ - error", said)] == [3, 5, 6], said
    assert 'Type of "SandboxConfig().memory_mb" is "int"' in said
