"""Environment variables."""

from typing import ClassVar

from msgspec import Struct

__all__ = ["AddEnvVarsAction"]


class AddEnvVarsAction(Struct, frozen=True):
    """Add environment variables in the shell and in every language."""

    kind: ClassVar[str] = "add_env_vars"
    runnable: ClassVar[bool] = True
    ours: ClassVar[bool] = True

    env_vars: dict[str, str]

    @property
    def message(self) -> str:
        return f"Adding environment variables: {', '.join(self.env_vars)}"


EnvironmentAction = AddEnvVarsAction
