"""The differences between two lists of lines, in bounded time for any input."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

EDITS = 400
"""The most differences for which the shortest result is searched; its cost grows with their square."""


class LineChange(NamedTuple):
    """Lines `old_start:old_end` of the old text that are `new_start:new_end` of the new one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class WorkBudget:
    """How much work may still be done; afterwards results are correct but longer than necessary."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int) -> bool:
        """Spend some of it; returns whether there was enough."""
        self._left -= steps
        return self._left >= 0


def diff_lines(old: Sequence[str], new: Sequence[str], work: WorkBudget) -> list[LineChange]:
    """The changes from `old` to `new`, in order."""
    pending = [LineChange(0, len(old), 0, len(new))]
    found: list[LineChange] = []
    while pending:
        part = _trim_equal(old, new, pending.pop())
        if part.old_start == part.old_end or part.new_start == part.new_end:
            if part.old_start != part.old_end or part.new_start != part.new_end:
                found.append(part)
            continue
        short = _find_shortest(old, new, part, work)
        if short is not None:
            found.extend(short)
            continue
        parts = _split_part(old, new, part, work)
        (pending if len(parts) > 1 else found).extend(parts)
    return _join_changes(sorted(found))


def _trim_equal(old: Sequence[str], new: Sequence[str], part: LineChange) -> LineChange:
    """The part without the equal lines at its start and end."""
    i, i_end, j, j_end = part
    while i < i_end and j < j_end and old[i] == new[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    return LineChange(i, i_end, j, j_end)


def _find_shortest(
    old: Sequence[str], new: Sequence[str], part: LineChange, work: WorkBudget
) -> list[LineChange] | None:
    """Myers' greedy method; None if there are too many differences."""
    count_old, count_new = part.old_end - part.old_start, part.new_end - part.new_start
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(count_old + count_new, EDITS) + 1):
        trace.append(reach.copy())
        if not work.spend(2 * edits + 1):
            return None
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            start = x
            while x < count_old and x - k < count_new and old[part.old_start + x] == new[part.new_start + x - k]:
                x += 1
            reach[k] = x
            if not work.spend(x - start):
                return None
            if x >= count_old and x - k >= count_new:
                return _walk_back(trace, part)
    return None


def _walk_back(trace: list[dict[int, int]], part: LineChange) -> list[LineChange]:
    x, y = part.old_end - part.old_start, part.new_end - part.new_start
    found: list[LineChange] = []
    for edits in range(len(trace) - 1, 0, -1):
        reach, k = trace[edits], x - y
        down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        before = k + 1 if down else k - 1
        x, y = reach[before], reach[before] - before
        i, j = part.old_start + x, part.new_start + y
        found.append(LineChange(i, i, j, j + 1) if down else LineChange(i, i + 1, j, j))
    return found


def _split_part(old: Sequence[str], new: Sequence[str], part: LineChange, work: WorkBudget) -> list[LineChange]:
    """The parts between lines that both have exactly once, in the same order; the part itself if there are none."""
    i, i_end, j, j_end = part
    if not work.spend(i_end - i + j_end - j):
        return [part]
    once_old, once_new = Counter(old[i:i_end]), Counter(new[j:j_end])
    places = {line: at for at, line in enumerate(new[j:j_end], j) if once_new[line] == 1}
    pairs = [(at, places[line]) for at, line in enumerate(old[i:i_end], i) if once_old[line] == 1 and line in places]
    parts: list[LineChange] = []
    for at, other in _find_rising(pairs):
        parts.append(LineChange(i, at, j, other))
        i, j = at + 1, other + 1
    return [*parts, LineChange(i, i_end, j, j_end)]


def _find_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second numbers increase."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, value) in enumerate(pairs):
        place = bisect_left(ends, value)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1] = [value]
        last[place : place + 1] = [number]
    run: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _join_changes(changes: list[LineChange]) -> list[LineChange]:
    """Join changes that touch."""
    out: list[LineChange] = []
    for each in changes:
        if out and out[-1].old_end == each.old_start and out[-1].new_end == each.new_start:
            out[-1] = LineChange(out[-1].old_start, each.old_end, out[-1].new_start, each.new_end)
        else:
            out.append(each)
    return out
