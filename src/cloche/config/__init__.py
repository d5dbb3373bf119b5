"""The configuration: defaults, overridden by config.toml, overridden by CLOCHE_SECTION__KEY variables."""

from cloche.config.app_config import AppConfig, Origin
from cloche.config.loading import load_config
from cloche.config.secret import MASK, Secret
from cloche.config.sections import (
    A2AConfig,
    A2AServer,
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    NamedServer,
    RemoteConfig,
    RemoteServer,
    SandboxConfig,
    SecurityConfig,
    ServerConfig,
    StdioServer,
)

__all__ = [
    "MASK",
    "A2AConfig",
    "A2AServer",
    "AgentConfig",
    "AppConfig",
    "CoreConfig",
    "LLMConfig",
    "MCPConfig",
    "NamedServer",
    "Origin",
    "RemoteConfig",
    "RemoteServer",
    "SandboxConfig",
    "Secret",
    "SecurityConfig",
    "ServerConfig",
    "StdioServer",
    "load_config",
]
