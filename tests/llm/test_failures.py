"""Which error it is, in the words of many servers."""

import time
from email.utils import formatdate

import msgspec
import pytest

from cloche.config import LLMConfig, Secret
from cloche.errors import (
    ClocheError,
    LLMContextExceeded,
    LLMError,
    LLMOutOfCredits,
    LLMRateLimited,
    LLMRefused,
    LLMRequestInvalid,
    LLMUnauthorized,
    LLMUnavailable,
)
from cloche.llm.endpoint import find_endpoint
from cloche.llm.failures import FailureWording, read_retry_after
from cloche.llm.faults import ServerFault, read_body, stream_fault

KEY = "sk-0123456789abcdef"
WORDING = FailureWording(find_endpoint(LLMConfig(model="m", base_url="http://u:pa55@h/v1?k=qq", api_key=Secret(KEY))))
CASES: list[tuple[int, object, type[LLMError]]] = [
    (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, LLMUnauthorized),
    (403, {"error": {"type": "permission_error", "message": "no access"}}, LLMUnauthorized),
    (402, {"error": {"message": "Payment required"}}, LLMOutOfCredits),
    (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, LLMOutOfCredits),
    (400, {"type": "error", "error": {"message": "Your credit balance is too low"}}, LLMOutOfCredits),
    (429, {"error": {"message": "Rate limit reached for m"}}, LLMRateLimited),
    (429, {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}, LLMRateLimited),
    (429, {"error": {"message": "Request too large for m on tokens per min (TPM)"}}, LLMContextExceeded),
    (400, {"error": {"code": "context_length_exceeded", "message": "too much"}}, LLMContextExceeded),
    (400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}, LLMContextExceeded),
    (400, {"object": "error", "message": "maximum context length is 4096 tokens", "code": 400}, LLMContextExceeded),
    (400, {"error": {"type": "exceed_context_size_error", "message": "request (9) exceeds"}}, LLMContextExceeded),
    (500, {"error": {"message": "the request exceeds the available context size"}}, LLMContextExceeded),
    (400, {"type": "error", "error": {"message": "prompt is too long: 210000 tokens"}}, LLMContextExceeded),
    (400, {"error": {"message": "input length and `max_tokens` exceed context limit"}}, LLMContextExceeded),
    (400, [{"error": {"message": "The input token count exceeds the maximum number of tokens"}}], LLMContextExceeded),
    (413, {"type": "error", "error": {"type": "request_too_large", "message": "no"}}, LLMContextExceeded),
    (400, {"error": {"code": "content_filter", "message": "filtered"}}, LLMRefused),
    (403, {"error": {"message": "m requires moderation. Your input was flagged", "code": 403}}, LLMRefused),
    (400, {"error": {"message": "rejected as a result of our safety system"}}, LLMRefused),
    (404, {"error": {"message": "The model `m` does not exist"}}, LLMRequestInvalid),
    (404, {"detail": "Not Found"}, LLMRequestInvalid),
    (400, {"error": "model is required"}, LLMRequestInvalid),
    (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, LLMRequestInvalid),
    (500, {"error": {"message": "oops"}}, LLMUnavailable),
    (503, "no healthy upstream", LLMUnavailable),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, LLMUnavailable),
    (408, {}, LLMUnavailable),
    (301, "https://elsewhere/v1", LLMRequestInvalid),
]


def explain(status: int, body: object, **headers: str) -> LLMError:
    data = body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    return WORDING.explain_server(ServerFault(status, read_body(data), headers))


@pytest.mark.parametrize(("status", "body", "kind"), CASES)
def test_an_error_is_told_by_its_words(status: int, body: object, kind: type[LLMError]) -> None:
    found = explain(status, body)
    assert type(found) is kind
    assert str(found).startswith(f"m at http://********@h/v1?k=******** answered {status}")
    assert found.passing == (kind in (LLMUnavailable, LLMRateLimited))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, LLMUnavailable),
        ({"type": "rate_limit_error", "message": "slow"}, LLMRateLimited),
        ({"code": 429, "message": "slow"}, LLMRateLimited),
        ({"code": 402, "message": "more credits, or fewer max_tokens"}, LLMOutOfCredits),
        ({"type": "invalid_request_error", "message": "prompt is too long"}, LLMContextExceeded),
        ("it broke", LLMUnavailable),
        ({"code": "9" * 30}, LLMUnavailable),
        (None, LLMUnavailable),
    ],
)
def test_an_error_inside_a_stream_is_told_too(error: object, kind: type[LLMError]) -> None:
    assert type(WORDING.explain_server(stream_fault(error))) is kind


@pytest.mark.parametrize(
    "body", ["", "<html><body>Bad gateway</body></html>", "[" * 9999, "\xff\x00", "[]", "null", "3"]
)
def test_any_body_makes_a_sentence(body: str) -> None:
    text = str(explain(502, body))
    assert "answered 502" in text
    assert text.isprintable()
    assert len(text) < 700


def test_a_key_that_is_sent_back_is_masked() -> None:
    text = str(explain(401, {"error": {"message": f"wrong key {KEY}\n{'x' * 5000}"}}))
    assert KEY not in text
    assert "wrong key ********" in text
    assert len(text) < 700


def test_the_user_in_the_address_is_masked_too() -> None:
    named = FailureWording(find_endpoint(LLMConfig(model="m", base_url="http://joe:pa55word@h/v1")))
    assert "pa55word" not in str(named.explain_server(ServerFault(401, read_body(b"joe:pa55word is wrong"))))


def test_a_server_that_says_not_to_try_again_is_believed() -> None:
    assert not explain(500, "", **{"x-should-retry": "false"}).passing


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "7", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 99 Foo 9999999 07:28:00 GMT"}, None),
    ],
)
def test_the_time_to_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers) == seconds


def test_the_time_to_wait_may_be_a_date() -> None:
    wait = read_retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert wait is not None
    assert 55 < wait <= 61


def test_every_error_of_a_model_has_a_code_of_its_own() -> None:
    kinds = LLMError.__subclasses__()
    codes = {kind.code for kind in [*kinds, LLMError, ClocheError]}
    assert len(codes) == len(kinds) + 2
    assert all(kind.code.startswith("llm_") for kind in kinds)
