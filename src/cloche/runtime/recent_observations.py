"""The observations of the latest actions, in case one is sent again."""

from collections import OrderedDict
from typing import cast

import msgspec

from cloche.events import Observation
from cloche.limits import REMEMBERED_ACTIONS, REMEMBERED_SIZE


class RecentObservations:
    """Observations by the keys of their actions; the oldest are dropped if they are too many or too large."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Observation, int]] = OrderedDict()
        self._size = 0

    def get(self, key: str) -> Observation | None:
        """The action's observation; None if it was not executed, or long ago."""
        return self._kept[key][0] if key in self._kept else None

    def put(self, key: str, observation: Observation) -> None:
        """Keep the observation of a new action; the latest stays, however large it is."""
        size = len(key) + _measure_observation(observation)
        self._kept[key] = observation, size
        self._size += size
        while len(self._kept) > 1 and (len(self._kept) > REMEMBERED_ACTIONS or self._size > REMEMBERED_SIZE):
            self._size -= self._kept.popitem(last=False)[1][1]


def _measure_observation(observation: Observation) -> int:
    """The number of characters in its strings and lists, such as images."""
    values: list[object] = [getattr(observation, name) for name in observation.__struct_fields__]
    lists = [each for value in values if isinstance(value, list) for each in cast("list[object]", value)]
    return sum(map(_measure_value, (*values, *lists)))


def _measure_value(value: object) -> int:
    match value:
        case str():
            return len(value)
        case dict():
            return len(msgspec.json.encode(value))
        case _:
            return 0
