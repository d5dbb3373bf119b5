"""A model behind HTTP: sends requests, reads answers as they arrive, and tries again what may pass."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

import anyio
from msgspec import structs

from cloche.config import LLMConfig
from cloche.errors import LLMError
from cloche.limits import KB
from cloche.llm.answer import Answer
from cloche.llm.answer_reader import AnswerReader, Patience
from cloche.llm.connection import Connection, ServerResponse
from cloche.llm.endpoint import Endpoint
from cloche.llm.failures import FailureWording
from cloche.llm.faults import AnswerFault, ServerFault, read_body
from cloche.llm.messages import Delta, Message, Reply, ToolSpec, Usage
from cloche.llm.model import LLM
from cloche.llm.model_api import ModelAPI, encode_json
from cloche.llm.retries import Retry, RetryPlan
from cloche.llm.tokens import estimate_cost, estimate_text, estimate_tokens

ERROR_BODY = 64 * KB
"""Bytes that are read of the body of an error."""


class HTTPModel(LLM):
    """A model of a server."""

    def __init__(
        self, api: ModelAPI, endpoint: Endpoint, config: LLMConfig, *, on_retry: Callable[[Retry], None] | None = None
    ) -> None:
        self.model = endpoint.model
        self._api = api
        self._config = config
        self._on_retry = on_retry
        self._connection = Connection(endpoint)
        self._wording = FailureWording(endpoint)

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> AsyncGenerator[Delta]:
        """The answer, piece by piece; one that breaks off starts again after a Delta with `restart`."""
        plan = RetryPlan(self._config.num_retries, self._on_retry)
        while True:
            heard = False
            try:
                async with aclosing(self._attempt(messages, tools)) as deltas:
                    async for delta in deltas:
                        heard = True
                        yield delta
                return
            except ServerFault as fault:
                error = self._wording.explain_server(fault)
                pause = 0.0 if self._api.adapt(fault) else plan.next_pause(error)
            except AnswerFault as fault:
                error = self._wording.explain_answer(fault)
                pause = plan.next_pause(error)
            except LLMError as found:
                error = found
                pause = plan.next_pause(error)
            if heard:
                yield Delta(restart=str(error))
            await anyio.sleep(pause)

    async def close(self) -> None:
        await self._connection.close()

    async def _attempt(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> AsyncGenerator[Delta]:
        body = encode_json(self._api.write_request(messages, tools))
        patience = Patience(self._config.timeout, self._wording)
        response = await patience.await_within(self._connection.post(body))
        try:
            if not 200 <= response.status < 300:
                raise await _read_fault(response, patience)
            answer = Answer()
            reader = AnswerReader(response, self._api, answer, patience)
            while not answer.ended and await reader.read_more():
                if text := answer.take_text():
                    yield Delta(text)
            if text := answer.take_text():
                yield Delta(text)
            reply = answer.finish()
            await reader.read_end()
        finally:
            await response.close()
        if answer.refusal or reply.finish_reason == "content_filter":
            raise self._wording.explain_refusal(answer.refusal)
        yield Delta(reply=self._with_usage(reply, messages, tools))

    def _with_usage(self, reply: Reply, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        usage = reply.usage
        if usage.estimated:
            written = reply.text + "".join(f"{call.name}{call.arguments}" for call in reply.tool_calls)
            usage = Usage(estimate_tokens(messages, tools), estimate_text(written), estimated=True)
        return structs.replace(
            reply, usage=usage, cost=estimate_cost(usage, self._config), model=reply.model or self.model
        )


async def _read_fault(response: ServerResponse, patience: Patience) -> ServerFault:
    pieces: list[bytes] = []
    while sum(map(len, pieces)) < ERROR_BODY and (piece := await patience.await_within(response.read())):
        pieces.append(piece)
    location = response.headers.get("location", "") if 300 <= response.status < 400 else ""
    complaint = read_body(b"".join(pieces) or location.encode())
    return ServerFault(response.status, complaint, response.headers)
