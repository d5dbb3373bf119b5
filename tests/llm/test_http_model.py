"""Models behind HTTP, on good and on bad days."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import anyio
import pytest
from anyio import to_thread

from cloche.errors import (
    LLMBadReply,
    LLMContextExceeded,
    LLMError,
    LLMOutOfCredits,
    LLMRateLimited,
    LLMRefused,
    LLMRequestInvalid,
    LLMUnauthorized,
    LLMUnavailable,
)
from cloche.llm import LLM, Delta, Message, Reply, Retry, ToolCall, ToolSpec, Usage, answer_reader, ask
from cloche.llm.scripted_server import ReceivedRequest, ServerTurn
from tests.llm.conftest import HELLO, WAIT, Connect, serving

LS = ToolCall("call_1", "bash", '{"command": "ls"}')
CAT = ToolCall("call_2", "bash", '{"command": "cat a.txt"}')
BOTH = [("bash", LS.arguments), ("bash", CAT.arguments)]
BASH = ToolSpec("bash", "Runs a command.", {"type": "object", "properties": {"command": {"type": "string"}}})
NOW = {"retry-after": "0"}
TEXT = "The quick brown fox jumps over the lazy dog."


async def ask_once(llm: LLM, tools: Sequence[ToolSpec] = ()) -> Reply:
    async with llm:
        return await ask(llm, HELLO, tools)


async def fail_once(llm: LLM, kind: type[LLMError]) -> LLMError:
    with pytest.raises(kind) as found:
        await ask_once(llm)
    return found.value


async def wait_gone(request: ReceivedRequest) -> bool:
    return await to_thread.run_sync(request.gone.wait, WAIT)


async def test_an_answer_streams(connect: Connect) -> None:
    async with serving([TEXT]) as server, connect(server) as llm, aclosing(llm.stream(HELLO)) as stream:
        deltas = [delta async for delta in stream]
    *texts, last = deltas
    assert "".join(delta.text for delta in texts) == TEXT
    assert len(texts) > 1
    assert last == Delta(reply=last.reply)
    assert last.reply is not None
    assert (last.reply.text, last.reply.finish_reason, last.reply.model) == (TEXT, "stop", "a-model")
    assert last.reply.usage == Usage(12, 5)


async def test_text_that_is_no_unicode_can_be_sent(connect: Connect) -> None:
    call = ToolCall("c1", "bash", '{"command": "cat \udcff"}')
    messages = [
        Message("user", "caf\udce9"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "é\ud800", tool_call_id="c1"),
    ]
    async with serving(["ok"]) as server, connect(server) as llm:
        assert (await ask(llm, messages)).text == "ok"
    assert "caf?" in str(server.received[0].body)
    assert "é?" in str(server.received[0].body)


@pytest.mark.parametrize("calls", ["pieces", "whole", "bare"])
async def test_tool_calls_arrive(connect: Connect, calls: Any) -> None:
    turn = ServerTurn(text="I look.", tool_calls=(LS, CAT), calls=calls)
    async with serving([turn]) as server:
        reply = await ask_once(connect(server), [BASH])
    assert [(call.name, call.arguments) for call in reply.tool_calls] == BOTH
    assert (reply.text, reply.finish_reason) == ("I look.", "tool_calls")
    assert server.received[0].body["tools"]


@pytest.mark.parametrize("calls", [(), (LS, CAT)])
async def test_a_server_may_not_stream(connect: Connect, calls: tuple[ToolCall, ...]) -> None:
    async with serving([ServerTurn(text=TEXT, tool_calls=calls, streams=False)]) as server:
        reply = await ask_once(connect(server))
    assert (reply.text, reply.usage) == (TEXT, Usage(12, 5))
    assert [call.id for call in reply.tool_calls] == [call.id for call in calls]


async def test_tokens_are_estimated_if_the_server_does_not_count_them(connect: Connect) -> None:
    async with serving([ServerTurn(text=TEXT, usage=None)]) as server:
        usage = (await ask_once(connect(server))).usage
    assert usage.estimated
    assert 5 < usage.input_tokens < 30
    assert 8 < usage.output_tokens < 20


async def test_a_cost_is_estimated_from_the_prices(connect: Connect) -> None:
    prices: dict[str, Any] = {
        "input_cost_per_token": 0.5,
        "cached_input_cost_per_token": 0.25,
        "output_cost_per_token": 2.0,
    }
    async with serving([ServerTurn(text="a", usage=Usage(12, 5, 4))] * 2) as server:
        assert (await ask_once(connect(server, **prices))).cost == 8 * 0.5 + 4 * 0.25 + 5 * 2.0
        assert (await ask_once(connect(server))).cost is None


async def test_one_connection_serves_many_requests(connect: Connect) -> None:
    async with serving([TEXT] * 5) as server, connect(server) as llm:
        for _ in range(5):
            await ask(llm, HELLO)
    assert len({request.client_port for request in server.received}) == 1


@pytest.mark.parametrize(
    ("turn", "kind", "told"),
    [
        (ServerTurn(status=401, error="bad key"), LLMUnauthorized, "answered 401: bad key. Check .llm. api_key"),
        (ServerTurn(status=402, error="pay"), LLMOutOfCredits, "Add credit to the account"),
        (ServerTurn(status=400, error="prompt is too long"), LLMContextExceeded, "Send less"),
        (ServerTurn(status=400, error="x", kind="content_filter"), LLMRefused, "Ask in another way"),
        (ServerTurn(status=404, error="no such model"), LLMRequestInvalid, "Check .llm. model and base_url"),
        (ServerTurn(status=429, headers={"retry-after": "9"}), LLMRateLimited, "try again in 9 s"),
        (ServerTurn(status=500), LLMUnavailable, "answered 500"),
        (ServerTurn(status=502, body=b"<html>Bad gateway</html>"), LLMUnavailable, "answered 502. Try again"),
        (ServerTurn(status=307, headers={"location": "http://evil/"}), LLMRequestInvalid, "Redirects are not followed"),
        (ServerTurn(body=b"<html>Welcome</html>"), LLMBadReply, "it begins with: <html>Welcome.*base_url"),
        (ServerTurn(body=b'{"choices": 3}'), LLMBadReply, "cannot be used: it "),
        (ServerTurn(body=b"{}"), LLMBadReply, "it has no c"),
        (ServerTurn(body=b""), LLMBadReply, "it is empty"),
        (ServerTurn(body=b"[" * 100_000), LLMBadReply, "not what this API sends"),
        (ServerTurn(text=TEXT, fault="garbage"), LLMBadReply, "not what this API sends"),
        (ServerTurn(text=TEXT, fault="cut", fault_at=3), LLMBadReply, "it broke off before its end"),
        (ServerTurn(text=TEXT, fault="cut", fault_at=0), LLMBadReply, "it is empty"),
        (ServerTurn(text=TEXT, fault="drop"), LLMUnavailable, "broke off the connection"),
        (ServerTurn(text=TEXT, fault="drop", fault_at=-1), LLMUnavailable, "broke off the connection"),
        (ServerTurn(text=TEXT, fault="reset"), LLMUnavailable, "broke off the connection"),
        (ServerTurn(text=TEXT, fault="reset", fault_at=-1), LLMUnavailable, "broke off the connection"),
        (ServerTurn(text=TEXT, fault="error", kind="overloaded_error"), LLMUnavailable, "answered 529"),
        (ServerTurn(tool_calls=(CAT,), fault="cut", fault_at=3), LLMBadReply, "it broke off before its end"),
        (ServerTurn(text=TEXT, streams=False, fault="cut", fault_at=1), LLMBadReply, "not what this API sends"),
        (ServerTurn(text="x" * 10_000_000, piece=100_000), LLMBadReply, "longer than 4,194,304 characters"),
        (ServerTurn(text="x" * 10_000_000, piece=10_000_000), LLMBadReply, "larger than 8,388,608 bytes"),
        (ServerTurn(text="x" * 10_000_000, streams=False), LLMBadReply, "larger than 8,388,608 bytes"),
        (ServerTurn(text=TEXT, fault="endless"), LLMBadReply, "longer than 4,194,304 characters"),
        (ServerTurn(text=TEXT, finish_reason="content_filter"), LLMRefused, "because of a content policy"),
    ],
    ids=lambda value: f"{value.status}-{value.fault}" if isinstance(value, ServerTurn) else "",
)
async def test_a_failure_says_what_happened_and_what_to_do(
    connect: Connect, turn: ServerTurn, kind: type[LLMError], told: str
) -> None:
    async with serving([turn]) as server:
        error = await fail_once(connect(server, api_key=None), kind)
    assert str(error).startswith("a-model at http://127.0.0.1:")
    with pytest.raises(LLMError, match=told):
        raise error


async def test_half_a_tool_call_is_passed_on_if_the_limit_of_tokens_cut_it(connect: Connect) -> None:
    half = ToolCall("call_1", "bash", '{"command": "l')
    turn = ServerTurn(tool_calls=(half,), finish_reason="length" if connect.api == "openai" else "max_tokens")
    async with serving([turn]) as server:
        reply = await ask_once(connect(server))
    assert (reply.tool_calls, reply.finish_reason) == ((half,), "length")


@pytest.mark.parametrize(("fault", "fault_at"), [("hang", -1), ("hang", 0), ("hang", 3), ("pings", 0), ("pings", 3)])
async def test_silence_is_not_waited_for(connect: Connect, fault: Any, fault_at: int) -> None:
    async with serving([ServerTurn(text=TEXT, fault=fault, fault_at=fault_at)]) as server:
        error = await fail_once(connect(server, timeout=0.8), LLMUnavailable)
        when = "in the middle of its answer" if fault_at > 0 else "before its answer began"
        assert f"sent nothing for 0.8 s {when}. Raise [llm] timeout" in str(error)
        assert await wait_gone(server.received[0])


async def test_slow_tokens_are_no_silence(connect: Connect) -> None:
    async with serving([ServerTurn(text="abcdefghij", piece=1, pause=0.1)]) as server:
        assert (await ask_once(connect(server, timeout=0.6))).text == "abcdefghij"


async def test_a_whole_answer_has_a_deadline(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_reader, "LLM_TOTAL_TIMEOUT", 0.3)
    async with serving([ServerTurn(text="x" * 1000, piece=1, pause=0.05)]) as server:
        error = await fail_once(connect(server, num_retries=3), LLMUnavailable)
    assert "was not done after 0.3 s" in str(error)
    assert not error.passing


@pytest.mark.parametrize(
    "turn",
    [
        ServerTurn(status=429, headers=NOW),
        ServerTurn(status=500, headers=NOW),
        ServerTurn(status=529, headers=NOW),
        ServerTurn(fault="drop", fault_at=-1),
        ServerTurn(fault="reset", fault_at=-1),
        ServerTurn(fault="cut", fault_at=0),
        ServerTurn(body=b"{"),
    ],
    ids=lambda turn: f"{turn.status}-{turn.fault}",
)
async def test_what_may_pass_is_tried_again(
    connect: Connect, turn: ServerTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.llm.retries.LLM_FIRST_PAUSE", 0.01)
    retries: list[Retry] = []
    async with serving([turn, turn, TEXT]) as server:
        reply = await ask_once(connect(server, num_retries=2, on_retry=retries.append))
    assert reply.text == TEXT
    assert [(each.attempt, each.attempts) for each in retries] == [(1, 3), (2, 3)]
    assert all(request.body == server.received[0].body for request in server.received)


async def test_attempts_are_counted(connect: Connect) -> None:
    async with serving([ServerTurn(status=503, headers=NOW)] * 9) as server:
        error = await fail_once(connect(server, num_retries=3), LLMUnavailable)
    assert len(server.received) == 4
    assert str(error).endswith("(4 attempts)")


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404])
async def test_what_cannot_pass_is_not_tried_again(connect: Connect, status: int) -> None:
    async with serving([ServerTurn(status=status)] * 9) as server:
        await fail_once(connect(server, num_retries=3), LLMError)
    assert len(server.received) == 1


async def test_a_server_that_wants_a_long_pause_is_not_waited_for(connect: Connect) -> None:
    async with serving([ServerTurn(status=429, headers={"retry-after": "4000"})] * 2) as server:
        error = await fail_once(connect(server, num_retries=3), LLMRateLimited)
    assert (error.retry_after, len(server.received)) == (4000.0, 1)


async def test_an_answer_that_breaks_off_starts_again(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.llm.retries.LLM_FIRST_PAUSE", 0.01)
    script = [ServerTurn(text=TEXT, fault="reset", fault_at=4), "Another answer."]
    async with serving(script) as server, connect(server, num_retries=1) as llm, aclosing(llm.stream(HELLO)) as stream:
        deltas = [delta async for delta in stream]
    (at,) = [number for number, delta in enumerate(deltas) if delta.restart]
    assert "broke off the connection" in deltas[at].restart
    assert TEXT.startswith("".join(delta.text for delta in deltas[:at]))
    assert "".join(delta.text for delta in deltas[at:]) == "Another answer."
    assert deltas[-1].reply is not None
    assert deltas[-1].reply.text == "Another answer."


@pytest.mark.parametrize("turn", [ServerTurn(text=TEXT, fault="hang", fault_at=at) for at in (-1, 0, 3)])
async def test_cancelling_closes_the_connection(connect: Connect, turn: ServerTurn) -> None:
    async with serving([turn]) as server, connect(server) as llm:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, llm, HELLO)
            await to_thread.run_sync(server.asked.wait, WAIT)
            tasks.cancel_scope.cancel()
        assert await wait_gone(server.received[0])


async def test_closing_the_stream_closes_the_connection(connect: Connect) -> None:
    async with serving([ServerTurn(text=TEXT, fault="endless")]) as server, connect(server) as llm:
        async with aclosing(llm.stream(HELLO)) as stream:
            async for delta in stream:
                if delta.text:
                    break
        assert await wait_gone(server.received[0])


async def test_cancelling_ends_a_pause(connect: Connect) -> None:
    paused = anyio.Event()

    def note(_: Retry) -> None:
        paused.set()

    turn = ServerTurn(status=429, headers={"retry-after": "200"})
    async with (
        serving([turn]) as server,
        connect(server, num_retries=1, on_retry=note) as llm,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(ask, llm, HELLO)
        await paused.wait()
        tasks.cancel_scope.cancel()


async def test_many_answers_at_once(connect: Connect) -> None:
    async with serving([TEXT] * 20) as server, connect(server) as llm, anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(ask, llm, HELLO)
    assert len(server.received) == 20


async def test_closing_a_model_ends_its_answers(connect: Connect) -> None:
    async with serving([ServerTurn(text=TEXT, fault="hang", fault_at=3)]) as server:
        llm = connect(server, num_retries=3)
        async with aclosing(llm.stream(HELLO)) as stream:
            assert (await anext(stream)).text
            await llm.close()
            with pytest.raises(LLMUnavailable):
                async for _ in stream:
                    pass
        assert await wait_gone(server.received[0])


async def test_a_closed_model_says_so(connect: Connect) -> None:
    async with serving([TEXT]) as server:
        llm = connect(server, num_retries=3)
        await ask_once(llm)
        await llm.close()
        error = await fail_once(llm, LLMUnavailable)
    assert "is closed" in str(error)


async def test_a_server_may_keep_silent_after_the_end(connect_openai: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some send neither tokens nor [DONE], and leave the connection open."""
    monkeypatch.setattr(answer_reader, "LAST_WAIT", 0.1)
    for fault in ("hang", "pings"):
        async with serving([ServerTurn(text="abc", fault=fault, fault_at=3)]) as server:
            reply = await ask_once(connect_openai(server))
        assert (reply.text, reply.usage.estimated) == ("abc", True)


async def test_a_request_is_written_anew_for_an_older_server(connect_openai: Connect) -> None:
    def answer(request: ReceivedRequest) -> ServerTurn:
        if "stream_options" in request.body:
            return ServerTurn(status=400, error="Unrecognized request argument supplied: stream_options")
        if "max_tokens" in request.body:
            return ServerTurn(status=400, error="Unsupported parameter: use 'max_completion_tokens' instead.")
        return ServerTurn(text=TEXT)

    async with serving(answer) as server, connect_openai(server, max_output_tokens=7) as llm:
        assert (await ask(llm, HELLO)).text == TEXT
        assert (await ask(llm, HELLO)).text == TEXT
    assert len(server.received) == 4
