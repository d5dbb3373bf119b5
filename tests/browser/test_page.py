"""The engine in a page: one file system for all languages, files in and out, and what a page must not allow."""

import pytest

from tests.browser.conftest import Browser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]


def test_languages_share_files_with_each_other_and_with_the_page(browser: Browser) -> None:
    found = browser.open("shared.html")
    assert "failed" not in found, found
    assert found["imported"]["output"] == "from the page"
    assert found["written"]["error"] is None
    assert found["seen"]["output"] == "from pythonout.txt\n"
    assert found["exported"] == "from pythonmore\n"
    assert (found["timeout"]["timedOut"], found["timeout"]["state"]) == (True, "kept")
    assert found["kept"]["returnValue"] == "41"
    assert found["asked"]["returnValue"] == "'to name? '"
    assert found["network"]["error"] is not None
    assert found["command"]["output"] == "6\n"
    assert (found["unloaded"], found["again"]["returnValue"]) == (False, "False")


def test_the_example_page_runs_code_and_lists_files(browser: Browser) -> None:
    found = browser.open("example.html")
    assert found["output"].strip() == "2.8"
    assert "/workspace/numbers.txt" in found["files"]
    assert "exit 0" in found["state"]
