"""The tests of the one true awk, call by call: those calls count of which it and gawk, on this machine, agree."""

import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from beside.cases import Case, Outcome
from beside.real import CONFINED, PATH

NAME = "awk"
FOLDER = "testdir/T.main"
FRESH = False
ENV: Mapping[str, str] = {}
TOOLS: Mapping[str, str] = {}
REFERENCE = "original-awk"
SECONDS = 1800
LARGE = 20_000
"""Bytes of a file in which names of others are looked for."""
HOST_FILE = "/etc/passwd"
"""A sandbox has no such file."""
PLACE = "/mnt/calls"
NAMES = re.compile(r"[\w.+-]+")

RECORDER = f"""#!/bin/sh
# Keeps one call: its arguments, its input, the files that the test has made, and what the one true awk does.
call=$(mktemp -d {PLACE}/kept/XXXXXXXX)
date +%s%N > $call/time
echo $TEST > $call/test
for word; do printf '%s\\0' "$word"; done > $call/args
cat > $call/stdin
mkdir $call/files
find . -type f -newer {PLACE}/began -exec cp --parents -t $call/files {{}} +
timeout 20 {REFERENCE} "$@" < $call/stdin > $call/stdout
status=$?
echo $status > $call/status
cat $call/stdout
exit $status
"""
ECHO = """#!/bin/sh
printf '%s\\n' "$*"
"""
RUN = f"""
cd {PLACE}/testdir
export awk=../a.out oldawk=../a.out TEST
for TEST in T.*; do timeout 300 sh ./$TEST; done
for TEST in p.*; do ../a.out -f $TEST test.countries test.countries; done
for TEST in t.*; do ../a.out -f $TEST test.data; done
"""
AGAIN = """#!/bin/sh
exec "$AWK" "$@"
"""


def list_cases(checkout: Path) -> list[Case]:
    """One case for each call of awk, which are recorded once and kept beside the checkout."""
    place = checkout.with_name(f"{checkout.name}.awk-calls")
    if not (place / "done").exists():
        _record(checkout, place)
    calls = sorted((place / "kept").iterdir(), key=lambda call: int((call / "time").read_text()))
    seen = Counter[str]()
    cases: list[Case] = []
    for call in calls:
        test = (call / "test").read_text().strip()
        seen[test] += 1
        if (call / "status").exists() and (case := _read_case(f"{test}:{seen[test]}", test, call)):
            cases.append(case)
    return cases


def _record(checkout: Path, place: Path) -> None:
    if shutil.which(REFERENCE) is None:
        raise SystemExit(f"{REFERENCE} was not found, which says what is right: apt-get install {REFERENCE} gawk")
    shutil.rmtree(place, ignore_errors=True)
    (place / "kept").mkdir(parents=True)
    shutil.copytree(checkout / "testdir", place / "testdir")
    for path, text in ((place / "a.out", RECORDER), (place / "testdir/echo", ECHO)):
        path.write_text(text)
        path.chmod(0o755)
    (place / "began").touch()
    command = [*CONFINED, "--bind", str(place), PLACE, "bash", "-c", RUN]
    env = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": PLACE}
    quiet = subprocess.DEVNULL
    subprocess.run(command, env=env, stdin=quiet, stdout=quiet, stderr=quiet, timeout=SECONDS, check=False)
    for call in (place / "kept").iterdir():
        _make_files(place / "testdir", call)
    (place / "done").touch()


def _make_files(tests: Path, call: Path) -> None:
    """Gather what the call finds: its input, and of the test's folder what it may name."""
    folder = call / "case"
    folder.mkdir()
    (folder / "a.out").write_text(AGAIN)
    (folder / "a.out").chmod(0o755)
    shutil.copy(call / "stdin", folder / "stdin")
    shutil.copytree(call / "files", folder / "testdir")
    known = {path.name for path in tests.iterdir() if path.is_file() and not path.name.startswith("foo")}
    made = {path.name for path in (folder / "testdir").iterdir()}
    called = _find_names(known | made, call / "args", call / "stdin")
    # A program may name files too.
    programs = [folder / "testdir" / name if name in made else tests / name for name in called]
    for name in (called | _find_names(known, *programs)) - made:
        shutil.copy(tests / name, folder / "testdir" / name)


def _find_names(known: set[str], *files: Path) -> set[str]:
    texts = [path.read_bytes()[:LARGE].decode("latin-1") for path in files if path.is_file()]
    return {word for text in texts for word in NAMES.findall(text)} & known


def _read_case(name: str, test: str, call: Path) -> Case | None:
    try:
        words = (call / "args").read_text().split("\0")[:-1]
    except UnicodeDecodeError:
        return None
    if any(HOST_FILE in word for word in words):
        return None
    given = " ".join(shlex.quote(word) for word in words)
    expected = {"stdout": _read_text(call / "stdout"), "status": int((call / "status").read_text())}
    code = "cd testdir; export AWK={awk} awk=../a.out; {awk} {given} < ../stdin"
    return Case(
        name=name,
        group=test,
        code=code.format(awk="awk", given=given),
        real=code.format(awk="gawk", given=given),
        files=call / "case",
        expected=expected,
        seconds=30.0,
    )


def _read_text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """Its name, if it prints the same and ends the same way."""
    same = outcome.stdout == case.expected["stdout"] and outcome.status == case.expected["status"]
    return [case.name] if same and not outcome.late else []
