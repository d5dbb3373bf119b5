"""git in the sandbox's bash, held against the real one over the same folders."""

import os
import shutil
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path
from textwrap import dedent

import pytest

from cloche import Sandbox
from cloche.sandbox.cache import snapshots
from tests.engine.languages.bash import git_rename_scripts, git_scripts

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

SCRIPTS = git_scripts.SCRIPTS | git_rename_scripts.SCRIPTS

PEOPLE = {
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "a@x.org",
    "GIT_AUTHOR_DATE": "1700000000 +0100",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "c@x.org",
    "GIT_COMMITTER_DATE": "1700000001 +0200",
}


class Both:
    """One folder for the real git, one for the sandbox's."""

    def __init__(self, box: Sandbox, folder: Path) -> None:
        self.box = box
        self.ours = folder
        self.theirs = folder.parent / f"{folder.name}-real"
        self.theirs.mkdir(parents=True)
        folder.mkdir(parents=True)

    def real(self, script: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        home = self.theirs.parent / "home"
        home.mkdir(exist_ok=True)
        (home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n")
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **PEOPLE}
        env |= {"GIT_CONFIG_GLOBAL": str(home / "other")} if "--global" in script else {}
        env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main"}
        command = ["bash", "-c", script]
        done = subprocess.run(command, cwd=folder or self.theirs, env=env, capture_output=True, timeout=30, check=False)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        return subprocess.CompletedProcess(command, done.returncode, out, err)

    async def sandboxed(self, script: str) -> tuple[str, str, int]:
        people = " ".join(f"{name}='{value}'" for name, value in PEOPLE.items())
        result = await self.box.bash(f"cd /workspace/{self.ours.name}; (export {people}; {script}\n)", timeout=20)
        return result.stdout, result.stderr, result.exit_code


@pytest.fixture(scope="session")
async def git_box(
    prepared: snapshots.PreparedStart, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[tuple[Sandbox, Path]]:
    folder = tmp_path_factory.mktemp("git")
    async with Sandbox(workspace=folder, languages=["bash"]) as box:
        yield box, folder


@pytest.fixture
def both(git_box: tuple[Sandbox, Path], request: pytest.FixtureRequest) -> Both:
    box, folder = git_box
    return Both(box, folder / f"{abs(hash(request.node.name)):x}")


@pytest.mark.parametrize("name", SCRIPTS)
async def test_it_prints_what_git_prints(both: Both, name: str) -> None:
    script = dedent(SCRIPTS[name])
    done = both.real(script)
    out, err, code = await both.sandboxed(script)
    place = f"/workspace/{both.ours.name}"
    assert out == done.stdout.replace(str(both.theirs), place)
    assert err == done.stderr.replace(str(both.theirs), place)
    assert code == done.returncode
    for repository in both.ours.glob("**/.git"):
        checked = both.real("git fsck --strict --no-dangling", repository.parent)
        assert "error" not in checked.stderr + checked.stdout
        # Both see the same state.
        seen = both.real("git status --porcelain; git ls-files -s", repository.parent).stdout
        inside = f"cd {repository.parent.relative_to(both.ours)}; git status --porcelain; git ls-files -s"
        assert (await both.sandboxed(inside))[0] == seen


async def test_the_issue_of_every_agent_works(both: Both) -> None:
    out, err, code = await both.sandboxed(
        "unset GIT_AUTHOR_NAME; git init -q r && cd r && echo a > f && git add f && "
        "git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline | wc -l"
    )
    assert (out, err, code) == ("1\n", "", 0)


async def test_packed_repositories_of_the_real_git_are_read(both: Both) -> None:
    both.real(
        "git init -q r; cd r; for i in $(seq 30); do seq $i > f; echo $i > g$i; git add .; git commit -qm c$i; done;"
        "git tag -a v1 -m t; git branch x HEAD~5; git gc -q --aggressive; git pack-refs --all; "
        "git update-index --index-version 4; echo more >> f",
        both.ours,
    )
    script = "git log --oneline; git status -s; git diff; git branch; git tag; git show v1 --stat; git log -p -3 -- f"
    real = both.real(script, both.ours / "r")
    assert (await both.sandboxed(f"cd r; {script}"))[:2] == (real.stdout, real.stderr)
    await both.sandboxed("cd r; git commit -qam more; git checkout -q x")
    assert "x" in both.real("git branch --show-current; git fsck", both.ours / "r").stdout


async def test_unknown_commands_and_missing_identities_say_what_to_do(both: Both) -> None:
    out, err, code = await both.sandboxed("git bundle create x")
    assert (out, code) == ("", 1)
    assert err.startswith("git: 'bundle' is not a git command here.")
    _, err, code = await both.sandboxed(
        "unset ${!GIT_*}; git init -q r; cd r; echo > f; git add f; env -i HOME=/tmp git commit -m x"
    )
    assert code == 128
    assert "*** Please tell me who you are." in err
    assert (await both.sandboxed("git --version"))[0].startswith("git version ")


async def test_status_of_many_files_reads_none_of_them(both: Both) -> None:
    repository = both.ours / "r"
    repository.mkdir()
    for number in range(2000):
        folder = repository / f"d{number % 40}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}").write_text(f"{number}\n" * 20)
    both.real("git init -q; git add .; git commit -qm x", repository)
    assert await both.sandboxed("cd r; git status -s") == ("", "", 0)
    result = await both.box.bash(f"cd /workspace/{both.ours.name}/r; git status -s", timeout=10)
    assert (result.stdout, result.exit_code) == ("", 0)
    assert result.duration < 1.5
