"""Prints the library's logs to stderr."""

import logging

from cloche.cli.terminal.control_sequences import strip_control

TIMED = "cloche: %(relativeCreated)6d ms  %(name)s: %(message)s"
"""A line of -v: milliseconds since the command started, the module, and what it did."""


class _Plain(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return strip_control(super().format(record))


def show_warnings() -> None:
    """Print the library's warnings; no effect after `show_logs`."""
    _print_logs("cloche: %(message)s")


def show_logs() -> None:
    """Print everything that the library logs: how a sandbox starts, what it does, how it ends."""
    _print_logs(TIMED)
    logging.getLogger("cloche").setLevel(logging.DEBUG)


def _print_logs(form: str) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_Plain(form))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
