"""Runs every recipe of the cookbook, with the frameworks it is for."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import venv
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from cloche.sandbox.cache import snapshots
from cloche.sandbox.process.warm_up import warm_up
from tests.framework_python import INSTALL_TIMEOUT, ROOT

RECIPES = ROOT / "examples/cookbook"

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(INSTALL_TIMEOUT)]


@pytest.fixture(scope="session")
def python(framework_python: Path, assets: Path) -> Path:
    """The Python of the recipes, with what their sandboxes start from."""
    anyio.run(snapshots.build_prepared, warm_up)
    return framework_python


def run(argv: list[str]) -> None:
    subprocess.run(argv, stdin=subprocess.DEVNULL, check=True, timeout=INSTALL_TIMEOUT)


def call(argv: list[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        argv,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize(
    ("recipe", "output"),
    [
        ("pydantic_ai_agent.py", "The mean is 2.8.\n"),
        (
            "langchain_agent.py",
            "tool: (no output)\ntool: 11\n[exit code 3]\nai: Eleven of the numbers up to 20 have a 1 in them.\n",
        ),
        ("smolagents_executor.py", "285\n"),
    ],
)
def test_an_agent_gets_its_answer(python: Path, tmp_path: Path, recipe: str, output: str) -> None:
    assert call([str(python), str(RECIPES / recipe)], tmp_path, 60).stdout == output


@contextmanager
def serving(python: Path, *options: str) -> Generator[str]:
    """The address of the web application."""
    argv = [str(python), "-m", "uvicorn", "web_app:app", "--port", "0", "--app-dir", str(RECIPES), *options]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            lines = iter(server.stderr.readline, "")
            yield next(found[0] for line in lines if (found := re.search(r"http://[\d.:]+", line)))
        finally:
            server.terminate()
            server.communicate(timeout=20)


def post(address: str, **body: str) -> tuple[int, Any]:
    request = urllib.request.Request(f"{address}/run", json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_the_web_application_runs_code(python: Path, loop: str) -> None:
    with serving(python, "--loop", loop) as address:
        status, answer = post(address, code="print('hi')\n6 * 7")
        assert (status, answer["ok"], answer["stdout"], answer["value"]) == (200, True, "hi\n", "42")
        assert post(address, code="1/0")[1]["error"].endswith("ZeroDivisionError: division by zero\n")
        assert post(address, code="puts 6 * 7", language="ruby")[1]["stdout"] == "42\n"
        status, answer = post(address, code="1", language="rubi")
        assert (status, "Did you mean 'ruby'" in answer["detail"]) == (422, True)


def test_programs_of_students_are_graded(python: Path, tmp_path: Path) -> None:
    (tmp_path / "submissions").mkdir()
    for name, text in {
        "ada.py": "print(int(input()) ** 2)",
        "bob.rb": "puts gets.to_i * 2",
        "eve.py": "while True: pass",
        "joe.py": "print(int(input()) ** 2",
        "notes.txt": "not a program",
    }.items():
        (tmp_path / "submissions" / name).write_text(text)
    cases = [{"input": "2\n", "output": "4\n"}, {"input": "3\n", "output": "9\n"}]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = call([str(python), str(RECIPES / "grade.py"), "submissions", "cases.json"], tmp_path, 90)
    grades = {each["submission"]: each["cases"] for each in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 1
    assert grades == {
        "ada.py": ["passed", "passed"],
        "bob.rb": ["passed", "wrong output"],
        "eve.py": ["too slow", "too slow"],
        "joe.py": ["failed: SyntaxError: '(' was never closed"] * 2,
    }


def test_a_step_of_ci_runs_the_snippets_of_a_page(python: Path, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Page\n\n```python\nprint(6 * 7)\n```\n\n```console\n$ false\n```\n")
    (tmp_path / "bad.md").write_text("```python\nimport os\n```\ntext\n```python\nprint(os.getcwd())\n```\n")
    script = str(RECIPES / "check_snippets.sh")
    done = call(["bash", script, "good.md"], tmp_path, 60)
    assert (done.returncode, done.stdout) == (0, "ok      good.md, line-00004\n")
    assert json.loads((tmp_path / "snippets.jsonl").read_text())["stdout"] == "42\n"
    done = call(["bash", script, "good.md", "bad.md"], tmp_path, 60)
    assert done.returncode == 1
    assert done.stdout.splitlines()[1:] == ["ok      bad.md, line-00002", "failed  bad.md, line-00006: exit code 1"]
    last = json.loads((tmp_path / "snippets.jsonl").read_text().splitlines()[-1])
    assert last["error"]["type"] == "NameError"


LOAD = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"


def test_the_steps_of_github_actions_run_as_they_stand(python: Path, assets: Path, tmp_path: Path) -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs/cookbook.md").read_text(), re.MULTILINE | re.DOTALL)
    done = subprocess.run([python, "-c", LOAD], input=block, capture_output=True, text=True, check=True, timeout=30)
    steps: list[dict[str, Any]] = json.loads(done.stdout)
    assert all(set(step) in ({"run"}, {"uses", "with"}) for step in steps)
    used = {step["uses"].partition("@")[0]: step["with"] for step in steps if "uses" in step}
    assert set(used) == {"actions/setup-python", "actions/cache"}
    job = prepare_job(tmp_path, assets.parent.parent)
    # What the second step keeps is what Cloche fills.
    assert used["actions/cache"]["path"] == "~/.cache/cloche"
    for step in steps:
        if "run" in step:
            subprocess.run(["bash", "-e", "-c", step["run"]], check=True, timeout=INSTALL_TIMEOUT, **job)
    assert json.loads((tmp_path / "work/snippets.jsonl").read_text())["stdout"] == "42\n"


def prepare_job(folder: Path, cache: Path) -> dict[str, Any]:
    """A home whose cache was kept from an earlier run, a Python of its own, and a checkout."""
    home, work = folder / "home", folder / "work"
    (home / ".cache").mkdir(parents=True)
    (home / ".cache/cloche").symlink_to(cache)
    (work / "docs").mkdir(parents=True)
    shutil.copy(RECIPES / "check_snippets.sh", work)
    (work / "README.md").write_text("```python\nprint(6 * 7)\n```\n")
    (work / "docs/page.md").write_text("Nothing to run.\n")
    venv.create(folder / "python", with_pip=True)
    # The index has no such package yet: pip finds this checkout in a folder besides.
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run([*build, "--wheel-dir", str(folder / "dist"), str(ROOT)])
    env = {name: value for name, value in os.environ.items() if name not in ("CLOCHE_CACHE", "XDG_CACHE_HOME")}
    path = f"{folder / 'python/bin'}{os.pathsep}{env['PATH']}"
    found = " ".join(filter(None, (env.get("PIP_FIND_LINKS"), str(folder / "dist"))))
    settings = {"PIP_CONFIG_FILE": config} if (config := env.get("PIP_CONFIG_FILE") or user_config()) else {}
    return {"cwd": work, "env": {**env, **settings, "HOME": str(home), "PATH": path, "PIP_FIND_LINKS": found}}


def user_config() -> str | None:
    """The file of pip's settings in the home that the job does not have."""
    known = [Path.home() / ".config/pip/pip.conf", Path.home() / ".pip/pip.conf"]
    return next((str(path) for path in known if path.exists()), None)
