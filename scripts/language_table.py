"""Writes the table of languages in docs/languages.md from the catalogue; --check only says whether it is stale."""

import re
import sys
from pathlib import Path

from cloche.sandbox.languages import Language, languages

PAGE = Path(__file__).parent.parent / "docs" / "languages.md"
HEAD = "| language | version | in bash | packages |\n|---|---|---|---|\n"
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*")


def render_table(page: str) -> str:
    """The page with the table as the catalogue has it; what has a section of its own is linked to it."""
    sections = re.findall(r"^## (.*)$", page, re.MULTILINE)
    rows = "".join(_render_row(each, each.title in sections) for each in languages().values())
    return _TABLE.sub(lambda _: HEAD + rows, page)


def _render_row(each: Language, linked: bool) -> str:
    title = f"[{each.title}](#{each.title.lower()})" if linked else each.title
    commands = ", ".join(f"`{name}`" for name in each.commands)
    cells = (title, each.version, commands, f"`{each.packages}`" if each.packages else "")
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|\n"


def main() -> int:
    """The exit code says whether a check found it stale."""
    page = PAGE.read_text()
    wanted = render_table(page)
    if wanted == page:
        return 0
    if "--check" in sys.argv:
        print(f"the table in {PAGE.name} is stale: `make fmt` writes it anew", file=sys.stderr)
        return 1
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
