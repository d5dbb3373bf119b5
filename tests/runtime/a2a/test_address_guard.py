"""Where a remote agent may be reached."""

from collections.abc import Sequence

import pytest

from cloche.config import A2AServer, Secret
from cloche.errors import RemoteAgentError, RemoteAgentLost
from cloche.runtime.a2a.address_guard import AddressGuard, format_origin, list_keys, parse_origin

NAMES = {
    "agents.example.com": ["93.184.216.34", "2606:2800:220:1::1"],
    "rebound.example.com": ["93.184.216.34", "169.254.169.254"],
    "inside.example.com": ["10.0.0.5"],
    "agents": ["10.0.0.5"],
    "box.local": ["192.168.1.9"],
    "nowhere.example.com": [],
    "zone.example.com": ["fe80::1%eth0"],
    "all.local": ["0.0.0.0"],
}


async def resolve(name: str) -> Sequence[str]:
    if name not in NAMES:
        raise OSError("no such name")
    return NAMES[name]


async def find(url: str) -> list[str]:
    origin = parse_origin(url)
    return await AddressGuard({origin: None}, resolve).find(origin)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://agents.example.com/x", ["93.184.216.34", "2606:2800:220:1::1"]),
        ("http://agents:8000", ["10.0.0.5"]),
        ("http://box.local", ["192.168.1.9"]),
        ("http://127.0.0.1:1", ["127.0.0.1"]),
        ("http://169.254.169.254", ["169.254.169.254"]),
        ("http://[::1]:1", ["::1"]),
    ],
)
async def test_what_is_configured_is_reached(url: str, found: list[str]) -> None:
    assert await find(url) == found


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://rebound.example.com", "leads to 169.254.169.254, which is not of the public internet"),
        ("https://inside.example.com", "leads to 10.0.0.5, which is not"),
        ("https://nowhere.example.com", "leads to no address"),
        ("https://zone.example.com", "leads to fe80::1%eth0"),
        ("http://all.local", "leads to 0.0.0.0"),
    ],
)
async def test_a_name_that_leads_to_a_private_address_is_refused(url: str, told: str) -> None:
    with pytest.raises(RemoteAgentError, match=told):
        await find(url)


async def test_a_name_that_is_not_known_is_an_error() -> None:
    with pytest.raises(RemoteAgentLost, match=r"unknown\.example\.com is not known: no such name"):
        await find("http://unknown.example.com")


async def test_what_is_not_configured_is_refused() -> None:
    guard = AddressGuard({parse_origin("https://a.example/x"): None}, resolve)
    for url in ("http://a.example", "https://a.example:8443", "https://b.example", "https://a.example.b"):
        with pytest.raises(RemoteAgentError, match="which is not configured"):
            await guard.find(parse_origin(url))


async def test_a_name_is_resolved_once_until_it_is_forgotten() -> None:
    asked: list[str] = []

    async def count(name: str) -> Sequence[str]:
        asked.append(name)
        return ["93.184.216.34"]

    origin = parse_origin("https://a.example.com")
    guard = AddressGuard({origin: None}, count)
    assert await guard.find(origin) == await guard.find(origin)
    guard.forget(origin)
    await guard.find(origin)
    assert asked == ["a.example.com"] * 2


@pytest.mark.parametrize(
    ("url", "origin", "shown"),
    [
        ("https://A.Example/x?y", ("https", "a.example", 443), "https://a.example"),
        ("http://a.example.:80", ("http", "a.example", 80), "http://a.example"),
        ("http://[::1]:8000/", ("http", "::1", 8000), "http://[::1]:8000"),
        ("http://b\u00fccher.example", ("http", "xn--bcher-kva.example", 80), "http://xn--bcher-kva.example"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: tuple[str, str, int], shown: str) -> None:
    assert parse_origin(url) == origin
    assert format_origin(origin) == shown


@pytest.mark.parametrize("url", ["", "x", "file:///etc", "http://", "http://a:99999", "http://[::", "gopher://a"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(RemoteAgentError, match="is no address that begins with"):
        parse_origin(url)


def test_each_server_gets_its_own_key() -> None:
    one = A2AServer(url="https://a.example/one", api_key=Secret("1"))
    two = A2AServer(url="https://a.example/two", api_key=Secret("2"))
    far = A2AServer(url="https://b.example", api_key_env="A_VARIABLE_THAT_IS_NOT_SET")
    odd = A2AServer(url="http://[::")
    origin = parse_origin(one.url)
    assert list_keys(one, (one, two, odd, far)) == {origin: Secret("1")}
    assert list_keys(two, (one, two, odd, far)) == {origin: Secret("2")}
