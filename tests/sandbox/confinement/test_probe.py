"""The self-test believes what it saw, not what is installed."""

import sys
import textwrap
from pathlib import Path

import deno
import msgspec
import pytest

from cloche.errors import ConfinementUnavailable
from cloche.sandbox.confinement.probe import HostSurvey, choose_best, probe_layers, survey_host, try_layer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")

BARE = HostSurvey("linux", "x86_64", bubblewrap=None, landlock=0)


def fake_bubblewrap(folder: Path, script: str) -> str:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{textwrap.dedent(script)}")
    program.chmod(0o755)
    return str(folder)


def test_every_layer_that_holds_says_so_and_every_other_says_why() -> None:
    layers = probe_layers()
    assert [layer.name for layer in layers] == ["bubblewrap", "landlock"]
    assert all(layer.detail for layer in layers)


def test_the_strongest_layer_that_holds_is_chosen() -> None:
    holding = [layer.name for layer in probe_layers() if layer.holds]
    assert choose_best("auto").name == (holding or ["none"])[0]


def test_the_self_test_gets_out_of_no_layer_at_all_by_every_way() -> None:
    layer = try_layer("none", survey_host(), deno.find_deno_bin())
    assert not layer.holds
    for way in ("read a file outside", "through a link", "host's network", "signal the parent", "start a process"):
        assert way in layer.detail


def test_a_bubblewrap_that_does_not_confine_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"""
        while [ "$1" != -- ]; do shift; done
        shift
        DENO_DIR={tmp_path} exec "$@"
    """
    monkeypatch.setenv("PATH", fake_bubblewrap(tmp_path, script))
    layer = probe_layers()[0]
    assert not layer.holds
    assert "could read a file outside" in layer.detail


def test_a_bubblewrap_that_cannot_start_is_quoted_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """
        echo 'bwrap: No permissions to create new namespace' >&2
        exit 1
    """
    monkeypatch.setenv("PATH", fake_bubblewrap(tmp_path, script))
    layer = probe_layers()[0]
    assert (layer.holds, layer.tested) == (False, True)
    assert "No permissions to create new namespace" in layer.detail
    assert "user namespaces" in layer.detail


@pytest.mark.parametrize(
    "script", ["kill -9 $$", "exit 137", "echo 'bwrap: fork: Resource temporarily unavailable' >&2; exit 1"]
)
def test_a_self_test_that_lacked_something_says_nothing_about_the_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setenv("PATH", fake_bubblewrap(tmp_path, script))
    host = survey_host()
    layer = try_layer("bubblewrap", host, deno.find_deno_bin())
    assert (layer.holds, layer.tested) == (False, False)
    with pytest.raises(ConfinementUnavailable, match="could not be tested"):
        choose_best("auto", msgspec.structs.replace(host, landlock=0))
    if try_layer("landlock", host, deno.find_deno_bin()).holds:
        assert (choose_best("auto", host).holds, choose_best("auto", host).tested) == (True, False)


def test_requiring_confinement_without_any_gives_reasons_and_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    host = msgspec.structs.replace(survey_host(), landlock=0)
    assert host.bubblewrap is None
    with pytest.raises(ConfinementUnavailable) as caught:
        choose_best("require", host)
    message = str(caught.value)
    assert "apt-get install bubblewrap" in message
    assert "no Landlock" in message
    assert 'confinement="auto"' in message


def test_auto_without_any_layer_is_none_with_the_reasons() -> None:
    layer = choose_best("auto", BARE)
    assert (layer.name, layer.holds) == ("none", False)
    assert "bubblewrap" in layer.detail
    assert "Landlock" in layer.detail


def test_none_tries_nothing() -> None:
    assert choose_best("none", BARE).name == "none"


def test_a_landlock_that_cannot_refuse_truncation_is_not_enough() -> None:
    layer = try_layer("landlock", msgspec.structs.replace(BARE, landlock=2), deno.find_deno_bin())
    assert not layer.holds
    assert "ABI 2" in layer.detail


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_say_that_the_layers_are_not_there(platform: str) -> None:
    layers = probe_layers(HostSurvey(platform, "arm64", bubblewrap=None, landlock=0))
    assert [layer.holds for layer in layers] == [False, False]
    assert all(platform in layer.detail for layer in layers)
