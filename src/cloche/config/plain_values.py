"""Plain values as in TOML and JSON."""

from typing import Any, TypeGuard


def is_table(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a table."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a value is a list."""
    return isinstance(value, list | tuple)


def copy_tree(value: Any) -> Any:
    """A deep copy of all tables."""
    return {key: copy_tree(each) for key, each in value.items()} if is_table(value) else value


def without_none(value: Any) -> Any:
    """The same table without keys that have no value."""
    if is_table(value):
        return {key: without_none(each) for key, each in value.items() if each is not None}
    return [without_none(each) for each in value] if is_list(value) else value
