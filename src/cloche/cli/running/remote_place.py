"""Runs code at a server, where the command line or the configuration says so."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from anyio import to_thread

from cloche.cli.options import RunSettings
from cloche.cli.package_options import find_others, find_packages
from cloche.cli.running.code_source import CodeSource
from cloche.options import SandboxOptions
from cloche.paths.user_dirs import config_dir

if TYPE_CHECKING:
    from cloche.config import AppConfig
    from cloche.remote.remote_sandbox import RemoteSandbox

REMOTE = "remote"
VARIABLES = ("CLOCHE_CORE__RUNTIME", "CLOCHE_CONFIG")
"""What may choose the runtime in the environment."""


def find_remote(settings: RunSettings) -> "AppConfig | None":
    """The configuration with the server to use; None for a sandbox of this machine."""
    if settings.runtime not in (None, REMOTE) or (settings.runtime is None and not _may_be_remote(os.environ)):
        return None
    from cloche.config import load_config

    config = load_config()
    return config if REMOTE in (settings.runtime, config.core.runtime) else None


@asynccontextmanager
async def open_remote(
    config: "AppConfig", settings: RunSettings, language: str, source: CodeSource | None
) -> "AsyncGenerator[RemoteSandbox]":
    """A sandbox at the server, with the options of the command line that are not the defaults."""
    from cloche.remote.remote_sandbox import RemoteSandbox, is_default
    from cloche.runtime.remote.remote_runtime import find_address

    given: dict[str, Any] = {**settings.options}
    chosen = {name: value for name, value in given.items() if name == "timeout" or not is_default(name, value)}
    chosen["packages"] = await to_thread.run_sync(find_packages, settings, language, source)
    remote = config.remote
    async with RemoteSandbox(
        find_address(config),
        cast("SandboxOptions", chosen),
        session=remote.session,
        keep=remote.keep,
        title=_name_source(language, source),
    ) as box:
        if others := find_others(settings, language):
            await box.install(*others, language=language)
        yield box


def _may_be_remote(env: Mapping[str, str]) -> bool:
    """Whether it is worth reading the configuration, which takes a tenth of a second."""
    if any(env.get(name) for name in VARIABLES):
        return True
    return any(_mentions_remote(folder / "config.toml") for folder in (Path(), config_dir(env)))


def _mentions_remote(file: Path) -> bool:
    try:
        return REMOTE.encode() in file.read_bytes()
    except OSError:
        return False


def _name_source(language: str, source: CodeSource | None) -> str:
    """The title of the session."""
    what = source.code.strip().partition("\n")[0] if source is not None and source.file is None else None
    if source is not None and source.file is not None:
        what = Path(source.file).name
    return f"{language}: {what or 'a prompt'}"[:100]
