"""Grade programs of students: `python grade.py SUBMISSIONS CASES.json`.

CASES.json is a list of {"input": ..., "output": ...}. Each submission is a file whose ending says its language. What
comes out is one line of JSON for each; the exit code is 1 if any of them failed a case.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cloche

RUN = {".py": "python3", ".rb": "ruby", ".php": "php", ".lua": "lua", ".pl": "perl", ".js": "node", ".sh": "bash"}
WORKERS = 2


def grade(pool: cloche.SyncPool, program: Path, cases: list[dict[str, str]]) -> dict[str, Any]:
    """Runs one submission against all cases, in a sandbox that no other submission sees."""
    with pool.sandbox(timeout=10, output_limit=100_000) as box:
        box.write(program.name, program.read_bytes())
        marks = [judge(box, f"{RUN[program.suffix]} {program.name}", case) for case in cases]
    return {"submission": program.name, "passed": marks.count("passed"), "of": len(cases), "cases": marks}


def judge(box: cloche.SyncSandbox, command: str, case: dict[str, str]) -> str:
    """The result of one case."""
    result = box.bash(command, stdin=case["input"])
    if result.timed_out:
        return "too slow"
    if result.exit_code != 0:
        return f"failed: {(result.stderr.strip().splitlines() or [f'exit code {result.exit_code}'])[-1]}"
    return "passed" if result.stdout.split() == case["output"].split() else "wrong output"


def main(folder: str, cases: str) -> int:
    wanted = json.loads(Path(cases).read_text())
    programs = sorted(path for path in Path(folder).iterdir() if path.suffix in RUN)
    with cloche.SyncPool(size=WORKERS, memory_mb=256) as pool, ThreadPoolExecutor(WORKERS) as threads:
        grades = list(threads.map(lambda program: grade(pool, program, wanted), programs))
    for each in grades:
        print(json.dumps(each))
    return int(any(each["passed"] < each["of"] for each in grades))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
