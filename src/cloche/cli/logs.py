"""Where the library's log goes: to stderr as text, or into a file as lines of JSON."""

import logging
import os
import sys
from typing import TYPE_CHECKING

import click

from cloche.cli.terminal.control_sequences import strip_control
from cloche.logs import JsonLines, RecordFilter, add_masks

if TYPE_CHECKING:
    from cloche.config import AppConfig

VARIABLE = "CLOCHE_LOG"
LEVELS = {name: getattr(logging, name.upper()) for name in ("debug", "info", "warning", "error")}
SHORT = "cloche: %(message)s%(ids)s"
TIMED = "cloche: %(relativeCreated)6d ms  %(name)s: %(message)s%(ids)s"
"""With milliseconds since the command started, and the module."""
_META = "cloche.logs"


class LogRequest:
    """What the command line says about the log."""

    verbose: bool = False
    debug: bool = False
    log_file: str | None = None


class _Plain(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return strip_control(super().format(record))


class _File(logging.FileHandler):
    """A file that is complained about once if it cannot be written."""

    failed = False

    def handleError(self, record: logging.LogRecord) -> None:
        if not self.failed:
            self.failed = True
            click.echo(f"cloche: the log {self.baseFilename} cannot be written: {sys.exc_info()[1]}", err=True)


def ask_for_logs(ctx: click.Context, name: str, value: object) -> None:
    """Remember an option; what is said before the command and after it counts together."""
    request: LogRequest = ctx.find_root().meta.setdefault(_META, LogRequest())
    if value:
        setattr(request, name, value)


def start_logs(ctx: click.Context, *, in_debug_mode: bool = False) -> None:
    """Log as the command line, the environment and then `[core] debug` ask for; warnings in any case."""
    request: LogRequest = ctx.find_root().meta.setdefault(_META, LogRequest())
    level = _choose_level(request, in_debug_mode)
    root = logging.getLogger()
    for handler in [*root.handlers]:
        root.removeHandler(handler)
        handler.close()
    console = logging.StreamHandler()
    if request.log_file == "-":
        _add(console, level or logging.INFO, JsonLines())
    else:
        if request.log_file is not None:
            _add(_open_file(request.log_file), level or logging.INFO, JsonLines())
            level = max(level or 0, logging.WARNING)
        level = level or logging.WARNING
        _add(console, level, _Plain(SHORT if level >= logging.WARNING else TIMED))
    logging.getLogger("cloche").setLevel(min(each.level for each in root.handlers))


def use_debug_mode(config: "AppConfig") -> "AppConfig":
    """The configuration with `--debug` in it. If it has debug mode itself, the log has it too; its keys are masked."""
    from msgspec.structs import replace

    ctx = click.get_current_context(silent=True)
    if ctx is None:
        return config
    if secrets := config.list_secrets():
        from cloche.events.masking import SecretValues

        # Held until the command ends.
        masks = ctx.find_root().meta[f"{_META}.masks"] = SecretValues(secrets)
        add_masks(masks)
    request: LogRequest = ctx.find_root().meta.setdefault(_META, LogRequest())
    if config.core.debug and not request.debug:
        start_logs(ctx, in_debug_mode=True)
    return replace(config, core=replace(config.core, debug=True)) if request.debug else config


def _choose_level(request: LogRequest, in_debug_mode: bool) -> int | None:
    """The level that was asked for, None if none was."""
    said = os.environ.get(VARIABLE, "").strip().lower()
    if said not in ("", *LEVELS):
        raise click.UsageError(f"{VARIABLE}={said}: there is no such level. Choose {', '.join(LEVELS)}")
    if request.debug or request.verbose:
        return logging.DEBUG if request.debug or in_debug_mode else logging.INFO
    return LEVELS[said] if said else logging.DEBUG if in_debug_mode else None


def _open_file(path: str) -> logging.Handler:
    try:
        return _File(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise click.UsageError(f"--log-file {path} cannot be written: {error.strerror}. Choose another file") from None


def _add(handler: logging.Handler, level: int, formatter: logging.Formatter) -> None:
    handler.setLevel(level)
    handler.addFilter(RecordFilter())
    handler.setFormatter(formatter)
    logging.getLogger().addHandler(handler)
