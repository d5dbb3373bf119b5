"""`cloche.connect`: the sandbox of a server in place of an embedded one."""

from typing import Unpack, cast

from cloche.options import SandboxOptions
from cloche.remote.address import ServerAddress
from cloche.remote.connection import require_client
from cloche.remote.remote_sandbox import RemoteSandbox
from cloche.sandbox.sandbox import Sandbox
from cloche.sandbox.sync import SyncSandbox


def connect(
    url: str,
    token: str | None = None,
    *,
    session: str | None = None,
    keep: bool = False,
    title: str = "",
    **options: Unpack[SandboxOptions],
) -> RemoteSandbox:
    """A sandbox at the server `url`, with the methods of Sandbox; use it as an async context manager.

    It is a session of its own, which is deleted at the end; with `keep`, its events and files stay. `session` is the
    id of one that exists: it is used together with others, and left as it is. The options are those of Sandbox that a
    client may choose: `languages`, `env`, `memory_mb`, `timeout`, `output_limit`, `allow_net`, `packages` and
    `auto_install`, within what the server allows. Others raise ConfigError.
    """
    require_client()
    return RemoteSandbox(ServerAddress.read(url, token), options, session=session, keep=keep, title=title)


def connect_sync(
    url: str,
    token: str | None = None,
    *,
    session: str | None = None,
    keep: bool = False,
    title: str = "",
    **options: Unpack[SandboxOptions],
) -> SyncSandbox:
    """The same as SyncSandbox, for programs that are not async; use it in a with statement."""
    box = connect(url, token, session=session, keep=keep, title=title, **options)
    return SyncSandbox.around(cast("Sandbox", box))
