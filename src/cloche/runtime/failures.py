"""Errors as the text of observations."""

import traceback

FRAMES = 30
"""The most calls of a stack trace that are shown, the innermost."""


def describe_error(error: BaseException) -> str:
    """The error in one line, with its kind."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def describe_failure(error: BaseException, *, debug: bool) -> str:
    """The error in one line; in debug mode, its stack trace comes below."""
    return f"{describe_error(error)}{trace_error(error) if debug else ''}"


def trace_error(error: BaseException) -> str:
    """The stack trace of an error, to go below a message."""
    return "\n\n" + "".join(traceback.format_exception(error, limit=-FRAMES)).rstrip()
