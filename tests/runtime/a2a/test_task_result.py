"""What is kept of a task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.limits import A2A_ARTIFACTS_LIMIT, MB
from cloche.runtime.a2a.task_result import TaskResult
from cloche.runtime.a2a.updates import ArtifactUpdate, StatusUpdate, clean_name, clean_text, read_response


def piece(text: str, *, append: bool = True, artifact_id: str = "a") -> ArtifactUpdate:
    return ArtifactUpdate(task_id="t", artifact_id=artifact_id, parts=({"text": text},), append=append)


@given(st.lists(st.text()))
def test_pieces_are_joined_and_each_is_told_once(texts: list[str]) -> None:
    result = TaskResult()
    told = [result.add(piece(text)) for text in texts]
    assert told == texts
    assert [artifact["parts"] for artifact in result.artifacts] == ([[{"text": "".join(texts)}]] if texts else [])


def test_an_artifact_that_is_sent_again_is_replaced_and_only_what_is_new_is_told() -> None:
    result = TaskResult()
    told = [result.add(each) for each in (piece("one "), piece("two "), piece("one two three", append=False))]
    assert told == ["one ", "two ", "three"]
    assert result.add(piece("other", append=False)) == "other"
    assert result.artifacts == [{"artifact_id": "a", "name": "", "parts": [{"text": "other"}]}]


def test_replacing_frees_room() -> None:
    result = TaskResult()
    for _ in range(5):
        result.add(piece("x" * 5 * MB, append=False))
    assert "left_out" not in result.artifacts[0]
    result.add(piece("y" * 5 * MB, artifact_id="b"))
    assert result.artifacts[1] == {"artifact_id": "b", "name": "", "parts": [], "left_out": 5 * MB}
    assert f"[artifact b]\n[{5 * MB} characters are left out]" in result.describe()


def test_what_is_said_twice_is_told_once() -> None:
    result = TaskResult()
    says = StatusUpdate(state="working", task_id="t", parts=({"text": "hi"},))
    assert [result.add(says), result.add(says), result.said, result.state] == ["hi\n", "", "hi", "working"]


def test_a_long_message_is_shortened_for_the_reader() -> None:
    result = TaskResult()
    result.add(StatusUpdate(state="completed", parts=({"text": "x" * 2 * A2A_ARTIFACTS_LIMIT},)))
    assert len(result.describe()) < 31_000


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"data": [1, "\u202e"]}, '[1, "\\u202e"]'),
        ({"url": "data:image/png;base64,QUJD", "media_type": "image/png"}, "[file, image/png, 3 bytes]"),
        ({"url": "https://a.example/b", "filename": "b"}, "[b: https://a.example/b]"),
    ],
)
def test_parts_that_are_not_text_are_described(part: dict[str, object], shown: str) -> None:
    result = TaskResult()
    result.add(ArtifactUpdate(task_id="t", artifact_id="a", name="n", parts=(part,)))
    assert result.describe() == f"[artifact n]\n{shown}"


@given(st.text())
def test_cleaned_text_can_be_shown(text: str) -> None:
    cleaned = clean_text(text)
    assert not set(cleaned) & set("\x1b\x9b\r\x07\u202e\u2066")
    assert clean_text(cleaned) == cleaned
    assert "\n" not in clean_name(text)


def test_a_response_of_no_known_shape_has_no_updates() -> None:
    assert read_response({}) == []
