"""The engine in a page: one file system for all languages, files in and out, and what a page must not allow."""

import pytest

from tests.engine.platform.browser.conftest import Browser

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
    assert "no network" in found["network"]["message"]
    assert "no packages can be installed" in found["packages"]["output"]
    assert "/nowhere/lua/lua.wasm (404" in found["missing"]
    assert (found["stubborn"]["state"], found["after"]["output"]) == ("lost", "from pythonmore\n")
    assert (found["unloaded"], found["again"]["returnValue"]) == (False, "False")


def test_the_example_page_computes_with_two_languages(browser: Browser) -> None:
    found = browser.open("example.html")
    assert "broken" not in found, found
    assert found["output"] == "cake    #### 4\ntea     ##### 5\n"
    assert any(" of " in each and "MB" in each for each in found["told"]), found["told"]
    assert found["failed"].startswith("Failed: ValueError")


def test_a_page_that_is_not_isolated_says_so(browser: Browser) -> None:
    page = browser.read("bare/index.html")
    assert "serve the page with COOP: same-origin and COEP: require-corp" in page
    assert "Not started" in page
