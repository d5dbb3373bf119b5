"""The path that a request asks for, in its query."""

from typing import Annotated

from fastapi import Depends, Query

from cloche.server.files.paths import LONGEST, PLAIN, find_path


def _read_path(
    path: Annotated[
        str, Query(max_length=LONGEST, pattern=PLAIN, description="relative to the workspace; empty for itself")
    ] = "",
) -> str:
    return find_path(path)


Place = Annotated[str, Depends(_read_path)]
"""The absolute path, which is in the workspace."""
