import os
from pathlib import Path

import pytest

from cloche.errors import ConfigError
from cloche.sandbox.files.guest_files import Folder, GuestFiles
from cloche.sandbox.files.mounts import Mount, mount_name, parse_mount, plan_mounts


def targets(folders: list[Folder]) -> list[str]:
    return [folder.target for folder in folders]


def made(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("/home/user/data", "_home_user_data"),
        ("/Users/john/projects", "_Users_john_projects"),
        ("/home/user/analysis-scripts", "_home_user_analysis-scripts"),
        ("/home/user/../v1.2/my data", "_home_v1.2_my_data"),
        ("/home/jörg", "_home_jörg"),
    ],
)
def test_a_mount_is_named_after_its_path(host: str, name: str) -> None:
    assert mount_name(host) == name


def test_both_spellings_of_a_name_are_reachable(tmp_path: Path) -> None:
    scripts = made(tmp_path / "analysis-scripts")
    (scripts / "a.py").touch()
    first, second = plan_mounts([Mount(scripts, read_only=True)])
    assert first.target.endswith("_analysis-scripts")
    assert second == Folder(first.target.replace("-", "_"), str(scripts), True, alias_of=first.target)
    folders = GuestFiles([first, second])
    assert folders.stat(first.target + "/a.py").kind == folders.stat(second.target + "/a.py").kind == "file"


def test_a_second_spelling_gives_way_to_another_mount(tmp_path: Path) -> None:
    dashed, dotted, plain = (Mount(made(tmp_path / name)) for name in ("x/a-b", "x/a.b", "x/a_b"))
    base = "/mnt/" + mount_name(tmp_path / "x")
    names = targets(plan_mounts([dashed, plain]))
    assert names.count(f"{base}_a_b") == 1
    assert plan_mounts([dashed, plain])[1].host == str(tmp_path / "x/a_b")
    both = [folder for folder in plan_mounts([dashed, dotted]) if folder.alias_of]
    assert [folder.alias_of for folder in both if folder.target.endswith("_a_b")] == [f"{base}_a-b"]
    assert len(GuestFiles(plan_mounts([dashed, dotted, plain])).list("/mnt")) == len(
        plan_mounts([dashed, dotted, plain])
    )


def test_equal_names_are_numbered_in_order(tmp_path: Path) -> None:
    mounts = [Mount(made(tmp_path / name)) for name in ("a/b", "a_b", "a b", "a_b_2")]
    base = "/mnt/" + mount_name(tmp_path)
    planned = [folder for folder in plan_mounts(mounts) if folder.alias_of is None]
    assert targets(planned) == [base + end for end in ("_a_b", "_a_b_3", "_a_b_4", "_a_b_2")]
    assert planned == [folder for folder in plan_mounts(mounts) if folder.alias_of is None]


def test_an_explicit_target_is_taken_as_it_is(tmp_path: Path) -> None:
    default = "/mnt/" + mount_name(made(tmp_path / "data"))
    assert plan_mounts([Mount(tmp_path / "data", "/mnt/my-data/")]) == [Folder("/mnt/my-data", str(tmp_path / "data"))]
    first, second, *_ = plan_mounts([Mount(tmp_path / "data"), Mount(tmp_path / "data", f"{default}/deeper")])
    assert (first.target, second.target) == (f"{default}_2", f"{default}/deeper")


@pytest.mark.parametrize("target", ["/data", "mnt/data", "/mnt", "/mnt/", "/mnt/../etc", "/mnt/a/../b", "", "//mnt/x"])
def test_a_target_elsewhere_is_refused(tmp_path: Path, target: str) -> None:
    with pytest.raises(ConfigError, match="write /mnt/NAME"):
        plan_mounts([Mount(tmp_path, target)])


def test_targets_must_not_meet(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give one of them another"):
        plan_mounts([Mount(tmp_path, "/mnt/a"), Mount(tmp_path, "/mnt/a/")])
    for pair in (("/mnt/a", "/mnt/a/b"), ("/mnt/a/b", "/mnt/a")):
        with pytest.raises(ConfigError, match="side by side"):
            plan_mounts([Mount(tmp_path, target) for target in pair])


def test_only_folders_that_exist_are_mounted(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="No such file or directory; make the folder or correct the path"):
        plan_mounts([Mount(tmp_path / "none")])
    with pytest.raises(ConfigError, match=rf"is a file.*mount {tmp_path}"):
        plan_mounts([Mount(tmp_path / "file")])
    with pytest.raises(ConfigError, match="give the mount a target"):
        plan_mounts([Mount(made(tmp_path / ("a" * 200) / ("b" * 200)))])


@pytest.mark.parametrize("host", ["/", "/proc", "/proc/self", "/sys", "/dev"])
def test_what_would_open_the_sandbox_is_refused(host: str) -> None:
    with pytest.raises(ConfigError, match=r"mount (the|a) folder"):
        plan_mounts([Mount(host)])


def test_the_own_folders_of_the_sandbox_are_refused(tmp_path: Path) -> None:
    own = made(tmp_path / "box/work")
    (tmp_path / "link").symlink_to(made(own / "inner"))
    for host in (tmp_path, own, own / "inner", tmp_path / "link"):
        with pytest.raises(ConfigError, match="own folder"):
            plan_mounts([Mount(host)], own=[own])
    assert plan_mounts([Mount(made(tmp_path / "box/work2"))], own=[own])


def test_a_link_is_mounted_where_it_leads_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(made(tmp_path / "real"))
    folder = plan_mounts([Mount(tmp_path / "link")])[0]
    assert folder.target.endswith("_link")
    assert folder.host == str(tmp_path / "real")


@pytest.mark.parametrize(
    ("text", "mount"),
    [
        ("/data", Mount("/data")),
        ("/data:ro", Mount("/data", read_only=True)),
        ("/data:rw", Mount("/data")),
        ("/data:/mnt/x", Mount("/data", "/mnt/x")),
        ("/data:/mnt/x:ro", Mount("/data", "/mnt/x", True)),
        ("/odd:name:/mnt/x", Mount("/odd:name", "/mnt/x")),
    ],
)
def test_a_mount_is_read_from_the_command_line(text: str, mount: Mount) -> None:
    assert parse_mount(text) == mount


def test_short_paths_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/someone")
    assert parse_mount("data:ro") == Mount(str(tmp_path / "data"), read_only=True)
    assert parse_mount("~/data:/mnt/x") == Mount("/home/someone/data", "/mnt/x")
    with pytest.raises(ConfigError, match="cannot mount"):
        parse_mount("~nobody-of-this-name/data")


def test_a_drive_letter_belongs_to_the_path() -> None:
    drive = r"C:\data"
    assert parse_mount(drive).target is None
    assert str(parse_mount(drive).host).endswith(drive)
    assert parse_mount(rf"{drive}:/mnt/x:ro").target == "/mnt/x"


@pytest.mark.parametrize("text", ["", ":ro", ":/mnt/x", "/data:x", "/data:x:ro", "/data:"])
def test_what_is_no_mount_is_refused_with_advice(text: str) -> None:
    with pytest.raises(ConfigError, match="write HOST, HOST:ro"):
        parse_mount(text)


def test_a_folder_out_of_reach_is_a_config_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="Not a directory"):
        plan_mounts([Mount(os.fspath(tmp_path / "file/below"))])
