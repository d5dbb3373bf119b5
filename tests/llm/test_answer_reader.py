"""Bodies of answers, whatever is in them."""

from collections.abc import Mapping
from itertools import pairwise

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.config import LLMConfig, Secret
from cloche.errors import LLMError
from cloche.llm.answer import Answer
from cloche.llm.answer_reader import AnswerReader, Patience
from cloche.llm.anthropic import AnthropicMessages
from cloche.llm.endpoint import find_endpoint
from cloche.llm.failures import FailureWording
from cloche.llm.faults import AnswerFault, ServerFault
from cloche.llm.messages import Reply, ToolCall
from cloche.llm.model_api import ModelAPI
from cloche.llm.openai_compatible import OpenAIChat
from cloche.llm.scripted_server.anthropic_wire import AnthropicWire
from cloche.llm.scripted_server.openai_wire import OpenAIWire
from cloche.llm.scripted_server.turns import ServerTurn

CONFIG = LLMConfig(model="m", base_url="http://h/v1", api_key=Secret("sk-0123456789"))
WORDING = FailureWording(find_endpoint(CONFIG))
TURN = ServerTurn(text="Hello there.", tool_calls=(ToolCall("c", "bash", '{"command": "ls"}'),))
OPENAI = b"".join(OpenAIWire().write_stream(TURN, "m"))
ANTHROPIC = b"".join(AnthropicWire().write_stream(TURN, "m"))
DOCUMENTS = [msgspec.json.encode(wire.write_document(TURN, "m")) for wire in (OpenAIWire(), AnthropicWire())]
APIS = st.sampled_from([OpenAIChat("m", CONFIG), AnthropicMessages("m", CONFIG)])
WORDS = st.sampled_from([b"null", b"{}", b"[]", b"3", b'"x"', b"-1e9", b"true", b"\\ud800", b"\xff", b"\n\n", b""])
FIELDS = st.sampled_from(
    [
        *("choices", "delta", "message", "content", "tool_calls", "function", "arguments", "index", "id", "usage"),
        *("type", "content_block", "error", "code", "text", "input", "partial_json", "finish_reason", "object"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(FIELDS | st.text(), inner),
)


class Pieces:
    """A response whose body is already there."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)
        self.headers: Mapping[str, str] = {}

    async def read(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


def read(api: ModelAPI, *pieces: bytes) -> Reply:
    """The answer in a body; raises what the model makes an LLMError of."""

    async def read_all() -> Reply:
        answer = Answer()
        reader = AnswerReader(Pieces(*pieces), api, answer, Patience(5, WORDING))
        while not answer.ended and await reader.read_more():
            pass
        return answer.finish()

    return anyio.run(read_all)


def try_reading(api: ModelAPI, *pieces: bytes) -> None:
    try:
        read(api, *pieces)
    except AnswerFault as fault:
        error: LLMError = WORDING.explain_answer(fault)
    except ServerFault as fault:
        error = WORDING.explain_server(fault)
    else:
        return
    assert len(str(error)) < 1000


@given(APIS, st.binary())
def test_any_bytes_are_an_answer_or_an_error(api: ModelAPI, body: bytes) -> None:
    try_reading(api, body)


@given(APIS, JSON)
def test_any_json_is_an_answer_or_an_error(api: ModelAPI, value: object) -> None:
    body = msgspec.json.encode(value)
    try_reading(api, body)
    try_reading(api, b"data: " + body + b"\n\n")


@given(APIS, st.sampled_from([OPENAI, ANTHROPIC, *DOCUMENTS]), st.data())
def test_a_damaged_answer_is_an_answer_or_an_error(api: ModelAPI, body: bytes, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(body)))
        end = data.draw(st.integers(start, min(len(body), start + 40)))
        body = body[:start] + data.draw(WORDS) + body[end:]
    try_reading(api, body)


@pytest.mark.parametrize(
    ("api", "body"), [(OpenAIChat("m", CONFIG), OPENAI), (AnthropicMessages("m", CONFIG), ANTHROPIC)]
)
@given(places=st.lists(st.integers(1, 900)))
def test_an_answer_does_not_depend_on_how_its_bytes_are_cut(api: ModelAPI, body: bytes, places: list[int]) -> None:
    ends = sorted({0, len(body), *places})
    pieces = [body[start:end] for start, end in pairwise(ends)]
    assert read(api, *filter(None, pieces)) == read(api, body)
