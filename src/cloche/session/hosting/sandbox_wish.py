"""What a client may choose of its session's sandbox: never more than the owner of the server has."""

from msgspec.structs import asdict, replace

from cloche.config import AppConfig, SandboxConfig
from cloche.errors import ConfigError
from cloche.remote.sessions import SandboxWish
from cloche.sandbox.languages import check_language
from cloche.sandbox.network.policy import Policy


def grant_wish(config: AppConfig, wish: SandboxWish | None) -> AppConfig:
    """The configuration with these options; raises ConfigError for one that goes too far."""
    if wish is None:
        return config
    check_wish(config.sandbox, wish)
    chosen = {name: value for name, value in asdict(wish).items() if value is not None}
    for name in ("languages", "allow_net"):
        if name in chosen:
            chosen[name] = tuple(chosen[name])
    return replace(config, sandbox=replace(config.sandbox, **chosen))


def check_wish(own: SandboxConfig, wish: SandboxWish) -> None:
    """Raise ConfigError for the first option that goes too far."""
    for name in ("memory_mb", "output_limit"):
        wanted, most = getattr(wish, name), getattr(own, name)
        if wanted is not None and wanted > most:
            raise ConfigError(
                f"{name}={wanted} is more than this server gives: at most {most}. Ask its owner for more "
                f"([sandbox] {name})"
            )
    for language in wish.languages or ():
        check_language(language)
    policy = Policy(own.allow_net)
    for entry in wish.allow_net or ():
        if not policy.covers(entry):
            known = ", ".join(own.allow_net) or "nothing"
            raise ConfigError(
                f"allow_net={entry!r} is not allowed by this server, whose sandboxes reach {known}. Ask its owner "
                "for more ([sandbox] allow_net)"
            )
