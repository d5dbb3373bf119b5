"""The processes that measure the peers: with the one peer that is always there."""

import sys
from collections.abc import AsyncGenerator

import anyio
import pytest

from benchmarks import setups
from benchmarks.peers import PEERS, Driver, Peer, PeerFailed, Ready, drive, prepare

PLAIN = Ready(next(peer for peer in PEERS if peer.module == "plain"), sys.executable, {})


@pytest.fixture
async def driver() -> AsyncGenerator[Driver]:
    """`python3 -c`, driven."""
    with anyio.fail_after(15):
        async with drive(PLAIN) as started:
            yield started


async def test_a_peer_is_started_and_asked(driver: Driver) -> None:
    answer = await driver.ask("cold")
    assert 0 < answer["seconds"] < 10


async def test_calls_are_repeated_and_checked(driver: Driver) -> None:
    options = {"kind": "bash", "code": "echo hi", "count": 2, "budget": 5.0}
    assert len((await driver.ask("repeat", **options, expect="hi"))["seconds"]) == 2
    with pytest.raises(PeerFailed, match="gave 'hi' instead of 'ho'"):
        await driver.ask("repeat", **options, expect="ho")


async def test_a_slow_peer_stops_when_its_time_is_used_up(driver: Driver) -> None:
    answer = await driver.ask("repeat", kind="value", code="1+1", count=10**6, expect="2", budget=0.1)
    assert 1 <= len(answer["seconds"]) < 10**6


async def test_what_is_lost_after_a_timeout_is_reported(driver: Driver) -> None:
    answer = await driver.ask("timeout", limit=0.2)
    assert answer["seconds"] >= 0.2
    assert answer["kept"] is False


async def test_a_crowd_has_a_weight_until_it_is_released(driver: Driver) -> None:
    await driver.ask("crowd", count=2, cells=1, command="true")
    held = await driver.weigh()
    await driver.ask("release")
    assert held > 2
    assert await driver.weigh() < held


def test_a_peer_that_cannot_be_had_gives_its_reason() -> None:
    def missing() -> tuple[str, dict[str, str]]:
        raise setups.NotHere("no wheel for this machine")

    assert prepare(Peer("x", "plain", missing)) == "not installed: no wheel for this machine"


def test_the_reason_of_a_failed_command_is_its_own_error_line() -> None:
    def failing() -> tuple[str, dict[str, str]]:
        setups.run([sys.executable, "-c", "import sys; sys.exit('first\\nERROR: no such version\\nlast')"])
        return "", {}

    assert prepare(Peer("x", "plain", failing)) == "not installed: ERROR: no such version"
