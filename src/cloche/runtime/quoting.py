"""Commands put into other commands."""

import shlex


def in_fresh_shell(command: str, folder: str | None) -> str:
    """The command for a shell of its own, which begins in `folder` and leaves nothing in the session's."""
    inner = f"bash -c {shlex.quote(command)}"
    return f"(cd {shlex.quote(folder)} && {inner})" if folder else inner
