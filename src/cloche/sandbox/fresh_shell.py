"""A command as one that starts a shell of its own, and leaves the sandbox's one shell as it was."""

import shlex
from collections.abc import Mapping


def in_fresh_shell(command: str, folder: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """The command for a new shell, in `folder` if given, with the variables of `env` besides."""
    given = [f"{name}={value}" for name, value in (env or {}).items()]
    start = shlex.join([*(["env", *given] if given else []), "bash", "-c", command])
    return f"(cd {shlex.quote(folder)} && {start})" if folder else start
