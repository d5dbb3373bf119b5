"""What is recorded of the changes in a folder, without a sandbox around it."""

import os
from pathlib import Path

import pytest
from anyio import to_thread

from cloche.errors import SessionError
from cloche.sandbox.changes import mark
from cloche.sandbox.changes.diff import Diff
from cloche.sandbox.changes.patch import FileSide
from cloche.sandbox.files.guest_files import Folder, GuestFiles
from cloche.session.changes import recorder as module
from cloche.session.changes.recorder import ChangeRecorder, copy_beginning

pytestmark = pytest.mark.anyio


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "scratch").mkdir()
    return tmp_path / "work"


@pytest.fixture
def recorder(work: Path) -> ChangeRecorder:
    return open_again(work)


def open_again(work: Path, name: str = "kept") -> ChangeRecorder:
    files = GuestFiles([Folder("/workspace", str(work))])
    return ChangeRecorder(files, work.parent / name, work.parent / "scratch")


def names(diff: Diff) -> dict[str, str]:
    return {each.path: each.status for each in diff.files}


async def test_the_beginning_is_kept_for_whoever_opens_it_again(recorder: ChangeRecorder, work: Path) -> None:
    (work / "was").write_text("was\n")
    await recorder.begin(anew=True)
    (work / "was").write_text("is\n")
    (work / "new").write_text("new\n")
    again = await to_thread.run_sync(open_again, work)
    for each in (recorder, again):
        diff = await each.diff()
        assert names(diff) == {"new": "added", "was": "changed"}
        assert "-was\n+is\n" in diff.patch
    await again.begin(anew=False)
    assert names(await recorder.diff()) == {"new": "added", "was": "changed"}
    await again.begin(anew=True)
    assert not await recorder.diff()


async def test_two_sessions_may_have_the_same_beginning(recorder: ChangeRecorder, work: Path) -> None:
    (work / "was").write_text("was\n")
    await recorder.begin(anew=True)
    await to_thread.run_sync(copy_beginning, work.parent / "kept", work.parent / "fork")
    (work / "was").write_text("is\n")
    fork = await to_thread.run_sync(open_again, work, "fork")
    assert "-was\n+is\n" in (await fork.diff()).patch
    await recorder.begin(anew=True)
    assert not await recorder.diff()
    assert "-was\n+is\n" in (await fork.diff()).patch


async def test_a_beginning_that_is_missing_or_damaged_is_said_to_be_so(recorder: ChangeRecorder, work: Path) -> None:
    with pytest.raises(SessionError, match="was not recorded"):
        await recorder.diff()
    await recorder.begin(anew=True)
    (work.parent / "kept" / "beginning").write_bytes(b"garbage")
    with pytest.raises(SessionError, match="is damaged"):
        await recorder.diff()


async def test_files_that_are_as_they_were_are_not_read_again(
    recorder: ChangeRecorder, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        (work / str(number)).write_text(f"{number}\n")
        # Long ago, so that a change cannot hide behind the clock.
        os.utime(work / str(number), (1, 1))
    monkeypatch.setattr(mark, "RACY", 0)
    await recorder.mark()
    seen: list[str] = []
    read = mark.read_content

    def watched(found: mark.FoundFile) -> FileSide | None:
        seen.append(found.path)
        return read(found)

    monkeypatch.setattr(mark, "read_content", watched)
    before = await recorder.mark()
    assert seen == []
    (work / "3").write_text("X\n")
    os.utime(work / "3", (1, 1))
    (work / "7").chmod(0o755)
    assert names(await recorder.diff_since(before)) == {"3": "changed", "7": "changed"}
    again = await recorder.mark()
    assert sorted(seen) == ["3", "7"]
    assert not await recorder.diff_since(again)


async def test_what_is_not_needed_any_more_is_let_go(
    recorder: ChangeRecorder, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MARK_LIMIT", 100_000)
    for number in range(20):
        before = await recorder.mark()
        (work / "large").write_bytes(os.urandom(20_000))
        diff = await recorder.diff_since(before)
        assert names(diff) == {"large": "changed" if number else "added"}
        assert (work.parent / "scratch" / "earlier").stat().st_size <= 100_000 if number else True
