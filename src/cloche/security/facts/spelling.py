"""Spelling: lists of words, and one name for each language however it is written."""

_NAMES = {
    "python3": "python",
    "py": "python",
    "ipython": "python",
    "js": "javascript",
    "node": "javascript",
    "ts": "typescript",
    "rb": "ruby",
    "pl": "perl",
    "sh": "bash",
    "shell": "bash",
    "scm": "scheme",
}


def shorten_names(language: str) -> str:
    """The name of a language as facts have it."""
    plain = language.strip().lower()
    return _NAMES.get(plain, plain)


def split_words(text: str) -> frozenset[str]:
    """The words of a text, for tables that are easier to read in lines."""
    return frozenset(text.split())
