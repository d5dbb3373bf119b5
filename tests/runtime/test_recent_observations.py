"""The observation of an action is known when it is sent again, as long as there is room."""

import pytest

from cloche.events import IPythonRunCellObservation, SuccessObservation
from cloche.limits import REMEMBERED_ACTIONS
from cloche.runtime import recent_observations
from cloche.runtime.recent_observations import RecentObservations


def test_the_oldest_are_given_up_when_they_are_too_many() -> None:
    kept = RecentObservations()
    for number in range(REMEMBERED_ACTIONS + 1):
        kept.put(str(number), SuccessObservation(str(number)))
    assert kept.get("0") is None
    assert kept.get("1") == SuccessObservation("1")


@pytest.mark.parametrize(
    "large",
    [SuccessObservation("x" * 60), IPythonRunCellObservation("", "", ["x" * 30, "y" * 30])],
    ids=["content", "pictures"],
)
def test_the_oldest_are_given_up_when_they_are_too_large(
    monkeypatch: pytest.MonkeyPatch, large: SuccessObservation | IPythonRunCellObservation
) -> None:
    monkeypatch.setattr(recent_observations, "REMEMBERED_SIZE", 100)
    kept = RecentObservations()
    for key in "abc":
        kept.put(key, large)
    assert [kept.get(key) is large for key in "abc"] == [False, False, True]
    kept.put("d", SuccessObservation("x" * 1000))
    kept.put("e", SuccessObservation("small"))
    assert [key for key in "abcde" if kept.get(key)] == ["e"]
