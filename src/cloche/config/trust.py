"""Which configuration files in working folders the user trusts.

Code in a sandbox may write to the folder it works in, and a configuration there can start programs on this machine. So
a file that was found there, and not named by the user, is read only after the user has trusted its current content.
"""

import hashlib
import json
from collections.abc import Mapping

from cloche.config.config_file import ConfigFile
from cloche.errors import ConfigError
from cloche.paths.user_dirs import config_dir

_LIST = "trusted"


def check_trust(file: ConfigFile, env: Mapping[str, str]) -> None:
    """Raise ConfigError if this content of the file is not trusted."""
    known = _read_list(env).get(_file_name(file))
    if known == _hash_file(file):
        return
    state = "is not trusted" if known is None else "has changed since it was trusted"
    raise ConfigError(
        f"{file.path} in this folder {state}. Code that ran here may have written it, and it can start programs on "
        f"this machine. Read it; if it is right: cloche config --trust. Or name it: --config {file.path}"
    )


def trust_file(file: ConfigFile, env: Mapping[str, str]) -> None:
    """Trust the current content of the file from now on."""
    listed = {**_read_list(env), _file_name(file): _hash_file(file)}
    path = config_dir(env) / _LIST
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Quoted: the name of a folder may contain anything, even a line feed.
        fresh.write_text("".join(f"{digest}  {json.dumps(name)}\n" for name, digest in sorted(listed.items())))
        fresh.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}. Name the file instead: --config") from None


def _read_list(env: Mapping[str, str]) -> dict[str, str]:
    try:
        lines = (config_dir(env) / _LIST).read_text().split("\n")
        return {json.loads(name): digest for digest, _, name in (line.partition("  ") for line in lines if line)}
    except (OSError, ValueError, TypeError, RecursionError):
        # A file that cannot be read trusts nothing.
        return {}


def _file_name(file: ConfigFile) -> str:
    return str(file.path.resolve())


def _hash_file(file: ConfigFile) -> str:
    return hashlib.sha256(file.data).hexdigest()
