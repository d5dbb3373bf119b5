"""Where a model is, and what is sent there."""

from typing import Any

import pytest

from cloche.config import LLMConfig, Secret
from cloche.errors import ConfigError
from cloche.llm.endpoint import Endpoint, find_endpoint

KEY = Secret("sk-0123456789")


def find(**options: Any) -> Endpoint:
    given: dict[str, Any] = {"api_key": KEY, "model": "m", **options}
    return find_endpoint(LLMConfig(**given))


@pytest.mark.parametrize(
    ("options", "api", "model", "url"),
    [
        ({"model": "gpt-x"}, "openai", "gpt-x", "https://api.openai.com/v1/chat/completions"),
        ({"model": "openai/gpt-x"}, "openai", "gpt-x", "https://api.openai.com/v1/chat/completions"),
        ({"model": "claude-x"}, "anthropic", "claude-x", "https://api.anthropic.com/v1/messages"),
        ({"model": "anthropic/claude-x"}, "anthropic", "claude-x", "https://api.anthropic.com/v1/messages"),
        ({"base_url": "https://api.anthropic.com"}, "anthropic", "m", "https://api.anthropic.com/v1/messages"),
        ({"base_url": "https://api.anthropic.com/v1/"}, "anthropic", "m", "https://api.anthropic.com/v1/messages"),
        ({"base_url": "http://localhost:1/v1"}, "openai", "m", "http://localhost:1/v1/chat/completions"),
        (
            {"base_url": "https://h/api/v1/", "model": "anthropic/claude-x"},
            *("openai", "anthropic/claude-x", "https://h/api/v1/chat/completions"),
        ),
        ({"base_url": "http://[::1]:8/v1/chat/completions"}, "openai", "m", "http://[::1]:8/v1/chat/completions"),
        ({"base_url": "http://u:p@h:8/v1?k=v"}, "openai", "m", "http://h:8/v1/chat/completions"),
        ({"base_url": "http://h/x", "api": "anthropic"}, "anthropic", "m", "http://h/x/v1/messages"),
    ],
)
def test_an_address_is_found(options: dict[str, Any], api: str, model: str, url: str) -> None:
    found = find(**options)
    assert (found.api, found.model, found.url) == (api, model, url)


def test_each_api_gets_the_key_in_its_way() -> None:
    assert find().headers["authorization"].reveal() == "Bearer sk-0123456789"
    headers = find(model="claude-x", headers={"X-Team": Secret(" a b ")}).headers
    assert {name: each.reveal() for name, each in headers.items()} == {
        "anthropic-version": "2023-06-01",
        "x-api-key": "sk-0123456789",
        "x-team": "a b",
    }


def test_nothing_secret_is_shown() -> None:
    found = find(base_url="https://joe:pa55word@h/v1?key=topsecret", headers={"x": Secret("x-s3cr3t")})
    assert found.server == "https://********@h/v1?key=********"
    assert found.target.reveal() == "/v1/chat/completions?key=topsecret"
    shown = f"{found!r} {found}"
    assert not [each for each in ("sk-0123456789", "pa55word", "topsecret", "x-s3cr3t") if each in shown]


def test_a_user_in_the_address_becomes_a_header() -> None:
    found = find(base_url="https://joe:pa%2055@h/v1", api_key=None)
    assert found.headers["authorization"].reveal() == "Basic am9lOnBhIDU1"


def test_only_servers_of_this_machine_are_asked_without_a_proxy() -> None:
    assert [find(base_url=f"http://{host}/v1").local for host in ("localhost:1", "127.0.0.1", "[::1]", "h")] == [
        True, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": None}, r"\[llm\] model is not set"),
        ({"api_key": None}, 'has no key for https://api.openai.com/v1: add api_key_env = "OPENAI_API_KEY"'),
        ({"api_key": None, "model": "claude-x"}, 'add api_key_env = "ANTHROPIC_API_KEY"'),
        ({"model": "ollama/llama"}, 'model = "ollama/llama": where it is served is not known. Set base_url'),
        ({"base_url": "http://h:99999/v1"}, "is no address"),
        ({"base_url": "http://:80/v1"}, "is no address"),
        ({"api_key": Secret("sk-1\nx: y")}, "the key has characters that cannot be sent"),
        ({"api_key": Secret("sk-ключ")}, "the key has characters that cannot be sent"),
        ({"headers": {"x": Secret("a\r\nb")}}, "headers: the value of 'x' has characters"),
    ],
)
def test_a_mistake_is_explained_without_the_key(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told) as found:
        find(**options)
    assert "sk-" not in str(found.value)


def test_line_breaks_around_a_key_do_not_matter() -> None:
    assert find(api_key=Secret("sk-1\n")).headers["authorization"].reveal() == "Bearer sk-1"
