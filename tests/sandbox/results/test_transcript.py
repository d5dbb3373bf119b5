"""The transcript of a call and the result made of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche import CodeError, CodeFailure, CodeTimeout, Display, Result, Text
from cloche.sandbox.results import transcript as module
from cloche.sandbox.results.outcome import Outcome
from cloche.sandbox.results.result import Stream
from cloche.sandbox.results.transcript import Transcript

STREAMS = st.sampled_from(("stdout", "stderr"))
PIECES = st.lists(st.tuples(STREAMS, st.text(max_size=30)), max_size=30)


def finished(transcript: Transcript, outcome: Outcome | None = None, *, timed_out: bool = False) -> Result:
    outcome = outcome or Outcome()
    return transcript.result(outcome, "kept", language="python", timed_out=timed_out, duration=1.25)


@given(PIECES)
def test_within_the_limit_nothing_is_lost_and_the_order_holds(pieces: list[tuple[Stream, str]]) -> None:
    transcript = Transcript(10_000)
    for stream, text in pieces:
        transcript.add(Text(stream, text))
    result = finished(transcript)
    assert "".join(text for _, text in result.output) == "".join(text for _, text in pieces)
    for stream, whole in (("stdout", result.stdout), ("stderr", result.stderr)):
        assert whole == "".join(text for name, text in pieces if name == stream)
    assert not result.truncated


@given(PIECES, st.integers(2, 60))
def test_beyond_the_limit_each_stream_keeps_its_head_and_tail(pieces: list[tuple[Stream, str]], limit: int) -> None:
    transcript = Transcript(limit)
    for stream, text in pieces:
        transcript.add(Text(stream, text))
    result = finished(transcript)
    half = limit // 2
    for stream, kept in (("stdout", result.stdout), ("stderr", result.stderr)):
        whole = "".join(text for name, text in pieces if name == stream)
        if len(whole) <= 2 * half:
            assert kept == whole
        else:
            assert result.truncated
            assert kept == whole[:half] + f"\n... {len(whole) - 2 * half} characters left out ...\n" + whole[-half:]


@given(st.text(max_size=40), st.lists(st.integers(0, 160), max_size=10))
def test_characters_that_are_cut_in_two_come_whole(text: str, cuts: list[int]) -> None:
    data = text.encode()
    transcript, got, start = Transcript(1000), "", 0
    for cut in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        got += transcript.decode("stdout", data[start:cut])
        start = cut
    assert got + "".join(rest.text for rest in transcript.finish()) == text


def test_broken_bytes_are_replaced_and_what_is_unfinished_shows() -> None:
    transcript = Transcript(100)
    assert transcript.decode("stdout", b"a\xffb\xe2\x82") == "a\ufffdb"
    assert transcript.finish() == [Text("stdout", "\ufffd")]


def test_the_streams_do_not_mix_their_characters() -> None:
    transcript = Transcript(100)
    first, second = "é".encode()
    assert transcript.decode("stdout", bytes([first])) == ""
    assert transcript.decode("stderr", b"x") == "x"
    assert transcript.decode("stdout", bytes([second])) == "é"


def test_an_update_replaces_every_display_of_its_id_and_keeps_its_place() -> None:
    transcript = Transcript(100)
    for display in (
        Display("display", {"text/plain": "1"}, display_id="a"),
        Display("display", {"text/plain": "2"}),
        Display("update", {"text/plain": "3"}, {"m": 1}, display_id="a"),
        Display("update", {"text/plain": "4"}, display_id="unknown"),
    ):
        transcript.show(display, 10)
    assert finished(transcript).displays == [
        Display("display", {"text/plain": "3"}, {"m": 1}, display_id="a"),
        Display("display", {"text/plain": "2"}),
    ]


def test_an_update_without_an_id_changes_nothing() -> None:
    transcript = Transcript(100)
    transcript.show(Display("display", {"text/plain": "1"}), 10)
    transcript.show(Display("update", {"text/plain": "2"}), 10)
    assert [display.data for display in finished(transcript).displays] == [{"text/plain": "1"}]


def test_clearing_forgets_everything_shown() -> None:
    transcript = Transcript(4)
    transcript.add(Text("stdout", "x" * 100))
    transcript.show(Display("display", {}), 10)
    transcript.clear()
    transcript.add(Text("stdout", "new"))
    result = finished(transcript)
    assert (result.stdout, result.displays, result.truncated) == ("new", [], False)


FAILURE = CodeFailure("ValueError", "no", 3, 1, "Traceback")


@pytest.mark.parametrize(
    ("outcome", "timed_out", "kind", "message"),
    [
        (Outcome(error=FAILURE, exit_code=1), False, CodeError, "ValueError: no in line 3"),
        (Outcome(error=CodeFailure("E", "m"), exit_code=1), False, CodeError, "E: m$"),
        (Outcome(exit_code=7), False, CodeError, "exit code 7: last line"),
        (Outcome(error=FAILURE, exit_code=130), True, CodeTimeout, "stopped after 1.2 s"),
    ],
)
def test_check_raises_what_went_wrong(outcome: Outcome, timed_out: bool, kind: type[CodeError], message: str) -> None:
    transcript = Transcript(1000)
    transcript.add(Text("stderr", "first line\nlast line\n"))
    result = finished(transcript, outcome, timed_out=timed_out)
    assert not result.ok
    with pytest.raises(CodeError, match=message) as caught:
        result.check()
    assert type(caught.value) is kind
    assert caught.value.result is result


def test_check_gives_back_a_result_that_is_fine() -> None:
    result = finished(Transcript(10), Outcome(value="1"))
    assert result.ok
    assert result.check() is result


def test_only_so_much_of_what_is_shown_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DISPLAYS_LIMIT", 10_000)
    transcript = Transcript(100)
    for number in range(50):
        transcript.show(Display("display", {"text/plain": "x" * 4000}, display_id=str(number)), 6000)
    assert len(transcript.displays) == 1
    assert finished(transcript).truncated
    transcript.clear()
    transcript.show(Display("display", {"text/plain": "x"}, display_id="bar"), 10)
    for number in range(1000):
        transcript.show(Display("update", {"text/plain": str(number)}, display_id="bar"), 10)
    assert transcript.displays[0].data == {"text/plain": "999"}
    assert not finished(transcript).truncated


def test_an_update_counts_for_every_display_that_it_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DISPLAYS_LIMIT", 10_000)
    transcript = Transcript(100)
    for _ in range(100):
        transcript.show(Display("display", {"text/plain": "small"}, display_id="a"), 10)
    transcript.show(Display("update", {"text/plain": "large"}, display_id="a"), 5000)
    result = finished(transcript)
    assert result.truncated
    assert {display.data["text/plain"] for display in result.displays} == {"small"}


def test_a_display_after_an_update_of_its_id_shows_what_it_shows() -> None:
    transcript = Transcript(100)
    transcript.show(Display("display", {"text/plain": "1"}, display_id="a"), 10)
    transcript.show(Display("update", {"text/plain": "2"}, display_id="a"), 10)
    transcript.show(Display("display", {"text/plain": "3"}, display_id="a"), 10)
    assert [display.data["text/plain"] for display in finished(transcript).displays] == ["2", "3"]


@given(PIECES, st.integers(2, 60))
def test_what_is_kept_stands_in_the_order_it_was_written(pieces: list[tuple[Stream, str]], limit: int) -> None:
    transcript = Transcript(limit)
    for number, (stream, _) in enumerate(pieces):
        transcript.add(Text(stream, f"<{number}>"))
    written = "".join(text for _, text in finished(transcript).output)
    whole = [int(number) for number in re.findall(r"<(\d+)>", written)]
    assert whole == sorted(whole)


def test_after_many_changes_of_stream_everything_is_kept_but_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OUTPUT_SWITCHES", 4)
    transcript = Transcript(1000)
    for number in range(5):
        transcript.add(Text("stdout", f"o{number}"))
        transcript.add(Text("stderr", f"e{number}"))
    result = finished(transcript)
    assert (result.stdout, result.stderr) == ("o0o1o2o3o4", "e0e1e2e3e4")
    assert result.output == [
        ("stdout", "o0"), ("stderr", "e0"), ("stdout", "o1"), ("stderr", "e1"), ("stdout", "o2o3o4"),
        ("stderr", "e2e3e4"),
    ]  # fmt: skip


def test_what_is_taken_is_given_once() -> None:
    transcript = Transcript(1000, keeps_cleared=True)
    transcript.add(Text("stdout", "one"))
    transcript.add(Text("stderr", "two"))
    transcript.clear()
    transcript.add(Text("stdout", transcript.decode("stdout", "é".encode()[:1])))
    assert transcript.take() == "onetwo"
    transcript.add(Text("stdout", transcript.decode("stdout", "é".encode()[1:])))
    assert (transcript.take(), transcript.take()) == ("é", "")
