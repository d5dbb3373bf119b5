"""Every language's table of cases, in a browser."""

import pytest

from cloche.sandbox.languages import languages
from tests.engine.platform.browser.conftest import Browser


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.parametrize("language", [*languages()])
def test_the_cases_hold_in_a_browser(browser: Browser, language: str) -> None:
    report = browser.open(f"cases.html?language={language}")
    assert report["wrong"] == {}
    assert report["count"] >= 8
