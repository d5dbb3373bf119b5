"""Repositories made to do harm."""

import shutil
import subprocess
from pathlib import Path

import anyio
import pytest

from tests.sandbox.conftest import OpenBox

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PREPARE = """
git init -q -b main r; cd r; git config user.name a; git config user.email a@b; echo a > f; git add f; git commit -qm x
blob=$(git rev-parse HEAD:f); link=$(printf ../out | git hash-object -w --stdin); head=$(git rev-parse HEAD)
raw() { printf "$1 $2\\0"; printf "$(echo $3 | sed 's/../\\\\x&/g')"; }
tree() { git hash-object -t tree -w --stdin --literally; }
commit() { git branch $1 $(git commit-tree -m $1 $2); }
sub=$(raw 100644 x $blob | tree)
"""


def prepare(folder: Path, script: str) -> None:
    subprocess.run(["bash", "-ec", PREPARE + script], cwd=folder, check=True, timeout=20, capture_output=True)


@pytest.mark.parametrize(
    "script",
    [
        "commit evil $(raw 40000 .git $sub | tree)",
        "commit evil $(raw 40000 .GIT $sub | tree)",
        "commit evil $(raw 40000 'git~1' $sub | tree)",
        "commit evil $(raw 40000 .. $sub | tree)",
        "commit evil $(raw 100644 ../escape $blob | tree)",
        "commit evil $(raw 100644 /workspace/escape $blob | tree)",
        "commit evil $( (raw 120000 out $link; raw 40000 out $sub) | tree)",
    ],
    ids=["dot git", "capitals", "short name", "parent", "slash", "absolute", "below a link"],
)
async def test_trees_that_lead_elsewhere_are_refused(open_box: OpenBox, tmp_path: Path, script: str) -> None:
    prepare(tmp_path, script)
    (tmp_path / "out").mkdir()
    box = await open_box(workspace=tmp_path, languages=["bash"])
    before = sorted(tmp_path.rglob("*"))
    for command in (
        "checkout evil",
        "checkout -f evil",
        "reset --hard evil",
        "merge --allow-unrelated-histories evil",
        "restore --source evil .",
        "checkout evil -- .",
        "cherry-pick evil",
    ):
        result = await box.bash(f"cd /workspace/r; git {command}", timeout=10)
        assert result.exit_code == 128, command
        assert "invalid path" in result.stderr, command
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before and path.name != "ORIG_HEAD"] == []
    assert (await box.bash("cd /workspace/r; git log --oneline evil | wc -l")).stdout == "1\n"


async def test_links_are_stored_as_links_and_nothing_is_written_through_them(open_box: OpenBox, tmp_path: Path) -> None:
    prepare(tmp_path, "git rm -q f; mkdir d; echo 1 > d/x; git add .; git commit -qm d; git branch two")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").write_text("mine")
    box = await open_box(workspace=tmp_path, languages=["bash"])
    result = await box.bash(
        "cd r; git status -s; rm -r d; ln -s ../out d; git status -s; git checkout -q -f two; cat d/x; git status -s"
    )
    assert result.stdout == " D d/x\n?? d\n1\n"
    assert (tmp_path / "out" / "x").read_text() == "mine"


async def test_nothing_that_a_repository_names_is_run(open_box: OpenBox, tmp_path: Path) -> None:
    touch = "touch /workspace/ran"
    prepare(
        tmp_path,
        f"""
        git config core.fsmonitor '{touch}'; git config core.sshCommand '{touch}'; git config core.editor '{touch}'
        git config core.pager '{touch}'; git config diff.external '{touch}'; git config alias.x '!{touch}'
        git config filter.f.clean '{touch}'; git config filter.f.smudge '{touch}'; git config diff.f.textconv '{touch}'
        git config merge.f.driver '{touch}'; git config core.hooksPath .; git config gpg.program '{touch}'
        git config credential.helper '!{touch}'; git config http.proxy http://127.0.0.1:1
        echo '* filter=f diff=f merge=f' > .gitattributes
        for h in pre-commit post-checkout post-commit pre-push post-merge reference-transaction post-index-change; do
          printf '#!/bin/sh\\n{touch}\\n' > .git/hooks/$h; cp .git/hooks/$h $h; chmod +x .git/hooks/$h $h; done
        git remote add e 'ext::sh -c "{touch}"'; git remote add s 'ssh://-oProxyCommand=touch/x'
        """,
    )
    box = await open_box(workspace=tmp_path, languages=["bash"])
    result = await box.bash(
        "cd r; git status; git add .; git commit -m y; git diff HEAD~1; git log -p; git checkout -b z; git merge main;"
        "git x; git fetch e; git fetch s; git push e; git pull s; git stash; git clone ext::sh.% a;"
        "git clone ssh://h/x b;"
        "git clone file:///workspace/r c; git clone host:x d; git commit; git tag -s t; ls /workspace",
        timeout=20,
    )
    assert result.stdout.splitlines()[-1] == "r"
    assert result.stderr.count("not allowed") >= 8
    assert not (tmp_path / "ran").exists()


async def test_submodules_are_shown_and_not_fetched(open_box: OpenBox, tmp_path: Path) -> None:
    prepare(
        tmp_path,
        "printf '[submodule \"m\"]\\n\\tpath = m\\n\\turl = ext::touch /workspace/ran\\n' > .gitmodules; git add .; "
        "git update-index --add --cacheinfo 160000,$head,m; git commit -qm m",
    )
    box = await open_box(workspace=tmp_path, languages=["bash"])
    result = await box.bash(
        "git clone -q --recurse-submodules r c; cd c; git status -s; ls; git submodule; git submodule update --init"
    )
    assert "submodules are not fetched: m" in result.stderr
    assert "submodule update is not supported here" in result.stderr
    assert result.stdout.splitlines()[0] == "f"
    assert result.stdout.splitlines()[2].endswith(" m")


@pytest.mark.slow
async def test_broken_and_swollen_objects_are_errors(open_box: OpenBox, tmp_path: Path) -> None:
    bomb = (
        "import zlib, hashlib; pack = zlib.compressobj(1); size = 400 << 20; piece = bytes(1 << 24); "
        "out = pack.compress(b'blob %d\\0' % size) + b''.join(pack.compress(piece) for _ in range(size >> 24)); "
        "open('bomb', 'wb').write(out + pack.flush())"
    )
    prepare(
        tmp_path,
        f'python3 -c "{bomb}"; o=$(git rev-parse HEAD:f); p=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-);'
        "chmod u+w $p; mv bomb $p; echo b > g; git add g; git commit -qm g; rm -f f; "
        "t=.git/objects/$(git rev-parse HEAD^{tree} | sed 's,..,&/,'); chmod u+w $t; echo junk > $t",
    )
    box = await open_box(workspace=tmp_path, languages=["bash"])
    with anyio.fail_after(20):
        result = await box.bash(
            "cd r; git cat-file -p HEAD~1:f | wc -c; git status; git checkout HEAD~1 -- f; git log --stat"
        )
    assert result.state == "kept"
    assert "more than 128 MB cannot be read here" in result.stderr
    assert "corrupt" in result.stderr
    assert (await box.bash("cd /workspace; git init -q s; echo still here")).stdout == "still here\n"


@pytest.mark.slow
async def test_git_can_be_interrupted(open_box: OpenBox, tmp_path: Path) -> None:
    repository = tmp_path / "r"
    repository.mkdir()
    for number in range(3000):
        (repository / f"f{number}").write_text(str(number))
    box = await open_box(workspace=tmp_path, languages=["bash"])
    await box.bash("cd r; git init -q", check=True)
    result = await box.bash("git add . && git commit -qm x && while true; do git status > /dev/null; done", timeout=1)
    assert result.timed_out
    assert result.state == "kept"
    assert result.duration < 2
    assert (await box.bash("git status -s > /dev/null; echo $?", timeout=15)).stdout == "0\n"
