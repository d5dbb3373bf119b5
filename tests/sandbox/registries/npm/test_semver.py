import pytest

from cloche.sandbox.registries.npm.semver import parse_range, parse_version


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 2.0.0-0 1.3.0-beta"),
        ("^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2"),
        ("^0.0.3", "0.0.3", "0.0.4 0.0.2"),
        ("^0.0", "0.0.0 0.0.9", "0.1.0"),
        ("^0", "0.0.1 0.9.9", "1.0.0"),
        ("^1.x", "1.0.0 1.9.9", "2.0.0"),
        ("^1.2.3-beta.2", "1.2.3-beta.2 1.2.3-beta.10 1.2.3 1.5.0", "1.2.3-beta.1 1.2.4-beta.2"),
        ("~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"),
        ("~1.2", "1.2.0 1.2.9", "1.3.0"),
        ("~1", "1.0.0 1.9.9", "2.0.0"),
        ("~> 1.2", "1.2.5", "1.3.0"),
        ("1.2.x", "1.2.0", "1.3.0"),
        ("1.*", "1.9.0", "2.0.0"),
        ("*", "0.0.1 9.9.9", "1.0.0-rc.1"),
        ("", "0.0.1", "1.0.0-rc.1"),
        ("1.2.3 - 2.3.4", "1.2.3 2.3.4", "2.3.5 1.2.2"),
        ("1.2 - 2", "1.2.0 2.9.9", "3.0.0 1.1.9"),
        (">=1.2.7 <1.3.0", "1.2.7 1.2.99", "1.3.0 1.2.6"),
        (">1", "2.0.0", "1.9.9 1.0.0"),
        (">1.2", "1.3.0", "1.2.9"),
        ("<=1.2", "1.2.9", "1.3.0"),
        ("<2", "1.9.9", "2.0.0 2.0.0-beta"),
        ("1.2.7 || >=1.2.9 <2.0.0", "1.2.7 1.2.9 1.4.6", "1.2.8 2.0.0"),
        ("=v1.2.3", "1.2.3 v1.2.3+build", "1.2.4"),
        (">1.2.3-alpha.3", "1.2.3-alpha.7 1.2.3 3.4.5", "3.4.5-alpha.9 1.2.3-alpha.3"),
        ("<*", "", "0.0.0 1.0.0"),
        ("|| 2", "1.0.0 2.0.0", "2.0.0-rc"),
    ],
)
def test_ranges_of_npm(text: str, yes: str, no: str) -> None:
    found = parse_range(text)
    assert found is not None
    wrong = [each for each in yes.split() if not found.allows(parse_version(each) or pytest.fail(each))]
    wrong += [each for each in no.split() if found.allows(parse_version(each) or pytest.fail(each))]
    assert wrong == []


@pytest.mark.parametrize("text", ["latest", "1.2.3.", "^", "a.b.c", "1.2.3 ~", ">=", "x" * 300, "9" * 20, "1 || beta"])
def test_what_is_no_range(text: str) -> None:
    assert parse_range(text) is None


@pytest.mark.parametrize("text", ["1.2", "1.2.3.4", "", "v", "1.2.x", "99999999999999999999.0.0", "-1.2.3"])
def test_what_is_no_version(text: str) -> None:
    assert parse_version(text) is None


def test_versions_have_the_order_of_npm() -> None:
    before = ["0", "1", "alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"]
    ordered = [*(f"1.0.0-{each}" for each in before), "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0-0", "2.0.0"]
    found = [parse_version(each) for each in ordered]
    assert all(found)
    assert [str(each) for each in sorted(filter(None, found))] == ordered
