"""Finds security analyzers by name."""

from anyio import to_thread

from cloche.class_lookup import find_class, list_names
from cloche.config import AppConfig
from cloche.errors import ConfigError
from cloche.security.analyzer import SecurityAnalyzer
from cloche.security.ensemble import Ensemble

_OWN = {
    "rules": "cloche.security.analyzers.rules.RulesAnalyzer",
    "secrets": "cloche.security.analyzers.secrets.SecretsAnalyzer",
    "llm": "cloche.security.analyzers.llm.LLMRiskAnalyzer",
}


def find_analyzer(name: str) -> type[SecurityAnalyzer]:
    """An analyzer of ours, one that a package registers, or one at a dotted path such as `pkg.mod.Class`."""
    own = {**_OWN, name: name} if "." in name else _OWN
    kind: type[SecurityAnalyzer] = find_class(
        "security analyzer", name, SecurityAnalyzer, own, hint=", or give the path of a class, `package.module.Class`"
    )
    return kind


def list_analyzers() -> list[str]:
    """The names of all analyzers."""
    return list_names("security analyzer", _OWN)


def name_analyzers(config: AppConfig) -> list[str]:
    """The analyzers that a configuration names, each once."""
    given = config.security.security_analyzer or ""
    return list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


async def open_analyzer(config: AppConfig) -> SecurityAnalyzer | None:
    """The analyzers that `[security] security_analyzer` names, as one, opened; None if it names none."""
    given = config.security.security_analyzer
    if given is None:
        return None
    names = name_analyzers(config)
    if not names:
        raise ConfigError(f"[security] security_analyzer names none: {given!r}")
    # In a thread: it reads which packages are installed.
    kinds = {name: await to_thread.run_sync(find_analyzer, name) for name in names}
    analyzers = {name: kind(config) for name, kind in kinds.items()}
    for name, analyzer in analyzers.items():
        if analyzer.name == SecurityAnalyzer.name:
            analyzer.name = name
    ensemble = Ensemble(list(analyzers.values()))
    await ensemble.open()
    return ensemble
