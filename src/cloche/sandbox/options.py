"""Checks a sandbox's options when they are given, so that errors name the wrong one."""

from collections.abc import Mapping

from cloche.errors import ConfigError
from cloche.limits import ENV_LIMIT

MEMORY_LEAST_MB = 64
CONFINEMENTS = ("auto", "require", "none")


def check_options(
    *, memory_mb: int, seconds: float | None, output_limit: int, confinement: str, env: Mapping[str, str] | None
) -> None:
    """Raise ConfigError for the first option that is wrong."""
    if memory_mb < MEMORY_LEAST_MB:
        raise ConfigError(f"memory_mb={memory_mb} is too little for Python: give at least {MEMORY_LEAST_MB}")
    if output_limit < 1:
        raise ConfigError(f"output_limit={output_limit} keeps nothing: give a number of bytes")
    if confinement not in CONFINEMENTS:
        raise ConfigError(f"confinement={confinement!r} is not known: give one of {', '.join(CONFINEMENTS)}")
    check_timeout(seconds)
    check_env(env or {})


def check_timeout(seconds: float | None) -> None:
    if seconds is not None and not seconds > 0:
        raise ConfigError(f"timeout={seconds} leaves no time to run: give seconds, or None for no limit")


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
