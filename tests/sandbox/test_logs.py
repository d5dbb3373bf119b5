"""What the log says about a sandbox: what was done and how it ended, but no code and no data."""

import logging

import anyio
import pytest

from cloche.errors import ClocheError
from cloche.sandbox.process import background, call
from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.timeout(120)

SECRET = "hunter22"


def of_calls(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines about each call, without the numbers that change each time."""
    told = [message.split(": ", 1) for message in caplog.messages if " call=" in message]
    return [text.split(" after ")[0] for _, text in told]


async def test_calls_and_their_ends_are_logged(open_box: OpenBox, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "cloche")
    box = await open_box()
    caplog.clear()
    await box.run("1 + 1")
    await box.run("1 / 0")
    await box.bash("exit 3")
    await box.complete("impo")
    await box.reset()
    assert of_calls(caplog) == [
        "run in python begins",
        "run in python ok",
        "run in python begins",
        "run in python failed",
        "run in bash begins",
        "run in bash failed with exit code 3",
        "complete in python answered",
        "reset in python answered",
    ]
    assert any("the worker of python is replaced" in message for message in caplog.messages)
    caplog.clear()
    await box.run("while True: pass", timeout=0.3)
    assert of_calls(caplog)[1:3] == ["interrupted, its time is over", "run in python timed out"]


async def test_the_log_has_neither_code_nor_values(open_box: OpenBox, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "cloche")
    box = await open_box(env={"TOKEN": SECRET})
    await box.run(f"{SECRET} = '{SECRET}'; print({SECRET}); {SECRET}")
    await box.run(f"class {SECRET}(Exception): pass\nraise {SECRET}('{SECRET}')")
    await box.bash(f"echo {SECRET}; echo $TOKEN >&2; exit 1", stdin=SECRET)
    await box.complete(f"{SECRET}.")
    await box.set_env({"OTHER": SECRET})
    await box.write(f"{SECRET}.txt", SECRET.encode())
    with pytest.raises(ClocheError):
        await box.install(f"{SECRET}.whl")
    assert caplog.messages
    assert SECRET not in caplog.text


@pytest.mark.slow
async def test_the_log_counts_what_was_stopped_and_does_not_quote_it(
    open_box: OpenBox, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (background, call):
        monkeypatch.setattr(module, "BACKGROUND_CPU", 0.5)
    caplog.set_level(logging.DEBUG, "cloche")
    box = await open_box()
    await box.bash(f"while [ {SECRET} ]; do :; done &", check=True)
    with anyio.fail_after(30):
        while box.info.background:  # noqa: ASYNC110 - no event
            await anyio.sleep(0.05)
    assert SECRET in ((await box.run("1")).notice or "")
    assert any(message.endswith("it used 0.5 s of a processor (bash: 1)") for message in caplog.messages)
    assert SECRET not in caplog.text
