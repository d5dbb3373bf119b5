"""When a request is made again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import LLMError, LLMRateLimited, LLMUnauthorized, LLMUnavailable
from cloche.limits import LLM_LONGEST_PAUSE, LLM_RETRY_TOTAL
from cloche.llm import Retry
from cloche.llm.retries import RetryPlan


@given(st.integers(0, 60), st.none() | st.floats(0, 100))
def test_retries_have_bounds(num_retries: int, wait: float | None) -> None:
    told: list[Retry] = []
    plan = RetryPlan(num_retries, told.append)

    def fail() -> None:
        while True:
            plan.next_pause(LLMRateLimited("wait", retry_after=wait))

    with pytest.raises(LLMRateLimited):
        fail()
    assert len(told) <= num_retries
    assert sum(each.pause for each in told) <= LLM_RETRY_TOTAL
    assert all(each.pause == wait if wait is not None else each.pause <= LLM_LONGEST_PAUSE for each in told)


def test_pauses_grow() -> None:
    plan = RetryPlan(9, None)
    pauses = [plan.next_pause(LLMUnavailable("away")) for _ in range(6)]
    assert all(0.25 * 2**number <= pause <= 0.5 * 2**number for number, pause in enumerate(pauses))


@pytest.mark.parametrize("error", [LLMUnauthorized("no"), LLMUnavailable("closed", passing=False), LLMError("x")])
def test_what_cannot_pass_is_raised_as_it_is(error: LLMError) -> None:
    with pytest.raises(LLMError) as found:
        RetryPlan(9, None).next_pause(error)
    assert found.value is error
    assert "attempts" not in str(error)
