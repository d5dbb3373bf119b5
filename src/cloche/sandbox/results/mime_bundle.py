"""A result as a notebook shows it. Output of the code is not trusted: all HTML is generated here."""

import re
from html import escape
from typing import TYPE_CHECKING

from cloche.sandbox.results.html_tables import Table

if TYPE_CHECKING:
    from cloche.sandbox.results.result import Result

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def as_bundle(result: "Result") -> dict[str, str]:
    """Text, and the same as HTML with images and tables; scripts of the code get into neither."""
    ends = [result.error.traceback or f"{result.error.type}: {result.error.message}"] if result.error else []
    value = [result.value] if result.value is not None else []
    output = "".join(text for _, text in result.output)
    rich = [*(_format_picture(display.data) for display in result.displays), *map(_format_table, result.tables)]
    rich = [part for part in rich if part]
    plain = "\n".join(part.rstrip("\n") for part in (output, *value, *ends) if part)
    if not rich:
        return {"text/plain": plain}
    # The text of an image or a table says less than the HTML.
    parts = [_format_text(output), *rich, *map(_format_text, ends)]
    return {"text/plain": plain, "text/html": "\n".join(part for part in parts if part)}


def _format_picture(data: dict[str, object]) -> str:
    for kind in _PICTURES:
        given = data.get(kind)
        code = "".join(given.split()) if isinstance(given, str) else ""
        if _BASE64.fullmatch(code):
            return f'<img src="data:{kind};base64,{code}">'
    return ""


def _format_table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    known = "" if table.total_rows is None else f": {len(table.rows)} of {table.total_rows} rows"
    note = f"<p>a part of the table{known}</p>" if table.cut else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _format_text(text: str) -> str:
    return f"<pre>{escape(text)}</pre>" if text else ""
