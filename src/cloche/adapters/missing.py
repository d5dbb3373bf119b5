"""Says what to install for an adapter."""

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def explain_missing(extra: str) -> Generator[None]:
    """Around the imports of a framework: an error says which extra brings it."""
    try:
        yield
    except ImportError as error:
        raise ImportError(f"this adapter needs the extra `{extra}`: pip install 'cloche[{extra}]' ({error})") from error
