"""The scripted server, asked by plain HTTP."""

import http.client
import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from cloche.llm import ToolCall
from cloche.llm.scripted_server import ReceivedRequest, ScriptedServer, ServerTurn


def post(url: str, body: Any, **headers: str) -> tuple[int, bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_both_apis_answer_from_one_script() -> None:
    with ScriptedServer(["one", ToolCall("c", "ls", "{}")]) as server:
        status, body = post(f"{server.base_url}/chat/completions", {"model": "m"}, authorization="Bearer k")
        assert (status, json.loads(body)["choices"][0]["message"]["content"]) == (200, "one")
        status, body = post(f"{server.origin}/v1/messages", {"model": "m", "stream": True})
        assert status == 200
        assert body.startswith(b"event: message_start\n")
        assert b'"tool_use"' in body
        assert [request.path for request in server.received] == ["/v1/chat/completions", "/v1/messages"]
        assert server.received[0].headers["authorization"] == "Bearer k"
        assert server.received[0].body == {"model": "m"}


def test_a_script_may_be_a_function() -> None:
    def answer(request: ReceivedRequest) -> str:
        return f"You said {request.body['messages'][-1]['content']}."

    with ScriptedServer(answer) as server:
        _, body = post(f"{server.base_url}/chat/completions", {"messages": [{"role": "user", "content": "hi"}]})
        assert json.loads(body)["choices"][0]["message"]["content"] == "You said hi."


def test_what_is_wrong_is_answered_so() -> None:
    with ScriptedServer([], key="k") as server:
        assert post(f"{server.base_url}/embeddings", {})[0] == 404
        assert post(f"{server.base_url}/chat/completions", {})[0] == 401
        status, body = post(f"{server.origin}/v1/messages", b"\xff", **{"x-api-key": "k"})
        assert (status, json.loads(body)["type"]) == (400, "error")
        assert "no more turns" in body.decode()


def test_models_are_listed() -> None:
    with ScriptedServer() as server, urllib.request.urlopen(f"{server.base_url}/models", timeout=5) as response:
        assert json.load(response)["data"][0]["id"] == "scripted"


def test_closing_ends_a_connection_that_hangs() -> None:
    with ScriptedServer([ServerTurn(text="x", fault="hang")]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", int(server.origin.rpartition(":")[2]), timeout=5)
        connection.request("POST", "/v1/chat/completions", b'{"stream": true}')
        response = connection.getresponse()
        server.close()
        with pytest.raises(http.client.IncompleteRead):
            response.read()
        connection.close()
    assert not server.received[0].gone.is_set()
