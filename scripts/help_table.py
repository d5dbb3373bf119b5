"""Writes cli/help_table.py from the commands; --check only says whether it is stale."""

import json
import sys
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from cloche.cli import commands

TABLE = Path(commands.__path__[0]).parent / "help_table.py"
HEAD = '''\
"""What `cloche --help` lists, read without importing a command; `make fmt` writes it, see scripts/help_table.py."""

GROUPS = {
'''


def render_table() -> str:
    """The module with the commands as their files describe them."""
    names = [each.name for each in iter_modules(commands.__path__)]
    modules = sorted((import_module(f"{commands.__name__}.{name}") for name in names), key=_rank)
    groups = groupby(modules, key=_group)
    return f"{HEAD}{''.join(_render_group(group, list(members)) for group, members in groups)}}}\n"


def _rank(command: ModuleType) -> int:
    return command.RANK


def _group(command: ModuleType) -> str:
    return command.GROUP


def _render_group(group: str, members: list[ModuleType]) -> str:
    rows = [f"        {json.dumps(each.__name__.rpartition('.')[2])}: {json.dumps(each.HELP)},\n" for each in members]
    return f"    {json.dumps(group)}: {{\n{''.join(rows)}    }},\n"


def main() -> int:
    """The exit code says whether a check found it stale."""
    wanted = render_table()
    if wanted == TABLE.read_text():
        return 0
    if "--check" in sys.argv:
        print(f"cli/{TABLE.name} is stale: `make fmt` writes it anew", file=sys.stderr)
        return 1
    TABLE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
