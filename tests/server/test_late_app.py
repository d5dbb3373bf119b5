"""Parts of a server that are opened when they are first asked."""

import logging

import httpx2
import pytest

from cloche.config import AppConfig
from cloche.server.late_app import LateApp
from cloche.session import SessionManager

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(30)]


async def test_a_part_that_fails_costs_the_server_nothing_and_is_opened_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = AppConfig()
    app = LateApp("tests.server.fragile_part", config, SessionManager(config))
    async with app, httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as http:
        # Nothing is loaded, so there is nothing to end.
        await app.end()
        with pytest.raises(RuntimeError, match="not today"):
            await http.get("/")
        assert (await http.get("/")).text == "2"
        with caplog.at_level(logging.ERROR):
            assert (await http.get("/break")).text == "2"
            while "has failed" not in caplog.text:
                await http.get("/")
        assert (await http.get("/")).text == "3"
        await app.end()
