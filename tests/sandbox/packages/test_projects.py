"""Projects and sources that are built inside a sandbox, and virtual environments."""

import json
from collections.abc import Mapping

import anyio
import pytest

from cloche import Sandbox
from tests.guest_python import TAG
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.projects import make_sdist, project_files
from tests.sandbox.packages.wheel_index import OTHER, WheelIndex, make_wheel

pytestmark = pytest.mark.timeout(120)

NATIVE = f"{TAG}-{TAG}-emscripten_5_0_3_wasm32"
COMPILER = "subprocess.run(['cc', '-c', 'x.c'], check=False)\nraise SystemExit(\"error: command 'cc' failed\")"


@pytest.fixture
async def box(open_box: OpenBox, index: WheelIndex, distribution: WheelIndex) -> Sandbox:
    """A sandbox whose host knows one index with a package."""
    make_wheel(index.folder, "mosskit")
    return await open_box()


async def write_project(box: Sandbox, folder: str, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        await box.write(f"{folder}/{name}", text)


async def said(box: Sandbox, command: str) -> str:
    """What a command prints; it must succeed."""
    with anyio.fail_after(100):
        result = await box.bash(command, timeout=100)
    assert result.exit_code == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
async def test_a_project_is_installed_from_its_folder(box: Sandbox) -> None:
    files = project_files("own", requires=["mosskit"], needs=["absentkit"])
    await write_project(box, "own", files)
    failed = await box.bash("pip install ./own")
    assert failed.exit_code == 1
    assert "what the build needs could not be installed: absentkit" in failed.stdout
    await write_project(box, "own", files | project_files("own", requires=["mosskit"]))
    text = await said(box, "(cd own && pip install .)")
    assert "Processing /workspace/own\n" in text
    assert "Successfully installed mosskit-1.0 own-1.0" in text
    assert await said(box, "(cd /tmp && own-cli && python3 -c 'import own, mosskit; print(own.__file__)')") == (
        "from own 1.0\n/opt/packages/own.py\n"
    )
    assert (await said(box, "pip freeze | grep -E 'own|moss'")) == "mosskit==1.0\nown==1.0\n"
    shown = await said(box, "pip show own; pip check")
    assert "Requires: mosskit\n" in shown
    assert shown.endswith("No broken requirements found.\n")
    assert await said(box, "pip uninstall -q -y own; pip list --format=freeze | grep -c own || true") == "0\n"


@pytest.mark.slow
async def test_what_a_build_needed_is_removed_after_it(box: Sandbox) -> None:
    await write_project(box, "own", project_files("own", needs=["mosskit"], before="import mosskit"))
    assert "building" not in await said(box, "python3 -m pip install ./own")
    names = [each["name"] for each in json.loads(await said(box, "pip list --format json"))]
    assert "own" in names
    assert "mosskit" not in names


@pytest.mark.slow
async def test_an_editable_project_is_seen_as_it_is_now(box: Sandbox) -> None:
    files = project_files("own", extras={"dev": "mosskit"})
    await write_project(box, "own", files)
    assert "Obtaining file:///workspace/own" in await said(box, "pip install -e './own[dev]'")
    assert await said(box, "cd /tmp; own-cli; python3 -c 'import mosskit'") == "from own 1.0\n"
    assert (await box.run("import own; own.__file__")).value == "'/workspace/own/own.py'"
    await box.write("own/own.py", files["own.py"].replace("1.0", "1.1"))
    assert await said(box, "own-cli") == "from own 1.1\n"
    await said(box, "pip uninstall -y own")
    assert (await box.bash("own-cli")).exit_code == 127
    assert "ModuleNotFoundError: No module named 'own'" in (await box.bash("python3 -c 'import own'")).stderr
    assert (await box.run("import sys; '/workspace/own' in sys.path")).value == "False"


@pytest.mark.slow
async def test_requirements_may_name_projects(box: Sandbox) -> None:
    await write_project(box, ".", project_files("own"))
    await write_project(box, "lib", project_files("lib"))
    await box.write("requirements.txt", "# all\n-e .\n./lib  # beside\nmosskit>=1\n")
    assert await said(box, "pip install -q -r requirements.txt; pip freeze | grep -E 'own|lib|moss'") == (
        "lib==1.0\nmosskit==1.0\nown==1.0\n"
    )
    assert "pip" not in await said(box, "ls -A")


@pytest.mark.parametrize("how", ["bash", "magic", "micropip", "import"])
@pytest.mark.slow
async def test_a_package_without_a_wheel_is_built_from_its_source(
    open_box: OpenBox, index: WheelIndex, distribution: WheelIndex, how: str
) -> None:
    make_wheel(index.folder, "branch", requires=["speedy>=1"])
    make_wheel(index.folder, "speedy", "2.0", tag=OTHER)
    make_sdist(index.folder, "speedy", "2.0", project_files("speedy", "2.0", tag=NATIVE))
    box = await open_box(auto_install=how == "import")
    code = "import branch, speedy; speedy.version"
    if how == "bash":
        text = await said(box, "pip install branch")
        assert "Collecting speedy>=1\n  Downloaded speedy-2.0.tar.gz" in text
        assert text.endswith("Successfully installed branch-1.0 speedy-2.0\n")
    elif how == "magic":
        assert "Successfully installed branch-1.0 speedy-2.0" in (await box.run("%pip install branch")).stdout
    elif how == "micropip":
        assert (await box.run("import micropip; await micropip.install('branch')")).error is None
    else:
        code = "import speedy; speedy.version"
    assert (await box.run(code)).value == "'2.0'"


@pytest.mark.slow
async def test_a_source_that_cannot_be_built_says_why(box: Sandbox, index: WheelIndex) -> None:
    for name, before in {"inc": COMPILER, "odd": "raise ValueError('not today')"}.items():
        make_wheel(index.folder, name, tag=OTHER)
        make_sdist(index.folder, name, "1.0", project_files(name, before=before))
    make_wheel(index.folder, "closed", tag=OTHER)
    needs = await box.bash("pip install inc")
    assert needs.exit_code == 1
    assert "inc has only wheels for manylinux" in needs.stdout
    assert "Its source cannot be used instead: it needs a compiler (cc), which a sandbox does not have" in needs.stdout
    odd = await box.bash("pip install odd")
    assert "tiny failed: ValueError: not today" in odd.stdout
    assert "building odd" in odd.stdout
    assert "the index has no source of closed" in (await box.bash("pip install closed")).stdout


@pytest.mark.slow
async def test_a_source_is_checked_like_a_wheel(box: Sandbox, index: WheelIndex) -> None:
    make_wheel(index.folder, "hurried", tag=OTHER)
    source = make_sdist(index.folder, "hurried", "1.0", project_files("hurried"))
    await box.write("r.txt", f"hurried==1.0 --hash=sha256:{'0' * 64}\n")
    named = await box.bash("pip install -r r.txt")
    assert "hurried has only wheels for manylinux" in named.stdout
    assert "source" not in named.stdout
    index.hashes[source.name] = "0" * 64
    wrong = await box.bash("pip install hurried")
    assert wrong.exit_code == 1
    assert "does not have the hash that the index names" in wrong.stdout


@pytest.mark.slow
async def test_a_build_is_stopped_with_its_command(box: Sandbox, index: WheelIndex) -> None:
    endless = "pathlib.Path('/tmp/begun').touch()\nwhile True: pass"
    make_sdist(index.folder, "endless", "1.0", project_files("endless", before=endless))
    script = "pip install -q endless & until [ -e /tmp/begun ]; do sleep .1; done; kill $!; wait $!; echo $?"
    assert await said(box, script) == "143\n"
    assert await said(box, "pip install -q mosskit && pip freeze | grep -c endless || true") == "0\n"


@pytest.mark.slow
async def test_a_virtual_environment_is_what_a_script_expects(box: Sandbox) -> None:
    await write_project(box, "own", project_files("own"))
    script = """
set -e
python3 -m venv .venv
. .venv/bin/activate
command -v python pip
echo $VIRTUAL_ENV
pip install -q mosskit ./own
python -c 'import mosskit, own, sys; print(sys.prefix, sys.prefix != sys.base_prefix, sys.executable)'
command -v own-cli
own-cli
deactivate
command -v python
echo "${VIRTUAL_ENV-none}"
"""
    assert (await said(box, script)).splitlines() == [
        "/workspace/.venv/bin/python",
        "/workspace/.venv/bin/pip",
        "/workspace/.venv",
        "/workspace/.venv True /workspace/.venv/bin/python",
        "/workspace/.venv/bin/own-cli",
        "from own 1.0",
        "/usr/bin/python",
        "none",
    ]
    where = "-c 'import sys; print(sys.prefix)'"
    outside = await said(box, f".venv/bin/python {where}; .venv/bin/own-cli; python3 {where}")
    assert outside == "/workspace/.venv\nfrom own 1.0\n/\n"
    code = "import subprocess; subprocess.run(['.venv/bin/python', '-m', 'pip', 'uninstall', '-y', 'own']).returncode"
    assert (await box.run(code)).value == "0"
    assert (await box.bash("ls .venv/bin/own-cli")).exit_code == 2
    for name in ("virtualenv .venv", "uv pip install x"):
        result = await box.bash(name)
        assert result.exit_code == 127
        assert "python3 -m venv" in result.stderr


@pytest.mark.slow
async def test_a_project_is_built_to_files(box: Sandbox) -> None:
    await write_project(box, "own", project_files("own"))
    assert (await said(box, "(cd own && python3 -m build)")).endswith(
        "Successfully built own-1.0.tar.gz and own-1.0-py3-none-any.whl\n"
    )
    assert await said(box, "ls own/dist; python3 -m build -q 2>/dev/null; echo $?") == (
        "own-1.0-py3-none-any.whl\nown-1.0.tar.gz\n2\n"
    )
    assert "Successfully installed own-1.0" in await said(box, "pip install own/dist/own-1.0.tar.gz")
    assert await said(box, "python3 -m build --wheel --outdir out own | tail -1; ls out") == (
        "Successfully built own-1.0-py3-none-any.whl\nown-1.0-py3-none-any.whl\n"
    )
