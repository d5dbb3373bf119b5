"""Opens the model that a configuration names."""

from collections.abc import Callable

from cloche.config import LLMConfig
from cloche.errors import ConfigError
from cloche.events import Store
from cloche.llm.anthropic import AnthropicMessages
from cloche.llm.connection import require_httpx
from cloche.llm.endpoint import find_endpoint
from cloche.llm.http_model import HTTPModel
from cloche.llm.model import LLM
from cloche.llm.openai_compatible import OpenAIChat
from cloche.llm.replay import PREFIX, ReplayLLM
from cloche.llm.retries import Retry


def open_llm(config: LLMConfig, *, on_retry: Callable[[Retry], None] | None = None, store: Store | None = None) -> LLM:
    """The model of a configuration; nothing is sent yet. Raises ConfigError.

    `on_retry` is told of each failure after which the request is made again. `store` has the sessions that `replay:`
    may name; by default the user's own.
    """
    if config.model and config.model.startswith(PREFIX):
        source = config.model.removeprefix(PREFIX).strip()
        if not source:
            raise ConfigError(f'[llm] model = "{PREFIX}" names no recording: add a file or the id of a session')
        return ReplayLLM(source, store=store)
    require_httpx()
    endpoint = find_endpoint(config)
    kind = AnthropicMessages if endpoint.api == "anthropic" else OpenAIChat
    return HTTPModel(kind(endpoint.model, config), endpoint, config, on_retry=on_retry)
