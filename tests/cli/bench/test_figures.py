"""The arithmetic of measurements."""

import os

import pytest

from cloche.cli.bench.figures import format_number, in_ms, p95, process_family, pss_mb


@pytest.mark.parametrize(
    ("values", "expected"), [([3], 3), ([2, 1], 2), (list(range(1, 21)), 19), (list(range(1, 101)), 95)]
)
def test_p95_is_the_nearest_rank_and_of_few_values_the_worst(values: list[float], expected: float) -> None:
    assert p95(values) == expected


def test_a_rate_is_bad_when_it_is_small() -> None:
    assert p95([100, 300, 200], rate=True) == 100


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 ms"), (1.234, "1.23 ms"), (12.34, "12.3 ms"), (123.4, "123 ms"), (7, "7 ms")]
)
def test_numbers_have_the_digits_that_mean_something(value: float, text: str) -> None:
    assert format_number(value, "ms") == text


def test_a_number_without_a_unit_is_a_number() -> None:
    assert format_number(3, "") == "3"


def test_seconds_become_milliseconds() -> None:
    assert in_ms([0.5, 2]) == [500, 2000]


def test_a_process_belongs_to_its_own_family_and_weighs_something() -> None:
    assert os.getpid() in process_family(os.getpid())
    assert pss_mb([os.getpid()]) > 1


def test_a_process_that_is_gone_weighs_nothing() -> None:
    assert pss_mb([2**22 + 1]) == 0
