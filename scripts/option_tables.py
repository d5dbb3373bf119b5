"""Writes what is made from the declaration of a sandbox's options; --check only says what is stale.

That is their section of the configuration, its part of the template for config.toml, and the tables in docs.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args, get_origin

import click

from cloche.cli import cli
from cloche.options import OPTIONS, Option, find_sentences, read_sentences

ROOT = Path(__file__).parent.parent
CONFIG = ROOT / "src" / "cloche" / "config"
LINKS = {
    "mounts": "[mounts](sdk.md#mounts)",
    "allow_net": "[network](network.md)",
    "packages": "[packages](packages.md)",
    "track": "[what changed](git.md#what-changed)",
    "diff": "[what changed](git.md#what-changed)",
    "from_": "[saving](sdk.md#saving)",
    "runtime": "[a sandbox at a server](remote.md)",
}
"""Pages that say more."""

SECTION_HEAD = '''"""What config.toml has of a sandbox's options. `make fmt` makes this file from cloche/options.py."""

{imports}

class SharedOptions(Struct, frozen=True, kw_only=True):
    """The options that `[sandbox]` shares with Sandbox."""

'''
SECTION_IMPORTS = {
    "Annotated": "from typing import Annotated\n",
    "Literal": "from typing import Literal\n",
    "Meta": "from msgspec import Meta\n",
    "Secret": "from cloche.config.secret import Secret\n",
}
SDK_HEAD = "| option | default | |\n|---|---|---|\n"
CLI_HEAD = "| option | |\n|---|---|\n"
CLI_COMMANDS = ("run", "bash", "repl")
CLI_OTHERS = ("code", "language", "verbose", "debug", "log_file", "help")
"""Options of `run` that its page explains elsewhere."""


def render_section(_: str) -> str:
    """The module with the section, whatever it was."""
    sentences = read_sentences()
    fields = [
        f'    {each.name}: {_write_kind(each)} = {_write_default(each)}\n    """{sentences[each.name]}"""\n'
        for each in OPTIONS.values()
        if each.in_config
    ]
    body = "".join(fields)
    needed = [line for name, line in SECTION_IMPORTS.items() if re.search(rf"\b{name}\b", body)]
    imports = "".join([*needed, "from msgspec import Struct\n"])
    tool = [sys.executable, "-m", "ruff"]
    text = SECTION_HEAD.format(imports=imports) + body
    for action in (["check", "--quiet", "--fix-only", "--select=I"], ["format", "--quiet"]):
        argv = [*tool, *action, f"--stdin-filename={CONFIG / 'shared_options.py'}", "-"]
        text = subprocess.run(argv, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return text


def _write_kind(option: Option) -> str:
    """The type that the option has in a file."""
    kind = option.plain_kind
    if get_origin(kind) is Mapping:
        return "dict[str, str]" if get_args(kind)[1] is str else "dict[str, Secret]"
    if option.holds_many:
        return "tuple[str, ...]"
    written = f"Literal{[*option.choices]!r}" if option.choices else kind.__name__
    bounds = {"ge": option.least, "le": option.most, "gt": option.above}
    if option.wanted:
        given = "".join(f"{name}={value!r}, " for name, value in bounds.items() if value is not None)
        written = f"Annotated[{written}, Meta({given}description={option.wanted!r})]"
    return f"{written} | None" if option.may_be_none else written


def _write_default(option: Option) -> str:
    return "{}" if option.default is None and get_origin(option.plain_kind) is Mapping else repr(option.default)


def render_template(page: str) -> str:
    """The template with `[sandbox]` as its section is."""
    from cloche.config.sections import SandboxConfig  # noqa: PLC0415 - its base may just have been written
    from cloche.config.toml import to_toml  # noqa: PLC0415

    sentences = {
        **read_sentences(),
        **find_sentences((CONFIG / "sections.py").read_text(), SandboxConfig.__name__),
    }
    lines = [
        f"# {_add_form(name, sentences[name])}\n#{name} = {to_toml(getattr(SandboxConfig(), name))}\n"
        for name in SandboxConfig.__struct_fields__
    ]
    return re.sub(r"(?<=^\[sandbox\]\n)(?:#.*\n)*", lambda _: "".join(lines), page, flags=re.MULTILINE)


def _add_form(name: str, sentence: str) -> str:
    """The sentence, and how a text of the list is written, unless it says so."""
    option = OPTIONS.get(name)
    form = option.metavar if option and get_origin(option.plain_kind) is not Mapping else None
    return f"{sentence[:-1]}: {form}." if form and "[" in form and form.partition("[")[0] not in sentence else sentence


def render_sdk(page: str) -> str:
    """The page of the SDK with the table as declared."""
    sentences = read_sentences()
    rows = [
        f"| `{name}` | {_show_default(option)} | {_phrase(sentences[name], name, _note_none(option))} |\n"
        for name, option in OPTIONS.items()
    ]
    return _replace_table(page, SDK_HEAD, rows).replace("](sdk.md#", "](#")


def _show_default(option: Option) -> str:
    return f"`{option.default!r}`".replace("'", '"')


def _note_none(option: Option) -> str:
    return "; `None` for no limit" if option.may_be_none and option.default is not None else ""


def render_cli(page: str) -> str:
    """The page of the command line with the table as the commands have it."""
    root = click.Context(cli, info_name="cloche")
    found = {name: _list_flags(cli.get_command(root, name)) for name in CLI_COMMANDS}
    rows: list[str] = []
    for name, each in found["run"].items():
        if name not in CLI_OTHERS:
            text = _phrase(each.help or "", name, _note_default(name, found))
            rows.append(f"| {_spell(each)} | {_name_commands(name, found)}{text} |\n")
    return _replace_table(page, CLI_HEAD, rows)


def _list_flags(command: click.Command | None) -> dict[str, click.Option]:
    assert command is not None
    return {str(each.name): each for each in command.params if isinstance(each, click.Option)}


def _spell(option: click.Option) -> str:
    value = "" if option.is_flag else f" {option.make_metavar(click.Context(click.Command('run')))}"
    *others, last = [*option.opts, *option.secondary_opts]
    return ", ".join(f"`{word}`" for word in [*others, f"{last}{value}"]).replace("|", r"\|")


def _name_commands(name: str, found: Mapping[str, Mapping[str, click.Option]]) -> str:
    having = [f"`{command}`" for command in CLI_COMMANDS if name in found[command]]
    return "" if len(having) == len(CLI_COMMANDS) else f"{' and '.join(having)} only: "


def _note_default(name: str, found: Mapping[str, Mapping[str, click.Option]]) -> str:
    first, last = (_default_shown(found[command].get(name)) for command in ("run", "repl"))
    if not first:
        return ""
    return f"; default: {first}" + (f", in `repl` {last}" if last and last != first else "")


def _default_shown(option: click.Option | None) -> str:
    if option is None or not option.show_default:
        return ""
    return option.show_default if isinstance(option.show_default, str) else str(option.default)


def _phrase(sentence: str, name: str, note: str) -> str:
    """A sentence as the cell of a table."""
    text = sentence.removesuffix(".")
    link = f"; see {LINKS[name]}" if name in LINKS else ""
    return f"{text[:1].lower()}{text[1:]}{note}{link}".replace("|", r"\|")


def _replace_table(page: str, head: str, rows: list[str]) -> str:
    """The page with other rows below the first such head."""
    return re.sub(re.escape(head) + r"(?:\|.*\n)*", lambda _: head + "".join(rows), page, count=1)


def main() -> int:
    """The exit code says whether a check found something stale."""
    stale: list[str] = []
    renderers: dict[Path, Callable[[str], str]] = {
        CONFIG / "shared_options.py": render_section,
        CONFIG / "config.template.toml": render_template,
        ROOT / "docs" / "sdk.md": render_sdk,
        ROOT / "docs" / "cli.md": render_cli,
    }
    for path, render in renderers.items():
        before = path.read_text()
        after = render(before)
        if after != before and "--check" in sys.argv:
            stale.append(path.name)
        elif after != before:
            path.write_text(after)
    if stale:
        print(f"stale: {', '.join(stale)}. `make fmt` writes the options anew", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
