"""Prints errors of files instead of raising them, because the caller is an agent."""

import functools
from collections.abc import Callable


def print_file_errors(read: Callable[[str], None]) -> Callable[[str], None]:
    """Wrap a function so that it prints an error of its file in one line."""

    @functools.wraps(read)
    def wrapped(file_path: str) -> None:
        try:
            read(file_path)
        except OSError as error:
            print(f"ERROR: {file_path} cannot be read: {error.strerror or error}.")
        except Exception as error:  # noqa: BLE001 - a damaged document can raise anything in its reader
            print(f"ERROR: {file_path} cannot be read: {error}.")

    return wrapped
