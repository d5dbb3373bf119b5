"""The question before the request: may this place be connected to?"""

from collections.abc import Sequence
from typing import Any

import pytest

from cloche.sandbox.network.refusals import BadRequest, NameNotFound, NotAllowed, PrivateAddress
from cloche.sandbox.network.sandbox_network import SandboxNetwork
from cloche.sandbox.network.urls import parse_url
from tests.sandbox.network.conftest import OpenGuest
from tests.sandbox.network.fake_guest import Asked


async def reach(network: SandboxNetwork, host: Any, port: Any) -> None:
    asked = Asked()
    asked.content = {"kind": "reach", "host": host, "port": port}
    await network.reach(asked)


async def test_a_sandbox_without_a_network_says_how_to_get_one() -> None:
    network = SandboxNetwork()
    with pytest.raises(NotAllowed, match=r"no network, so \[::1\]:80 cannot be reached.*--allow-net \[::1\]:80"):
        await reach(network, "::1", 80)
    assert [(each.method, each.url, each.refused) for each in network.requests] == [
        ("CONNECT", "http://[::1]/", "NotAllowed")
    ]


async def test_only_what_is_listed_may_be_connected_to_and_only_refusals_are_noted() -> None:
    network = SandboxNetwork(["127.0.0.1:8000"])
    await reach(network, "127.0.0.1", 8000)
    assert network.requests == []
    with pytest.raises(NotAllowed, match=r"127\.0\.0\.1:8001"):
        await reach(network, "127.0.0.1", 8001)
    await network.close()


@pytest.mark.parametrize(("host", "port"), [("a b", 80), (1, 80), ("x", "80"), ("x", 0), ("x/", 80), ("a@b", 80)])
async def test_a_place_that_cannot_be_read_is_refused(host: Any, port: Any) -> None:
    with pytest.raises(BadRequest):
        await reach(SandboxNetwork(["x:80"]), host, port)


async def test_the_addresses_of_a_name_are_looked_at(open_guest: OpenGuest) -> None:
    async def inside(name: str) -> Sequence[str]:
        return ["10.0.0.1"]

    async def nothing(name: str) -> Sequence[str]:
        return []

    with pytest.raises(PrivateAddress):
        await open_guest("x.test:80", resolver=inside).broker.reach(parse_url("http://x.test/"))
    with pytest.raises(NameNotFound):
        await open_guest("x.test:80", resolver=nothing).broker.reach(parse_url("http://x.test/"))
