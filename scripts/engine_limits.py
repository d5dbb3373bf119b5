"""Writes the engine's limits.ts from limits.py; --check only says whether it is stale."""

import ast
import itertools
import sys
from collections.abc import Iterable
from pathlib import Path

from cloche import limits

TARGET = Path(limits.__file__).parent / "engine" / "limits.ts"
HEAD = "/** Limits of limits.py that the engine needs; `make fmt` writes this file, see scripts/engine_limits.py. */\n"
RUN = "/** What the engine enforces while it runs; the host sends them in `config.limits`. */\n"
DEFAULTS = "/** The same for an engine without a host: in a page, in a test, while something is built. */\n"
FIXED = "/** What is built into programs that run inside, and the defaults of an engine without a host. */\n"


def render_limits() -> str:
    """The file as limits.py has it, with its sentences."""
    notes = _read_notes(Path(limits.__file__).read_text())
    types = "".join(f"  /** {notes[name]} */\n  {limits.engine_name(name)}: number;\n" for name in limits.RUN_LIMITS)
    fixed = "".join(f"  /** {notes[name]} */\n  {_assign(name)}" for name in limits.FIXED_LIMITS)
    return (
        f"{HEAD}\n{RUN}export interface RunLimits {{\n{types}}}\n\n"
        f"{DEFAULTS}export const RUN_LIMITS: RunLimits = {{\n{_assign_all(limits.RUN_LIMITS)}}};\n\n"
        f"{FIXED}export const FIXED_LIMITS = {{\n{fixed}}};\n"
    )


def _assign_all(names: Iterable[str]) -> str:
    return "".join(f"  {_assign(name)}" for name in names)


def _assign(name: str) -> str:
    value = getattr(limits, name)
    return (
        f"{limits.engine_name(name)}: {value:_},\n"
        if isinstance(value, int)
        else f"{limits.engine_name(name)}: {value:g},\n"
    )


def _read_notes(source: str) -> dict[str, str]:
    """The sentence below each limit."""
    body = ast.parse(source).body
    return {
        each.targets[0].id: after.value.value
        for each, after in itertools.pairwise(body)
        if isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }


def main() -> int:
    """The exit code says whether a check found it stale."""
    wanted = render_limits()
    if TARGET.is_file() and TARGET.read_text() == wanted:
        return 0
    if "--check" in sys.argv:
        print(f"{TARGET.name} is stale: `make fmt` writes it anew", file=sys.stderr)
        return 1
    TARGET.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
