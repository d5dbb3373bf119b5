"""How `cloche replay` prints events."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from cloche.cli.terminal.event_printer import EventPrinter, describe_changes
from cloche.events import Event, FileStore, event_from_dict

GOLDEN: list[dict[str, Any]] = json.loads(Path(__file__).parents[2].joinpath("events/golden.json").read_text())


@pytest.fixture
def teller(tmp_path: Path) -> EventPrinter:
    return EventPrinter(FileStore(tmp_path))


def event(**wire: object) -> Event:
    return event_from_dict({"id": 7, "source": "agent", **wire})


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_every_event_of_the_format_is_printed(teller: EventPrinter, golden: dict[str, Any]) -> None:
    wire = golden["event"]
    assert (wire.get("action") or wire.get("observation")) in teller.tell(event_from_dict(wire))


def test_a_kind_of_a_newer_version_is_printed_with_all_it_holds(teller: EventPrinter) -> None:
    told = click.unstyle(teller.tell(event(action="fly", args={"to": "moon"})))
    assert told == '    7 --:--:-- agent       fly\n      {"args":{"to":"moon"}}'


def test_failures_are_named_and_thoughts_come_first(teller: EventPrinter) -> None:
    told = teller.tell(event(action="run", args={"command": "ls", "thought": "What is here?"}))
    assert told.index("What is here?") < told.index("Running command: ls")
    extras = {"command": "ls", "metadata": {"exit_code": 2}}
    assert "exit code 2" in teller.tell(event(observation="run", content="", cause=6, extras=extras))
    assert "answers 6" in teller.tell(event(observation="error", content="no", cause=6, extras={"error_id": "E"}))
    assert "mcp failed" in click.unstyle(teller.tell(event(observation="mcp", content='{"isError": true}', extras={})))


def test_an_edit_is_printed_as_a_patch(teller: EventPrinter) -> None:
    extras = {"path": "a.txt", "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n"}
    told = teller.tell(event(observation="edit", content="The file has been edited", extras=extras))
    assert "\x1b[31m-one" in told
    assert "\x1b[32m+two" in told
    assert "has been edited" not in told


def test_pictures_are_named_and_not_printed(teller: EventPrinter) -> None:
    picture = "data:image/png;base64," + "A" * 4000
    told = teller.tell(event(observation="run_ipython", content="", extras={"code": "", "image_urls": [picture]}))
    assert told.endswith("      [image/png, 3000 bytes]")
    assert "AAAA" not in teller.tell(event(observation="read", content=picture, extras={"path": "p.png"}))


def test_long_texts_are_shown_at_both_ends_and_harmless(teller: EventPrinter) -> None:
    content = "\n".join(["first", *map(str, range(1000)), "\x1b]0;title\x07" + "x" * 2000, "last"])
    told = teller.tell(event(observation="read", content=content, extras={"path": "a"})).splitlines()
    assert (told[1], told[-1]) == ("      first", "      last")
    assert len(told) < 40
    assert any("968 lines are not shown" in line for line in told)
    assert told[-2].endswith("x[... 1500 more]")
    assert "title" not in told[-2]


def test_the_file_of_a_spilled_content_is_named_and_a_wrong_one_is_reported(
    teller: EventPrinter, tmp_path: Path
) -> None:
    place = {"path": "sessions/a/contents/b.txt", "size": 9, "sha256": "c"}
    told = teller.tell(event(observation="read", content="", extras={"path": "a"}, cloche={"spilled": place}))
    assert f"[the whole content, 9 bytes, is in {tmp_path / str(place['path'])}]" in told
    wrong = teller.tell(event(observation="read", content="", extras={"path": "a"}, cloche={"spilled": 1}))
    assert "does not tell where its content is" in wrong


def test_empty_lines_stay_and_a_day_is_named_once(teller: EventPrinter) -> None:
    wire = {"observation": "read", "content": "a\n\nb", "extras": {"path": "a"}, "timestamp": "2026-01-02T03:04:05"}
    first, again = teller.tell(event(**wire)), teller.tell(event(**wire))
    assert first == "2026-01-02\n" + again
    assert again.endswith("      a\n\n      b")


def test_where_long_texts_differ_is_found_at_once() -> None:
    then = "\n".join(map(str, range(200_000)))
    where, *patch = describe_changes(then, then.replace("\n150000\n", "\nother\n"))
    assert where == "from line 150001:"
    assert [line for line in patch if "other" in line or "150000" in line]
    assert describe_changes("a\n", "a") == ["only in line breaks"]
