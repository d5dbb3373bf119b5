"""How many requests a user may send."""

from cloche.server.access.rate_limit import KEPT, RateLimit


def test_a_burst_is_served_at_once_and_the_rest_waits_longer_and_longer() -> None:
    limit = RateLimit(1.0)
    assert [limit.take("ada") for _ in range(2)] == [0, 0]
    first, second = limit.take("ada"), limit.take("ada")
    assert 0.5 < first <= 1
    assert 1.5 < second <= 2


def test_users_do_not_wait_for_each_other() -> None:
    limit = RateLimit(1.0)
    for _ in range(10):
        limit.take("ada")
    assert limit.take("bob") == 0


def test_a_refused_request_does_not_count() -> None:
    limit = RateLimit(1.0)
    waits: list[float] = []
    for _ in range(5):
        waits.append(limit.take("ada"))
        limit.give_back("ada")
    assert waits == [0] * 5


def test_the_longest_silent_are_forgotten() -> None:
    limit = RateLimit(1.0)
    for number in range(KEPT + 5):
        limit.take(str(number))
    assert len(limit._buckets) == KEPT  # pyright: ignore[reportPrivateUsage] - what it must bound
