"""Remote agents that misbehave: each is reported in time, and costs little."""

import gzip
import json
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import trustme

from cloche.config import A2AConfig, A2AServer, AppConfig
from cloche.errors import RemoteAgentError, RemoteAgentLost
from cloche.events import A2AListRemoteAgentsAction, A2ASendTaskAction, A2ASendTaskObservation, ErrorObservation
from cloche.limits import A2A_ARTIFACTS_LIMIT, MB
from cloche.runtime import A2AManager
from cloche.runtime.a2a import limited_body
from cloche.runtime.a2a import manager as manager_module
from cloche.runtime.a2a.updates import ArtifactUpdate, StatusUpdate
from cloche.runtime.contract import expect
from tests.runtime.a2a.peers import PATIENCE
from tests.runtime.a2a.raw_agent import (
    STREAM,
    TASK,
    Answer,
    RawAgent,
    artifact,
    event,
    finish,
    page,
    raw_agent,
    result,
    send,
    status,
    stream,
)
from tests.runtime.scripted import Scripted

pytestmark = pytest.mark.timeout(120)


async def read_card(agent: RawAgent) -> str:
    """Why its card is refused; empty if it is not."""
    manager = A2AManager([agent.url])
    with anyio.fail_after(PATIENCE):
        await manager.initialize_agent_cards()
    await manager.close()
    return "".join(manager.failures.values())


async def perform(agent: RawAgent, timeout: float = PATIENCE) -> Any:
    config = AppConfig(a2a=A2AConfig(servers=(A2AServer(url=agent.url),)))
    with anyio.fail_after(2 * PATIENCE):
        async with Scripted(config) as runtime:
            return await runtime.execute(A2ASendTaskAction("raw", "hi"), timeout=timeout)


def interface(url: str, binding: str = "JSONRPC", version: str = "1.0") -> dict[str, Any]:
    return {"supportedInterfaces": [{"url": url, "protocolBinding": binding, "protocolVersion": version}]}


CARDS: dict[str, tuple[dict[str, Any], str]] = {
    "another host": (interface("http://example.com/a2a"), "it leads to http://example.com, which is not configured"),
    "another port": (interface("http://127.0.0.1:22/"), "it leads to http://127.0.0.1:22, which is not configured"),
    "the metadata": (interface("http://169.254.169.254/latest"), "leads to http://169.254.169.254, which is not"),
    "a file": (interface("file:///etc/passwd"), "is no address that begins with http"),
    "no address": (interface("http://[::/"), "is no address that begins with http"),
    "a newer version": (interface("http://x/", version="2.0"), "it offers JSONRPC 2.0, and this client speaks A2A 1.0"),
    "no version": (interface("http://x/", version="x\n\x1b[2J"), "it offers JSONRPC x [2J, and this client"),
    "gRPC": (interface("http://x/", "GRPC"), "it offers GRPC 1.0, and this client speaks A2A 1.0 over JSONRPC or HTTP"),
    "nothing": ({"supportedInterfaces": []}, "it offers no address"),
    "wrong types": ({"skills": "none"}, "its card could not be read"),
    "more wrong types": ({"supportedInterfaces": 7}, "its card could not be read"),
    "null": ({"capabilities": None, "name": None, "securitySchemes": [1]}, "its"),
}


@pytest.mark.parametrize("name", CARDS)
async def test_a_card_that_cannot_be_used_is_reported(name: str) -> None:
    more, told = CARDS[name]
    async with raw_agent() as agent:
        agent.card = lambda: agent.plain_card(**more)
        why = await read_card(agent)
    assert told in why
    assert "\n" not in why
    assert "\x1b" not in why


def raw_card(data: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + data


PAGES = {
    "no JSON": (raw_card(b"<html>"), "its card could not be read"),
    "no object": (raw_card(b"[1]"), "its card could not be read"),
    "no text": (raw_card(b'{"name": "\xff\xfe"}'), "its card could not be read"),
    "nested": (raw_card(b"[" * 40_000), "its card could not be read"),
    "values": (raw_card(b"[" * 100_000), "more than 50000 values"),
    "empty": (raw_card(b""), "its card could not be read"),
    "huge": (raw_card(b'"' + b"x" * 9 * MB), "more than 8388608 bytes"),
    "404": (b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "it answered 404: there is nothing at this path"),
    "403": (b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", "it answered 403: access was refused"),
    "500": (b"HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n", "it answered 500"),
    "redirect": (
        b"HTTP/1.1 302 Found\r\nlocation: http://u:p@169.254.169.254/x?k=v\r\ncontent-length: 0\r\n\r\n",
        "it redirects to 'http://********@169.254.169.254/x?k=********', which is not followed",
    ),
    "gzip": (
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n" + gzip.compress(b" " * 100 * MB),
        "a compressed answer",
    ),
    "no HTTP": (b"SSH-2.0-x\r\n", "RemoteProtocolError"),
    "hung up": (b"", "RemoteProtocolError"),
    "cut": (b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{", "RemoteProtocolError"),
}


@pytest.mark.parametrize("name", PAGES)
async def test_an_answer_that_is_no_card_is_reported(name: str) -> None:
    data, told = PAGES[name]

    async def answer(method: str) -> AsyncIterator[bytes]:
        yield data

    async with raw_agent() as agent:
        agent.card, agent.answer = None, answer
        assert told in await read_card(agent)


async def test_a_card_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager_module, "A2A_CONNECT_TIMEOUT", 1)

    async def drip(method: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"
        while True:
            yield b" "
            await anyio.sleep(0.01)

    async with raw_agent() as agent:
        agent.card, agent.answer = None, drip
        assert await read_card(agent) == "it gave no answer in 1 s"


async def test_a_card_with_a_thousand_skills_is_cut_and_cleaned() -> None:
    skill = {"name": "s\x1b[31m\u202ex\n", "description": "d" * 3000, "examples": ["e\x00"] * 20, "id": "1", "tags": []}
    async with raw_agent() as agent:
        agent.card = lambda: agent.plain_card(
            name="raw\u202e\n\x07  agent" + "x" * 9000, description="\x1b]0;title\x07hi", skills=[skill] * 1000
        )
        manager = A2AManager([agent.url])
        await manager.initialize_agent_cards()
        (told,) = manager.list_remote_agents()
        config = AppConfig(a2a=A2AConfig(servers=(A2AServer(url=agent.url),)))
        async with Scripted(config) as runtime:
            content = (await runtime.execute(A2AListRemoteAgentsAction())).content
        await manager.close()
    assert told["name"] == f"raw agent{'x' * 91}..."
    assert told["description"] == "]0;titlehi"
    assert (len(told["skills"]), told["more_skills"]) == (100, 900)
    assert told["skills"][0]["name"] == "s[31mx"
    assert len(told["skills"][0]["description"]) < 2010
    assert told["skills"][0]["examples"] == ["e"] * 10
    assert not any(char in content for char in "\x1b\x07\u202e\x00")


ANSWERS: dict[str, tuple[Any, str]] = {
    "broken JSON": (stream({"task": TASK}, b'data: {"result": \n\n'), "JSON"),
    "no UTF-8": (stream(b"data: \xff\xfe\n\n"), "JSON"),
    "nested": (stream(b"data: " + b"[" * 40_000 + b"\n\n"), "RecursionError"),
    "no result": (stream(b'data: {"jsonrpc": "2.0"}\n\n'), "neither"),
    "a list": (stream(b"data: []\n\n"), "expected an object"),
    "null": (stream(b'data: {"result": null}\n\n'), "could not be read"),
    "a text": (stream(b'data: {"result": "x"}\n\n'), "could not be read"),
    "wrong types": (stream({"task": {"id": {}, "status": []}}), "could not be read"),
    "a surrogate": (stream(b'data: {"result": {"task": {"id": "\\ud800"}}}\n\n'), "could not be read"),
    "an error": (stream(b'data: {"error": {"code": -32603, "message": "out\\n\\u001b[1m"}}\n\n'), "out [1m"),
    "an error of text": (stream(b'data: {"error": "x"}\n\n'), "not an object"),
    "an old version": (stream(b'data: {"error": {"code": -32009, "message": "0.3"}}\n\n'), "not speak A2A 1.0: 0.3"),
    "an event of error": (stream(b"event: error\ndata: no\n\n"), "SSE stream error: no"),
    "nothing": (stream(), "without a task"),
    "only another task": (stream({"task": {**TASK, "id": ""}}), "without a task"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
async def test_an_answer_that_cannot_be_read_is_reported(name: str) -> None:
    answer, told = ANSWERS[name]
    async with raw_agent() as agent:
        agent.answer = answer
        with pytest.raises(RemoteAgentError) as raised:
            await send(agent)
        assert told in str(raised.value)
        assert "\x1b" not in str(raised.value)
        assert "\n" not in str(raised.value)
        agent.answer = finish
        assert len(await send(agent)) == 2


@pytest.mark.parametrize(("code", "kind"), [(401, RemoteAgentError), (404, RemoteAgentError), (503, RemoteAgentLost)])
async def test_an_error_of_http_is_reported(code: int, kind: type[Exception]) -> None:
    async def answer(method: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 %d Oops\r\ncontent-length: 0\r\n\r\n" % code

    async with raw_agent() as agent:
        agent.answer = answer
        with pytest.raises(kind, match=f"it answered {code}"):
            await send(agent)


async def test_a_part_of_ten_megabytes_is_refused_at_once() -> None:
    async with raw_agent() as agent:
        agent.answer = stream({"task": TASK}, artifact([{"text": "x" * 10 * MB}]), status("COMPLETED"))
        begun = time.monotonic()
        error = expect(ErrorObservation, await perform(agent))
    assert "it sent a message of more than 8388608 bytes. The task t was working" in error.content
    assert time.monotonic() - begun < 5


async def test_a_message_of_very_many_values_is_refused_and_one_of_very_many_commas_is_not() -> None:
    text = 'a, b, [c], {"d"}\\ ' * 60_000
    async with raw_agent() as agent:
        agent.answer = stream({"task": TASK}, artifact([{"data": [0] * 60_000}]), status("COMPLETED"))
        with pytest.raises(RemoteAgentError, match="more than 50000 values"):
            await send(agent)
        agent.answer = stream({"task": TASK}, artifact([{"text": text}]), status("COMPLETED"))
        assert [u.parts for u in await send(agent) if isinstance(u, ArtifactUpdate)] == [({"text": text},)]


async def test_a_stream_without_end_is_stopped_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_body, "A2A_TASK_LIMIT", MB)

    async def forever(method: str) -> AsyncIterator[bytes]:
        yield STREAM + event({"task": TASK})
        while True:
            yield event(status("WORKING", "still " * 1000))

    async with raw_agent() as agent:
        agent.answer = forever
        error = expect(ErrorObservation, await perform(agent))
    assert "it sent more than 1048576 bytes about one task. The task t was working" in error.content
    assert len(error.content) < 40_000


async def test_a_line_without_end_is_stopped_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forever(method: str) -> AsyncIterator[bytes]:
        yield STREAM + b"data: "
        while True:
            yield b"x" * 100_000

    async with raw_agent() as agent:
        agent.answer = forever
        with pytest.raises(RemoteAgentError, match="a message of more than 8388608 bytes"):
            await send(agent)


async def test_a_slow_stream_without_end_is_stopped_at_the_time_limit() -> None:
    async def drip(method: str) -> AsyncIterator[bytes]:
        yield STREAM + event({"task": TASK})
        while True:
            yield b": ping\n\n"
            await anyio.sleep(0.01)

    async with raw_agent() as agent:
        agent.answer = lambda method: drip(method) if method == "SendStreamingMessage" else finish(method)
        error = expect(ErrorObservation, await perform(agent, timeout=0.5))
    assert "it was not done in 0.5 s, and the task t could not be cancelled: " in error.content
    assert agent.calls == ["card", "SendStreamingMessage", "CancelTask"]


async def test_a_cancel_that_is_never_answered_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.runtime.a2a.agent_actions.A2A_CANCEL_WAIT", 0.3)

    async def hang(method: str) -> AsyncIterator[bytes]:
        yield STREAM + event({"task": TASK})
        await anyio.sleep_forever()

    async with raw_agent() as agent:
        agent.answer = hang
        begun = time.monotonic()
        error = expect(ErrorObservation, await perform(agent, timeout=0.3))
    assert "the task t could not be cancelled: it gave no answer in 0.3 s" in error.content
    assert time.monotonic() - begun < 5


async def test_what_comes_after_the_end_of_a_task_is_not_waited_for() -> None:
    async def more(method: str) -> AsyncIterator[bytes]:
        yield STREAM + event({"task": TASK}) + event(status("COMPLETED", "done"))
        while True:
            yield event(status("WORKING", "and more"))
            await anyio.sleep(0.01)

    async with raw_agent() as agent:
        agent.answer = more
        begun = time.monotonic()
        done = expect(A2ASendTaskObservation, await perform(agent))
    assert (done.state, done.content) == ("completed", "raw has completed the task.\ndone")
    assert time.monotonic() - begun < 2


async def test_updates_of_other_tasks_are_passed_over() -> None:
    async with raw_agent() as agent:
        agent.answer = stream({"task": TASK}, status("COMPLETED", "no", task="other"), status("FAILED", "yes"))
        updates = await send(agent)
    assert [update.state for update in updates if isinstance(update, StatusUpdate)] == ["working", "failed"]


async def test_an_agent_may_answer_without_a_task() -> None:
    async with raw_agent() as agent:
        agent.answer = stream({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "four"}]}})
        done = expect(A2ASendTaskObservation, await perform(agent))
    assert (done.state, done.task_id, done.content) == ("completed", None, "raw has completed the task.\nfour")


async def test_text_is_passed_on_without_what_controls_a_terminal() -> None:
    text = "a\u2028b\u2029c\x85d\x1b[2J\u202eé\U000e0041\t\nline"
    async with raw_agent() as agent:
        agent.answer = stream({"task": TASK}, artifact([{"text": text}]), status("COMPLETED", text))
        done = expect(A2ASendTaskObservation, await perform(agent))
    assert done.artifacts[0]["parts"] == [{"text": "a\u2028b\u2029cd[2Jé\t\nline"}]
    assert "\x1b" not in done.content


async def test_a_stream_that_is_cut_is_taken_up_again() -> None:
    whole = {**TASK, "artifacts": [{"artifactId": "a", "parts": [{"text": "one two "}]}]}

    def look(method: str) -> AsyncIterator[bytes]:
        return result(whole)

    answers: dict[str, Answer] = {
        "SendStreamingMessage": stream({"task": TASK}, artifact([{"text": "one "}]), status("WORKING", "begun")),
        "GetTask": look,
        "SubscribeToTask": stream({"task": TASK}, artifact([{"text": "three"}], append=True), status("COMPLETED")),
    }
    heard: list[str] = []
    async with raw_agent() as agent:
        agent.answer = lambda method: answers[method](method)
        config = AppConfig(a2a=A2AConfig(servers=(A2AServer(url=agent.url),)))
        with anyio.fail_after(PATIENCE):
            async with Scripted(config) as runtime:
                done = await runtime.execute(
                    A2ASendTaskAction("raw", "hi"), on_output=lambda _, text: heard.append(text)
                )
    assert expect(A2ASendTaskObservation, done).artifacts[0]["parts"] == [{"text": "one two three"}]
    assert "".join(heard) == "one begun\ntwo three"
    assert agent.calls == ["card", "SendStreamingMessage", "GetTask", "SubscribeToTask"]


async def test_an_answer_to_a_question_that_did_not_arrive_is_an_error() -> None:
    asks = {**TASK, "status": {"state": "TASK_STATE_INPUT_REQUIRED"}}

    async def hang_up(method: str) -> AsyncIterator[bytes]:
        if method == "GetTask":
            async for piece in result(asks):
                yield piece

    async with raw_agent() as agent:
        agent.answer = hang_up
        with pytest.raises(RemoteAgentLost):
            await send(agent, task_id="t")
    assert agent.calls == ["card", "SendStreamingMessage"]


@pytest.mark.parametrize("settled", [True, False])
async def test_a_task_that_is_continued_may_first_be_told_as_it_was(settled: bool) -> None:
    asks = {**TASK, "status": {"state": "TASK_STATE_INPUT_REQUIRED"}}
    answers: dict[str, Answer] = {
        "SendStreamingMessage": stream({"task": asks}, *([status("COMPLETED")] if settled else [])),
        "GetTask": lambda method: result(asks),
    }
    async with raw_agent() as agent:
        agent.answer = lambda method: answers[method](method)
        updates = await send(agent, task_id="t")
    states = [update.state for update in updates if isinstance(update, StatusUpdate)]
    assert states == ["completed" if settled else "input-required"]


async def test_a_server_that_cannot_take_up_a_stream_is_polled() -> None:
    refusal = {"jsonrpc": "2.0", "id": "1", "error": {"code": -32004, "message": "no"}}
    looks = 0

    def answer(method: str) -> AsyncIterator[bytes]:
        nonlocal looks
        if method == "GetTask":
            looks += 1
            return result({**TASK, "status": {"state": "TASK_STATE_COMPLETED" if looks == 3 else "TASK_STATE_WORKING"}})
        return stream({"task": TASK})(method) if method == "SendStreamingMessage" else page(refusal)

    async with raw_agent() as agent:
        agent.answer = answer
        updates = await send(agent)
    assert isinstance(updates[-1], StatusUpdate)
    assert updates[-1].state == "completed"
    assert agent.calls == ["card", "SendStreamingMessage", *["GetTask", "SubscribeToTask"] * 2, "GetTask"]


async def test_a_server_that_has_forgotten_the_task_is_an_error_that_says_how_far_it_came() -> None:
    lost = {"jsonrpc": "2.0", "id": "1", "error": {"code": -32001, "message": "Task not found"}}
    async with raw_agent() as agent:
        agent.answer = lambda method: (
            page(lost) if method == "GetTask" else stream({"task": TASK}, artifact([{"text": "half"}]))(method)
        )
        error = expect(ErrorObservation, await perform(agent))
    assert error.content == (
        "The task of the remote agent raw failed: Task not found. "
        "The task t was working when it was last heard of:\n[artifact a]\nhalf"
    )


async def test_too_many_artifacts_are_left_out_with_a_note() -> None:
    async def many(method: str) -> AsyncIterator[bytes]:
        yield STREAM + event({"task": TASK})
        for number in range(5):
            yield event(artifact([{"text": "x" * 2 * MB}], f"a{number}"))
        for number in range(5_000):
            yield event(artifact([{"text": ""}], f"b{number}"))
        yield event(status("COMPLETED"))

    async with raw_agent() as agent:
        agent.answer = many
        done = expect(A2ASendTaskObservation, await perform(agent))
    kept = sum(len(part["text"]) for each in done.artifacts for part in each["parts"])
    assert kept <= A2A_ARTIFACTS_LIMIT
    assert len(json.dumps(done.artifacts)) < 2 * A2A_ARTIFACTS_LIMIT
    assert sum(each.get("left_out", 0) for each in done.artifacts) >= 2 * MB
    assert len(done.content) < 40_000


def certify(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with authority.issue_cert(name).private_key_and_cert_chain_pem.tempfile() as path:
        context.load_cert_chain(path)
    return context


@pytest.mark.parametrize("name", ["localhost", "elsewhere.test"])
async def test_a_certificate_is_checked_for_the_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    async with raw_agent(certify(authority, name)) as agent:
        if name == "localhost":
            assert len(await send(agent)) == 2
        why = await read_card(agent)
    assert ("certificate" in why.lower()) is (name != "localhost")


async def test_a_certificate_of_a_stranger_is_refused() -> None:
    async with raw_agent(certify(trustme.CA(), "localhost")) as agent:
        assert "certificate" in (await read_card(agent)).lower()
