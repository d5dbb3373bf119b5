"""Repositories on a real smart-HTTP server, reached through the host."""

import shutil
import subprocess
import threading
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from cloche import Sandbox
from tests.engine.languages.bash.git_server import GitServer, serve
from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ORIGIN = """
git init -q -b main o; cd o; git config user.name a; git config user.email a@b
for i in 1 2 3 4 5; do seq $i > f$i; git add .; git commit -qm c$i; done; git tag v1; git branch side HEAD~1; cd ..
git clone -q --bare o o.git; git init -q --bare empty.git
"""
ME = "export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=m@e GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=m@e;"


def real(script: str, folder: Path) -> str:
    done = subprocess.run(["bash", "-ec", script], cwd=folder, capture_output=True, text=True, timeout=20, check=True)
    return done.stdout


@pytest.fixture
def server(tmp_path: Path) -> Generator[GitServer]:
    real(ORIGIN, tmp_path)
    with serve(tmp_path) as running:
        yield running


@pytest.fixture
async def box(open_box: OpenBox, server: GitServer) -> Sandbox:
    return await open_box(allow_net=[server.address], languages=["bash"])


async def test_a_repository_is_cloned(box: Sandbox, server: GitServer) -> None:
    result = await box.bash(
        f"git clone http://{server.address}/o.git && cd o && git log --oneline | wc -l && git status && git branch -a "
        "&& git tag && cat f5 | wc -l"
    )
    assert result.stderr == "Cloning into 'o'...\n"
    assert result.stdout == (
        "5\nOn branch main\nYour branch is up to date with 'origin/main'.\n\nnothing to commit, working tree clean\n"
        "* main\n  remotes/origin/HEAD -> origin/main\n  remotes/origin/main\n  remotes/origin/side\nv1\n5\n"
    )


async def test_part_of_a_repository_is_cloned(box: Sandbox, server: GitServer) -> None:
    url = f"http://{server.address}/o.git"
    result = await box.bash(
        f"git clone -q --depth 1 {url} s && git -C s log --oneline | wc -l; git clone -q -b side {url} t; "
        f"git -C t branch; ls t; git clone -q -b v1 {url} u; git -C u status | head -1; cd s; "
        "git fetch -q --unshallow; git log --oneline | wc -l"
    )
    assert result.stdout.splitlines()[:7] == ["1", "* side", "f1", "f2", "f3", "f4", "Not currently on any branch."]
    assert (result.stdout.splitlines()[-1], result.stderr) == ("5", "")


def head(server: GitServer, ref: str = "main") -> str:
    return real(f"git rev-parse --short {ref}", server.root / "o.git").strip()


async def test_commits_go_there_and_back(box: Sandbox, server: GitServer) -> None:
    first = head(server)
    result = await box.bash(
        f"{ME} git clone -q http://{server.address}/o.git; cd o; echo new > new; git add .; git commit -qm new;"
        " git push;"
        "git status -sb; git push; git checkout -qb feat; git push -u origin feat; git push origin :feat; "
        "git checkout -q main"
    )
    place = f"To http://{server.address}/o.git\n"
    assert result.stdout == "## main...origin/main\nbranch 'feat' set up to track 'origin/feat'.\n"
    assert result.stderr == (
        f"{place}   {first}..{head(server)}  main -> main\nEverything up-to-date\n"
        f"{place} * [new branch]      feat -> feat\n"
        f"{place} - [deleted]         feat\n"
    )
    assert real("git fsck --strict; git show main:new", server.root / "o.git") == "new\n"
    real(
        "git clone -q o.git x; cd x; git config user.name b; git config user.email b@c; echo y > y; git add y; "
        "git commit -qm y; git push -q",
        server.root,
    )
    result = await box.bash("git pull && cat y")
    assert result.stdout.startswith("Updating ")
    assert result.stdout.endswith("Fast-forward\n y | 1 +\n 1 file changed, 1 insertion(+)\n create mode 100644 y\ny\n")
    real("cd x; echo z > y; git commit -qam z; git push -q", server.root)
    result = await box.bash(f"{ME} echo mine > y; git commit -qam mine; git push; echo $?; git fetch; git status -sb")
    assert "! [rejected]        main -> main" in result.stderr
    assert result.stdout == "1\n## main...origin/main [ahead 1, behind 1]\n"


async def test_failures_say_what_failed(box: Sandbox, server: GitServer) -> None:
    result = await box.bash(
        f"git clone -q http://{server.address}/nope.git; git clone -q http://{server.address}/empty.git e; "
        f"git clone -q -b nope http://{server.address}/o.git n; git clone -q http://127.0.0.1:9/x.git; ls"
    )
    assert result.stdout == "e\n"
    lines = result.stderr.splitlines()
    assert lines[0] == f"fatal: repository 'http://{server.address}/nope.git/' not found"
    assert lines[1] == "warning: You appear to have cloned an empty repository."
    assert lines[2] == "fatal: Remote branch nope not found in upstream origin"
    assert lines[3].startswith("fatal: unable to access 'http://127.0.0.1:9/x.git/': Connection refused: nothing")


async def test_without_permission_there_is_no_network(open_box: OpenBox, server: GitServer) -> None:
    box = await open_box(languages=["bash"])
    result = await box.bash(f"git clone http://{server.address}/o.git; git ls-remote http://{server.address}/o.git")
    assert result.stderr.count("this sandbox has no network") == 2
    assert server.seen == []


async def test_credentials_stay_on_the_host(open_box: OpenBox, tmp_path: Path) -> None:
    real(ORIGIN, tmp_path)
    with serve(tmp_path, login="me:pass word") as server:
        url = f"http://{server.address}/o.git"
        plain = await open_box(allow_net=[server.address], languages=["bash"])
        result = await plain.bash(f"git clone {url}")
        assert f"fatal: Authentication failed for '{url}/'" in result.stderr
        assert "secrets" in result.stderr
        with_login = await plain.bash(f"git clone -q http://me:pass%20word@{server.address}/o.git a && ls a | wc -l")
        assert (with_login.stdout, with_login.stderr) == ("5\n", "")
        failed = await plain.bash(f"git clone -q http://me:wrong@{server.address}/o.git b")
        assert "wrong" not in failed.stderr
        secrets = {server.address: "Authorization: Basic bWU6cGFzcyB3b3Jk"}
        box = await open_box(allow_net=[server.address], secrets=secrets, languages=["bash"])
        result = await box.bash(f"git clone -q {url}; cat o/.git/config; env; ls o | wc -l")
        assert result.stdout.endswith("5\n")
        assert "bWU6" not in result.stdout


async def test_a_repository_that_moved_is_followed(box: Sandbox, server: GitServer) -> None:
    server.moved["/old.git"] = "/o.git"
    server.moved["/round.git"] = "/round.git"
    server.moved["/away.git"] = "http://127.0.0.1:9/x.git"
    base = f"http://{server.address}"
    result = await box.bash(
        f"git clone -q {base}/old.git; ls old | wc -l; git clone {base}/round.git; git clone {base}/away.git"
    )
    assert result.stdout == "5\n"
    assert "too many redirects" in result.stderr
    assert "may not reach 127.0.0.1:9" in result.stderr


async def test_a_clone_can_be_interrupted(box: Sandbox, server: GitServer) -> None:
    asked, leave = threading.Event(), threading.Event()
    server.gate = lambda path: (asked.set(), leave.wait(10)) if "upload-pack" in path else None

    async def interrupt() -> None:
        await to_thread.run_sync(asked.wait, 10)
        await box.interrupt()

    try:
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(interrupt)
                result = await box.bash(f"git clone http://{server.address}/o.git")
                assert (result.exit_code, result.state) == (130, "kept")
    finally:
        leave.set()
    assert (await box.bash("ls -A")).stdout == ""
