"""`cloche serve`: sessions for many clients, and the page."""

from typing import TYPE_CHECKING, Any

import click

from cloche.cli.config_option import config_option
from cloche.cli.options import config_options

if TYPE_CHECKING:
    from cloche.config import AppConfig
    from cloche.server.serving import Started

GROUP, RANK = "Serve agents, keep sessions", 20
HELP = "Serve sessions to a browser, programs and agents."
RELOADED = "CLOCHE_RELOADED"


@click.command()
@click.option("--host", help="The address to listen on; by default this machine only.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port, 8484 by default; 0: any.")
@click.option("--token", envvar="CLOCHE_TOKEN", help="The owner's token; made and printed if not given.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@click.option("--reload", is_flag=True, help="Start again when files of Cloche change, for its developers.")
@config_options
@config_option
def serve(
    host: str | None,
    port: int | None,
    token: str | None,
    no_browser: bool,
    reload: bool,
    config_file: str | None,
    **given: Any,
) -> None:
    """Serve sessions over HTTP, Socket.IO and MCP, with a page for browsers.

    Prints the address with the owner's token. Other users get tokens of their own by `cloche token create NAME`, and
    see their own sessions only. Sandboxes must be confined by the operating system unless --confinement says otherwise.
    Options that are not given come from config.toml.

    \b
    cloche serve                                  opens the page, Ctrl-C ends it
    cloche serve --port 0 --no-browser
    CLOCHE_TOKEN=... cloche serve --host 0.0.0.0
    curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8484/api/sessions

    Exit codes: 0 stopped, 2 usage, 69 it cannot be served, 130 Ctrl-C.
    """
    import anyio

    if token is not None and (not token.strip() or not token.isascii()):
        raise click.UsageError("--token: give a text of letters, digits and signs that is not empty")
    if reload:
        _serve_again_and_again()
        return
    config = _merge_config(config_file, host, port, given)
    from cloche.server.serving import serve as run_server

    def tell(started: "Started") -> None:
        _tell_start(started, opens=not no_browser)

    anyio.run(run_server, config, token, tell)


def _merge_config(path: str | None, host: str | None, port: int | None, given: dict[str, Any]) -> "AppConfig":
    from msgspec.structs import replace

    from cloche.cli.commands.mcp import merge_config

    config = merge_config(path, given, serves=True)
    said = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    return replace(config, server=replace(config.server, **said))


def _tell_start(started: "Started", *, opens: bool) -> None:
    import sys

    shown = started.url if started.was_given else started.login
    click.echo(f"Serving Cloche on {shown}", err=True)
    if not started.was_given:
        click.echo(f"Token: {started.token}", err=True)
    click.echo("Ctrl-C ends it.", err=True)
    if opens and sys.stderr.isatty() and sys.stdin.isatty():
        import webbrowser

        webbrowser.open(started.login)


def _serve_again_and_again() -> None:
    """Run this command without --reload, and again whenever a file of Cloche has changed."""
    import signal
    import subprocess
    import sys
    from pathlib import Path

    import cloche

    # As an exception, so that the server is ended too.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    folder = Path(cloche.__file__).parent
    command = [sys.executable, "-m", "cloche", *(each for each in sys.argv[1:] if each != "--reload")]
    has_served = False
    while True:
        before = _read_times(folder)
        with subprocess.Popen(command) as server:
            try:
                changed = _wait_for_change(folder, before, server)
            finally:
                server.terminate()
        if not changed:
            # The first start shows whether the options are right; later, a file is probably half written.
            if not has_served or server.returncode in (0, 128 + signal.SIGINT):
                raise SystemExit(server.returncode)
            click.echo("It has ended: waiting until a file changes.", err=True)
            _wait_for_change(folder, before, None)
        has_served = True
        click.echo("A file has changed: starting again.", err=True)
        command = command if "--no-browser" in command else [*command, "--no-browser"]


def _wait_for_change(folder: Any, before: dict[str, int], server: Any) -> bool:
    """Wait until a file changes, or the server has ended, if one is given; returns whether a file changed."""
    import time

    while server is None or server.poll() is None:
        time.sleep(0.5)
        if _read_times(folder) != before:
            return True
    return False


def _read_times(folder: Any) -> dict[str, int]:
    suffixes = (".py", ".ts", ".js", ".html", ".css", ".json", ".toml")
    return {str(file): file.stat().st_mtime_ns for file in folder.rglob("*") if file.suffix in suffixes}
