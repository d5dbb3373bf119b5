"""Packages as the code in a sandbox asks for them: magics, bash, micropip and plain imports."""

from pathlib import Path

import pytest

from cloche import Sandbox
from tests.sandbox.conftest import OpenBox
from tests.sandbox.packages.wheel_index import WheelIndex, make_wheel

pytestmark = pytest.mark.timeout(60)

CLI = {
    "leafkit/__init__.py": "def main():\n    import sys\n    print('leafkit', sys.argv[1:])\n    return 3\n",
    "leafkit-1.0.dist-info/entry_points.txt": "[console_scripts]\nleafkit = leafkit:main\nls = leafkit:main\n",
}


@pytest.fixture
async def box(open_box: OpenBox, index: WheelIndex, distribution: WheelIndex, tmp_path: Path) -> Sandbox:
    """A sandbox whose host knows one index with two packages."""
    make_wheel(index.folder, "leafkit", files=CLI)
    make_wheel(index.folder, "twigkit", requires=["leafkit"])
    return await open_box()


@pytest.mark.slow
async def test_the_magic_installs_lists_and_removes(box: Sandbox) -> None:
    result = await box.run("%pip install twigkit")
    assert "Successfully installed leafkit-1.0 twigkit-1.0" in result.stdout
    assert (await box.run("import twigkit, leafkit; twigkit.version")).value == "'1.0'"
    assert "twigkit" in (await box.run("%pip list")).stdout
    await box.run("%pip uninstall -y twigkit")
    gone = await box.run("import twigkit")
    assert gone.error is not None
    assert gone.error.type == "ModuleNotFoundError"
    failed = await box.run("%pip install nothing-like-it\n_exit_code")
    assert "ERROR:" in failed.stdout
    assert failed.value == "1"


@pytest.mark.slow
async def test_bash_has_pip_and_so_has_python(box: Sandbox) -> None:
    result = await box.bash("pip install leafkit && python3 -c 'import leafkit; print(leafkit.__file__)'")
    assert result.stdout.endswith("/opt/packages/leafkit/__init__.py\n")
    assert (await box.bash("pip3 freeze | grep kit")).stdout == "leafkit==1.0\n"
    assert "Name: leafkit" in (await box.bash("python3 -m pip show leafkit")).stdout
    assert (await box.bash("pip install nothing-like-it")).exit_code == 1
    assert (await box.bash("pip nonsense")).exit_code == 2
    code = (
        "import subprocess, sys; subprocess.run([sys.executable, '-m', 'pip', 'uninstall', '-y', 'leafkit']).returncode"
    )
    assert (await box.run(code)).value == "0"
    shown = await box.run("!pip install leafkit")
    assert "Successfully installed leafkit-1.0" in shown.stdout


@pytest.mark.slow
async def test_console_scripts_are_commands_but_do_not_replace_any(box: Sandbox) -> None:
    assert (await box.bash("leafkit")).exit_code == 127
    await box.run("%pip install leafkit")
    result = await box.bash("leafkit a 'b c'; echo $?")
    assert result.stdout == "leafkit ['a', 'b c']\n3\n"
    assert (await box.bash("ls /opt/packages")).stdout.startswith("leafkit\n")
    assert (await box.bash("leafkit x | tr a-z A-Z")).stdout == "LEAFKIT ['X']\n"
    await box.run("%pip uninstall -y leafkit")
    assert (await box.bash("leafkit")).exit_code == 127


@pytest.mark.slow
async def test_micropip_installs_and_says_why_not(box: Sandbox) -> None:
    code = "import micropip\nawait micropip.install(['twigkit'])\nimport twigkit\n'leafkit' in micropip.list()"
    assert (await box.run(code)).value == "True"
    assert (
        await box.run("import json; json.loads(micropip.freeze())['packages']['twigkit']['version']")
    ).value == "'1.0'"
    failed = await box.run("await micropip.install('nothing-like-it')")
    assert failed.error is not None
    assert failed.error.type == "ValueError"
    assert "nothing-like-it" in failed.error.message
    await box.run("micropip.uninstall('twigkit')")
    assert (await box.run("'twigkit' in micropip.list()")).value == "False"


@pytest.mark.slow
async def test_a_missing_module_is_hinted_at(box: Sandbox) -> None:
    result = await box.run("import leafkit")
    assert result.error is not None
    assert result.error.message == "No module named 'leafkit'"
    assert "`%pip install leafkit` installs it" in result.error.traceback
    assert "%pip" not in (await box.run("import json.nothing")).error.traceback  # pyright: ignore[reportOptionalMemberAccess] - it fails
    assert "`pip install pyyaml`" in (await box.bash("python3 -c 'import yaml'")).stderr


@pytest.mark.slow
async def test_a_missing_module_is_installed_where_that_is_wanted(
    open_box: OpenBox, index: WheelIndex, distribution: WheelIndex
) -> None:
    make_wheel(index.folder, "leafkit", files=CLI)
    make_wheel(index.folder, "probekit", files={"probekit.py": "try:\n import leafkit\nexcept ImportError:\n X = 1\n"})
    box = await open_box(auto_install=True)
    first = await box.run("import probekit; probekit.X")
    assert first.value == "1", "a package that tries a module does not get it"
    assert first.stderr == "installed probekit-1.0 for `import probekit`\n"
    await box.write("app.py", "import leafkit\nprint(leafkit.__name__)\n")
    assert (await box.bash("python3 app.py")).stdout == "leafkit\n"
    asked = len(index.asked)
    code = "try:\n import nothing_like_it\nexcept ImportError as error: print(error.name)"
    assert (await box.run(code)).stdout == "nothing_like_it\n"
    between = len(index.asked)
    again = await box.run("import nothing_like_it")
    assert len(index.asked) == between > asked
    assert again.error is not None
    assert "nothing" in again.error.traceback.splitlines()[-1]
    assert (await box.run("import importlib.util as u; u.find_spec('nothing_else')")).value is None
