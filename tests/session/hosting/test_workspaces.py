"""The folders of sessions, and what may be removed."""

from pathlib import Path

import pytest

from cloche.session.hosting.workspaces import Workspaces


@pytest.mark.parametrize("name", ["", "..", "../x", "/etc", "notes", "0" * 31, "G" * 32, "0" * 33, "0" * 32 + "\n"])
def test_only_names_of_ours_are_found(tmp_path: Path, name: str) -> None:
    kept = Workspaces(tmp_path)
    (tmp_path / "workspaces").mkdir()
    for work in (kept.find, kept.find_saved):
        with pytest.raises(ValueError, match="is not the name of a workspace"):
            work(name)
    with pytest.raises(ValueError, match="is not the name of a workspace"):
        kept.copy(name, "1" * 32)
    if name:
        with pytest.raises(ValueError, match="is not the name"):
            kept.remove(name)


def test_a_copy_has_what_is_in_the_folder_and_nothing_from_outside(tmp_path: Path) -> None:
    kept = Workspaces(tmp_path)
    name, to = kept.new(), kept.new()
    folder = kept.find(name)
    (folder / "d").mkdir(parents=True)
    (folder / "d" / "f").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "in").symlink_to("d/f")
    assert kept.copy(name, to) is False
    copy = kept.find(to)
    assert (copy / "in").read_text() == "inside"
    assert not (copy / "out").is_symlink()
    assert copy.stat().st_mode & 0o777 == 0o700
    assert kept.copy(kept.new(), kept.new()) is False


def test_removing_follows_no_links(tmp_path: Path) -> None:
    kept = Workspaces(tmp_path)
    name, other = kept.new(), kept.new()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("x")
    kept.find(name).mkdir(parents=True)
    (kept.find(name) / "link").symlink_to(outside)
    kept.find(other).symlink_to(outside)
    kept.remove(name, None)
    assert kept.remove_others([]) == 1
    assert list((tmp_path / "workspaces").iterdir()) == []
    assert (outside / "f").read_text() == "x"
    assert Workspaces(tmp_path / "nothing").remove_others([]) == 0
