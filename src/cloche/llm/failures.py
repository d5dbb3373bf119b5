"""Says what went wrong with a model: which error it is, and what to do."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

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
from cloche.llm.endpoint import Endpoint
from cloche.llm.faults import AnswerFault, ServerFault, shorten

_NO_CREDIT = (
    *("insufficient_quota", "billing", "credit balance", "insufficient credit", "insufficient balance"),
    *("insufficient funds", "more credits", "exceeded your current quota", "out of credits"),
)
_TOO_LONG = (
    *("context_length_exceeded", "context length", "context window", "context size", "context limit"),
    *("exceed_context", "prompt is too long", "prompt too long", "input is too long", "input too long"),
    *("too many tokens", "maximum number of tokens", "maximum number of input tokens", "reduce the length"),
    *("token limit exceeded", "max_prompt_tokens", "request_too_large", "request too large", "larger than the maximum"),
)
_REFUSED = (
    *("content_filter", "content_policy", "content policy", "content management policy", "usage policies"),
    *("responsibleaipolicy", "moderation", "safety system", "prohibited_content", "violates our"),
)
_PASSING = (408, 409, 425, 429)


class FailureWording:
    """Turns faults into errors whose messages name the model and its server, and never a key."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._place = f"{endpoint.model} at {endpoint.server}"

    def explain_server(self, fault: ServerFault) -> LLMError:
        """The error for a status other than 200, or for an error inside a stream."""
        said = shorten(fault.complaint.text, self._endpoint.secrets)
        text = f"{self._place} answered {fault.status}" + (f": {said.rstrip('.')}" if said else "")
        found = self._of_words(fault, text) or self._of_status(fault, text)
        if fault.headers.get("x-should-retry") == "false":
            found.passing = False
        return found

    def explain_answer(self, fault: AnswerFault) -> LLMError:
        """The error for an answer that cannot be used."""
        why = shorten(str(fault), self._endpoint.secrets)
        text = f"{self._place} sent an answer that cannot be used: {why}. {fault.advice}"
        return LLMBadReply(text, passing=fault.passing)

    def explain_refusal(self, said: str) -> LLMError:
        """The error for an answer that the model or its server withholds."""
        why = shorten(said, self._endpoint.secrets).rstrip(".") or "it stopped because of a content policy"
        return LLMRefused(f"{self._place} refused to answer: {why}. Ask in another way, or ask another model")

    def explain_silence(self, seconds: float, begun: bool) -> LLMError:
        """The error for a server that has sent nothing for too long."""
        when = "in the middle of its answer" if begun else "before its answer began"
        return LLMUnavailable(
            f"{self._place} sent nothing for {seconds:g} s {when}. Raise [llm] timeout if the model needs longer"
        )

    def explain_slowness(self, seconds: float) -> LLMError:
        """The error for an answer that takes too long as a whole."""
        return LLMUnavailable(
            f"{self._place} was not done after {seconds:g} s. Set [llm] max_output_tokens to get shorter answers",
            passing=False,
        )

    def explain_connection(self, why: str, advice: str, *, passing: bool = True) -> LLMError:
        """The error for a server that could not be reached, or whose connection was lost."""
        return LLMUnavailable(f"{self._place} {shorten(why, self._endpoint.secrets)}. {advice}", passing=passing)

    def _of_words(self, fault: ServerFault, text: str) -> LLMError | None:
        """By what the server says: many use the same status for different things."""
        if fault.status == 402 or (fault.status < 500 and fault.says(*_NO_CREDIT)):
            return LLMOutOfCredits(f"{text}. Add credit to the account of this key, or use another key or model")
        if fault.says(*_TOO_LONG) and fault.status != 401:
            return LLMContextExceeded(f"{text}. Send less: shorten the history, or set [llm] max_input_tokens")
        if fault.status in (400, 403, 422, 451) and fault.says(*_REFUSED):
            return LLMRefused(f"{text}. Ask in another way, or ask another model")
        return None

    def _of_status(self, fault: ServerFault, text: str) -> LLMError:
        status = fault.status
        wait = read_retry_after(fault.headers)
        if status == 429:
            when = "later" if wait is None else f"in {wait:g} s"
            return LLMRateLimited(f"{text}. Too many requests: try again {when}", retry_after=wait)
        if status in (401, 403):
            return LLMUnauthorized(f"{text}. Check [llm] api_key or api_key_env, and that this key may use the model")
        if status == 407:
            return LLMUnavailable(f"{text}. The proxy wants a password: set it in HTTPS_PROXY", passing=False)
        if status in _PASSING or status >= 500:
            return LLMUnavailable(f"{text}. Try again later, or use another model", retry_after=wait)
        return LLMRequestInvalid(f"{text}. {self._advise(status, fault)}")

    def _advise(self, status: int, fault: ServerFault) -> str:
        if 300 <= status < 400:
            return "Redirects are not followed, since a key goes to no other server: set [llm] base_url to the new one"
        if status in (404, 405):
            usual = "usually ends in /v1" if self._endpoint.api == "openai" else "is usually that of the host alone"
            return f"Check [llm] model and base_url, which {usual}"
        return "Check [llm] model and its parameters"


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds after which the server wants to be asked again, from its headers; None if they do not say."""
    if (milliseconds := _read_number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _read_number(value)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _read_number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    # Also false if it is no number, which is a number to Python.
    return max(0.0, found) if found < 1e9 else None
