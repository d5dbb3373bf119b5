"""Checks the options of a sandbox when they are given, so that errors name the wrong one, and fills in the others."""

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from cloche.errors import ConfigError
from cloche.limits import ENV_LIMIT
from cloche.options import OPTIONS, Option, SandboxOptions

F = TypeVar("F", bound=Callable[..., Any])


def show_options(function: F) -> F:
    """Let `help` and `inspect` show the options with their defaults in place of `**options`."""
    own = [each for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD]
    listed = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.kind)
        for name, option in OPTIONS.items()
    ]
    setattr(function, "__signature__", inspect.Signature([*own, *listed]))  # noqa: B010 - functions have none by type
    return function


def complete_options(given: SandboxOptions) -> dict[str, Any]:
    """All options: those that are given, checked, and the defaults of the others."""
    for name in given.keys() - OPTIONS.keys():
        near = get_close_matches(name, OPTIONS, n=1)
        raise TypeError(f"a sandbox has no option {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
    check_options(given)
    return {name: option.default for name, option in OPTIONS.items()} | dict(given)


def check_options(given: SandboxOptions) -> None:
    """Raise ConfigError for the first option that is wrong."""
    for name, value in given.items():
        check_option(name, value)
    check_env(given.get("env") or {})


def check_option(name: str, value: object) -> None:
    """Raise ConfigError if an option cannot have this value."""
    option = OPTIONS[name]
    if value is None and option.may_be_none:
        return
    if option.choices and value not in option.choices:
        raise ConfigError(f"{name}={value!r} is not known: give one of {', '.join(option.choices)}")
    if option.wanted and not _is_within(value, option):
        raise ConfigError(f"{name}={value!r} is not possible: give {option.wanted}")


def _is_within(value: Any, option: Option) -> bool:
    if option.plain_kind is int and not isinstance(value, int):
        return False
    # Each comparison is written so that it fails for NaN.
    try:
        return (
            (option.least is None or value >= option.least)
            and (option.most is None or value <= option.most)
            and (option.above is None or value > option.above)
        )
    except TypeError:
        return False


def check_env(env: Mapping[str, str]) -> None:
    for name, value in env.items():
        if not isinstance(name, str) or not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
            raise ConfigError(f"the environment variable {name!r} must be text, and so must its value")
        if not name or "=" in name or "\0" in name + value:
            raise ConfigError(f"the environment variable {name!r} cannot be set: no '=' in names, no NUL anywhere")
    try:
        size = sum(len(text.encode()) for text in (*env, *env.values()))
    except UnicodeEncodeError as error:
        raise ConfigError(f"the environment holds what is no text: {error.reason}") from None
    if size > ENV_LIMIT:
        raise ConfigError(
            f"environment variables of {size} bytes are over the limit of {ENV_LIMIT}: put the large ones into files"
        )
