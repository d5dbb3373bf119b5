"""Hooks of the documentation site: the CLI reference, files that pages show, links out of it, and llms.txt."""

import posixpath
import re
from pathlib import Path
from typing import Any

import click

from cloche.cli import cli

ROOT = Path(__file__).parent.parent
MARK = "<!-- commands -->"
SHOWN = re.compile(r"^<!-- file: (\S+) -->$", re.MULTILINE)
OUTSIDE = re.compile(r"\]\((\.\./[^)#]+)(#[^)]*)?\)")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Fill in what is generated, and take links away that lead out of the site."""
    folder = posixpath.dirname(page.file.src_uri)
    return OUTSIDE.sub(lambda match: link(match, folder), fill(markdown))


def fill(markdown: str) -> str:
    """A page with the help of each command, and the files it shows."""
    if MARK in markdown:
        markdown = markdown.replace(MARK, "\n\n".join(commands()))
    return SHOWN.sub(lambda match: show(match[1]), markdown)


def show(name: str) -> str:
    """A file of the repository as a block of code."""
    path = ROOT / name
    return f"```{path.suffix[1:]}\n{path.read_text()}```"


def link(match: re.Match[str], folder: str) -> str:
    """A link inside docs/ as it is; one to a file beside it becomes its name."""
    path = posixpath.normpath(posixpath.join("docs", folder, match[1]))
    return match[0] if path.startswith("docs/") else f"](#){{ title='{path} in the repository' }}"


def on_post_build(config: Any, **_: object) -> None:
    """Write what a language model reads: an index of the pages, and all of them in one file."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    texts = {page.relative_to(ROOT / "docs").as_posix(): page.read_text() for page in pages}
    index = [f"- [{title(text)}]({name.removesuffix('.md')}.html)" for name, text in texts.items()]
    site = Path(config["site_dir"])
    (site / "llms.txt").write_text(f"# Cloche\n\n> {config['site_description']}\n\n" + "\n".join(index) + "\n")
    (site / "llms-full.txt").write_text("\n\n".join(map(fill, texts.values())))


def title(text: str) -> str:
    """The first heading of a page."""
    found = TITLE.search(text)
    return found[1] if found else "Cloche"


def commands() -> list[str]:
    """A section for the program and for each of its commands."""
    root = click.Context(cli, info_name="cloche", max_content_width=100)
    parts = [section("cloche", cli, root)]
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        if command is not None:
            parts += walk(f"cloche {name}", command, root)
    return parts


def walk(name: str, command: click.Command, parent: click.Context) -> list[str]:
    """A command and the commands below it."""
    context = click.Context(command, info_name=name.split()[-1], parent=parent, max_content_width=100)
    parts = [section(name, command, context)]
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            child = command.get_command(context, each)
            if child is not None:
                parts += walk(f"{name} {each}", child, context)
    return parts


def section(name: str, command: click.Command, context: click.Context) -> str:
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```"
