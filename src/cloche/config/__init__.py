"""The configuration: defaults, overridden by config.toml, overridden by CLOCHE_SECTION__KEY variables."""

from cloche.config.app_config import AppConfig, Origin
from cloche.config.loading import load_config
from cloche.config.secret import MASK, Secret
from cloche.config.sections import (
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    NamedServer,
    RemoteServer,
    SandboxConfig,
    SecurityConfig,
    StdioServer,
)

__all__ = [
    "MASK",
    "AgentConfig",
    "AppConfig",
    "CoreConfig",
    "LLMConfig",
    "MCPConfig",
    "NamedServer",
    "Origin",
    "RemoteServer",
    "SandboxConfig",
    "Secret",
    "SecurityConfig",
    "StdioServer",
    "load_config",
]
