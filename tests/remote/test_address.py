"""Addresses of servers as users give them."""

import pytest

from cloche.config import Secret
from cloche.errors import ConfigError
from cloche.remote.address import ServerAddress


@pytest.mark.parametrize(
    ("given", "url", "token"),
    [
        ("http://127.0.0.1:8484", "http://127.0.0.1:8484", None),
        ("http://127.0.0.1:8484/?token=abc", "http://127.0.0.1:8484", "abc"),
        (" https://box.example.com/cloche/ ", "https://box.example.com/cloche", None),
        ("http://[::1]:80/", "http://[::1]:80", None),
    ],
)
def test_an_address_is_read_as_it_was_printed(given: str, url: str, token: str | None) -> None:
    address = ServerAddress.read(given)
    assert address.url == url
    assert address.token == (None if token is None else Secret(token))


def test_a_token_of_its_own_counts_more_and_is_not_shown() -> None:
    address = ServerAddress.read("http://h/?token=old", " new ")
    assert address.token == Secret("new")
    assert "new" not in repr(address)


def test_what_is_on_this_machine_is_known() -> None:
    assert [ServerAddress.read(f"http://{host}:1").is_local for host in ("localhost", "127.0.0.1", "[::1]", "h")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "given", ["", "127.0.0.1:8484", "ftp://h", "http://", "http://h:port", "http://[::1", "http://u:secret@h", 7]
)
def test_what_is_no_address_is_refused_without_its_secrets(given: str) -> None:
    with pytest.raises(ConfigError, match="cloche serve") as caught:
        ServerAddress.read(given)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "  ", "naïve", "a\nb"])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="the token"):
        ServerAddress.read("http://h", token)
