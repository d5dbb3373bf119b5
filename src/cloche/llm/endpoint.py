"""Where a model is: which API, at which address, with which headers."""

from base64 import b64encode
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from msgspec import Struct

from cloche.config import LLMConfig, Secret
from cloche.config.secret import mask_address
from cloche.errors import ConfigError
from cloche.limits import SECRET_LENGTH
from cloche.llm import anthropic, openai_compatible

API = Literal["openai", "anthropic"]
_PATHS: dict[API, str] = {"openai": openai_compatible.PATH, "anthropic": anthropic.PATH}
_BASES: dict[API, str] = {"openai": openai_compatible.BASE_URL, "anthropic": anthropic.BASE_URL}
_KEYS: dict[API, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


class Endpoint(Struct, frozen=True, kw_only=True):
    """The address of a model, which may be shown as `server`, and what is sent to it."""

    api: API
    model: str
    """Its name, as the server knows it."""
    server: str
    """The address for messages, without secrets."""
    url: str
    """The address without user and query."""
    target: Secret
    """Path and query: some servers take a key there."""
    headers: dict[str, Secret]
    hidden: tuple[Secret, ...]
    """What must not be in a message, even if the server sends it back; the longest first."""
    local: bool
    """Whether the server is on this machine, which no proxy can reach."""

    @property
    def secrets(self) -> list[str]:
        """The strings to hide."""
        return [each.reveal() for each in self.hidden]


def find_endpoint(config: LLMConfig) -> Endpoint:
    """Where the model of a configuration is; raises ConfigError."""
    if not config.model:
        raise ConfigError('[llm] model is not set: add model = "...", the name of the model on its server')
    api, model = _choose_api(config.model, config)
    address = _parse_address(config.base_url or _BASES[api])
    path = address.path.rstrip("/")
    suffix = _PATHS[api]
    if api == "anthropic" and path.endswith("/v1"):
        suffix = suffix.removeprefix("/v1")
    path = path if path.endswith(suffix) else f"{path}{suffix}"
    host = address.netloc.rpartition("@")[2]
    headers = _write_headers(api, config, address)
    return Endpoint(
        api=api,
        model=model,
        server=mask_address(config.base_url or _BASES[api]),
        url=urlunsplit((address.scheme, host, path, "", "")),
        target=Secret(f"{path}?{address.query}" if address.query else path),
        headers=headers,
        hidden=_list_hidden(headers, address),
        local=address.hostname in ("localhost", "127.0.0.1", "::1"),
    )


def _choose_api(model: str, config: LLMConfig) -> tuple[API, str]:
    if config.base_url:
        host = urlsplit(config.base_url).hostname or ""
        return config.api or ("anthropic" if host.endswith("anthropic.com") else "openai"), model
    # Without an address, the name says whose model it is: as others write it, or by its first word.
    owner, slash, name = model.partition("/")
    if slash and owner == "anthropic":
        return config.api or "anthropic", name
    if slash and owner == "openai":
        return config.api or "openai", name
    if slash:
        raise ConfigError(
            f'[llm] model = "{model}": where it is served is not known. Set base_url to the address of its server, '
            "such as http://localhost:11434/v1, and model to its name there"
        )
    return config.api or ("anthropic" if model.startswith("claude") else "openai"), model


def _parse_address(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        if parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise ConfigError(f"[llm] base_url = {mask_address(address)!r} is no address: write https://HOST/v1")


def _write_headers(api: API, config: LLMConfig, address: SplitResult) -> dict[str, Secret]:
    headers: dict[str, str] = {}
    if address.username is not None:
        pair = f"{unquote(address.username)}:{unquote(address.password or '')}"
        headers["authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    if api == "anthropic":
        headers["anthropic-version"] = anthropic.VERSION
    if key := _read_key(api, config):
        headers |= {"x-api-key": key} if api == "anthropic" else {"authorization": f"Bearer {key}"}
    for name, value in config.headers.items():
        headers[name.lower()] = _check_header(value.reveal().strip(), f"headers: the value of {name!r}")
        _check_header(name, f"headers: the name {name!r}")
    return {name: Secret(value) for name, value in headers.items()}


def _list_hidden(headers: dict[str, Secret], address: SplitResult) -> tuple[Secret, ...]:
    values = [each.reveal() for name, each in headers.items() if name != "anthropic-version"]
    # Also without the word before a key, such as Bearer.
    parts = {*values, *(value.split()[-1] for value in values if value.strip())}
    parts |= {unquote(address.username or ""), unquote(address.password or "")}
    parts |= {value for _, value in parse_qsl(address.query)}
    return tuple(Secret(part) for part in sorted(parts, key=len, reverse=True) if len(part) >= SECRET_LENGTH)


def _read_key(api: API, config: LLMConfig) -> str:
    key = config.read_key()
    if key is None:
        if config.base_url is None and not config.headers:
            raise ConfigError(
                f'[llm] has no key for {_BASES[api]}: add api_key_env = "{_KEYS[api]}", the environment variable that '
                "holds it, or set base_url to another server"
            )
        return ""
    return _check_header(key.reveal().strip(), "the key")


def _check_header(text: str, what: str) -> str:
    # The HTTP library would show it in its error.
    if not text.isascii() or not text.isprintable():
        raise ConfigError(f"[llm] {what} has characters that cannot be sent: copy it again, without line breaks")
    return text
