"""Error messages for code in the sandbox, without paths of the host."""

import re
from pathlib import Path

from cloche.errors import ConfigError, PackageError
from cloche.sandbox.cache.assets import cache_dir

INSIDE = ("/workspace/", "/tmp/", "/home/user/", "/mnt/", "/opt/packages/", "/opt/languages/")
"""Folders that also exist in the guest."""

_FOLDER = re.compile(r"file://[^\s'\"|]*/|(?<![\w:/.~@*-])/(?:[^\s/'\"|]+/)+")


def describe_for_guest(error: Exception) -> str:
    """The text of an error; paths of the host are shortened to their last name."""
    text = str(error)
    for folder, name in ((cache_dir(), "the host's cache"), (Path.home(), "~")):
        text = text.replace(str(folder), name) if len(folder.parts) > 1 else text
    return _FOLDER.sub(lambda found: found[0] if found[0].startswith(INSIDE) else "", text)


def describing_for_guest(error: PackageError | ConfigError | OSError) -> PackageError | ConfigError:
    """The same error with a text for the guest."""
    if isinstance(error, OSError):
        return PackageError(describe_for_guest(error))
    described = type(error)(describe_for_guest(error))
    if isinstance(error, PackageError) and isinstance(described, PackageError):
        described.source = error.source
    return described
