"""What holds for the repository as a whole."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from cloche.sandbox.languages import Language, languages
from scripts.check_sizes import oversized

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "src/cloche/engine"
PINNED = [
    *sorted(ROOT.glob("requirements/*.txt")),
    ENGINE / "languages/python/requirements.txt",
    ENGINE / "deno.lock",
    ROOT / "tests/runtime/a2a/package-lock.json",
]
# In two parts, so that this file does not hold what it looks for.
NPM = "registry." + "npmjs.org"
REGISTRIES = (NPM, "pypi.org" + "/simple", "files." + "pythonhosted.org")
# npm itself has this address built in, for whoever has configured no registry: so has the code that stands in for it.
NAMED = [(ROOT / "src/cloche/sandbox/registries/npm/npmrc.py", f'DEFAULT = "https://{NPM}/"')]
ADDRESSES = ("http:", "https:", "file:", "--index-url", "--extra-index-url", "--find-links", '"resolved"', '"tarball"')


def committed_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=10)
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_the_project_claims_the_event_loop_that_it_runs_on() -> None:
    claimed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    # The one of AnyIO means trio too.
    assert [each for each in claimed if each.startswith("Framework")] == ["Framework :: AsyncIO"]


def test_the_site_is_opened_where_its_search_works() -> None:
    planned = subprocess.run(["make", "-n", "docs-serve"], cwd=ROOT, capture_output=True, text=True, timeout=10)
    assert planned.returncode == 0, planned.stderr
    (built,) = re.findall(r"built in (\S+); make docs-serve shows it at (\S+)\"", planned.stdout)
    assert f"open {built[1]}," in planned.stdout
    assert re.search(rf"http\.server --bind 127\.0\.0\.1 --directory {built[0]} 8000", planned.stdout)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_no_file_names_a_registry_or_this_machine() -> None:
    files = {path: path.read_text(errors="replace") for path in committed_files()}
    for path, line in NAMED:
        assert files[path].count(f"{line}\n") == 1
        files[path] = files[path].replace(f"{line}\n", "")
    assert [str(path) for path, text in files.items() if str(ROOT) in text] == []
    assert [(str(path), address) for path, text in files.items() for address in REGISTRIES if address in text] == []


def test_every_broad_except_and_every_loose_task_says_why() -> None:
    bare: list[str] = []
    for path in committed_files():
        if path.suffix != ".py" or not path.is_relative_to(ROOT / "src/cloche") or path.is_relative_to(ENGINE):
            continue
        above = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            broad = re.search(r"except Exception\b(?!.*#)", line)
            loose = re.search(r"\bcreate_task\(", line) and not above.lstrip().startswith("#")
            if broad or loose:
                bare.append(f"{path.relative_to(ROOT)}:{number}")
            above = line
    assert bare == []


@pytest.mark.parametrize("path", PINNED, ids=lambda path: path.name)
def test_pinned_files_hold_hashes_and_no_addresses(path: Path) -> None:
    text = path.read_text()
    assert re.search(r"sha(256:[0-9a-f]{64}|512-)", text)
    assert [word for word in ADDRESSES if word in text] == []


def test_every_requirement_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    wanted = {
        "requirements/dev.txt": [*project["project"]["dependencies"], *groups["dev"]],
        "requirements/bench-ipykernel.txt": groups["bench-ipykernel"],
        "requirements/bench-libtmux.txt": groups["bench-libtmux"],
        "requirements/bench-pyeryx.txt": groups["bench-pyeryx"],
        "requirements/frameworks.txt": [*project["project"]["dependencies"], *groups["frameworks"]],
        "requirements/docs.txt": groups["docs"],
        "requirements/image.txt": [*project["project"]["dependencies"], *groups["build"]],
        "src/cloche/engine/languages/python/requirements.txt": groups["guest"],
    }
    for name, requirements in wanted.items():
        pins = set(re.findall(r"^([a-z0-9.-]+)==", (ROOT / name).read_text(), re.MULTILINE))
        assert {re.split(r"[\[=>]", requirement)[0] for requirement in requirements} <= pins


def test_no_source_file_is_too_long() -> None:
    assert oversized(ROOT) == {}


def test_tests_have_the_shape_of_the_source() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for path in committed_files() if ROOT / "tests" in path.parents}
    assert {str(each) for each in folders if not (ROOT / "src/cloche" / each).is_dir()} == {
        "benchmarks",
        "examples",
        "scripts",
    }


@pytest.mark.parametrize("language", languages().values(), ids=lambda language: language.name)
def test_a_language_has_the_same_files_as_every_other(language: Language) -> None:
    names = {path.name for path in (ENGINE / "languages" / language.name).iterdir()}
    pack = {"pack.ts", "deno.json", "deno.lock"}
    assert {"runtime.ts", "cases.json", *(pack if language.pack else ())} <= names
    assert language.pack or not names & pack


def test_a_source_file_that_is_too_long_is_named(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/long.py").write_text("x = 1\n" * 601)
    (tmp_path / "src/short.py").write_text("x = 1\n" * 600)
    assert oversized(tmp_path) == {"src/long.py": 601}


SKIPPED = """
import pytest

def test_needs_what_is_missing():
    pytest.skip("docker is missing")

@pytest.mark.skipif(True, reason="docker is missing")
def test_needs_it_too():
    pass

@pytest.mark.skipif(True, reason="only on Windows")
def test_is_for_another_system():
    pass

@pytest.mark.xfail(reason="known")
def test_fails_as_known():
    assert False
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ci", "summary"), [("true", "1 failed, 1 skipped, 1 xfailed, 1 error"), ("", "3 skipped, 1 xfailed")]
)
def test_a_skip_fails_in_ci_only(tmp_path: Path, ci: str, summary: str) -> None:
    (tmp_path / "test_skipped.py").write_text(SKIPPED)
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", str(tmp_path)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    output = subprocess.run(
        command, cwd=tmp_path, env={**env, "CI": ci}, capture_output=True, text=True, timeout=15, check=False
    )
    assert summary in output.stdout


CHILD = """
import subprocess, sys

def test_a_program_that_a_test_starts():
    code = "import signal; raise SystemExit(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
"""


@pytest.mark.slow
def test_what_tests_start_in_the_background_obeys_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "test_child.py").write_text(CHILD)
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    pytest_here = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", str(tmp_path)]
    in_background = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *pytest_here]
    done = subprocess.run(in_background, cwd=tmp_path, capture_output=True, text=True, timeout=15, check=False)
    assert "1 passed" in done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.timeout(90)
def test_the_wheel_holds_the_tree_without_tests_and_the_built_page(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tree = [path.relative_to(ROOT / "src").as_posix() for path in committed_files() if ROOT / "src" in path.parents]
    made = ("cloche/server/page/built/", "cloche/sandbox/embedding/built/")
    page = [name for name in names if name.startswith(made)]
    shipped = [name for name in names if not name.startswith("cloche-") and name not in page]
    assert {"index.html", "icon.svg", "page.js", "worker.js"} <= {name.rpartition("/")[2] for name in page}
    assert sorted(shipped) == sorted(name for name in tree if not name.endswith("_test.ts"))
    assert "cloche/py.typed" in shipped
    about = {name.partition("/")[2] for name in names if name not in [*shipped, *page]}
    assert about == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(180)
def test_the_wheel_works_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    install = [programs / "python", "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(install, check=True, timeout=150, cwd=tmp_path)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    command = [programs / "cloche", "--version"]
    output = subprocess.run(command, check=True, timeout=15, cwd=tmp_path, capture_output=True, text=True)
    assert version in output.stdout
