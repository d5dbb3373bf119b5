"""Whether the server lives, for everybody."""

import pytest

from tests.server.conftest import RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]


@pytest.mark.parametrize("path", ["/api/health", "/api/ready"])
async def test_everybody_is_told_whether_the_server_lives(shared_server: RunningServer, path: str) -> None:
    async with shared_server.client(None) as nobody:
        answer = await nobody.get(path)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
