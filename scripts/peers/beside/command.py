"""The command line of suites that are run beside the real tools."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from beside.cases import choose_cases
from beside.comparison import Comparison
from beside.tally import Judged, count, describe, list_files

say = partial(print, file=sys.stderr, flush=True)


def run_beside(suite: Any, checkout: Path, arguments: Sequence[str]) -> int:
    """Run a suite on both sides, or where there is no real tool only in a sandbox, and print its counts."""
    options = _read(suite, arguments)
    judged = anyio.run(partial(_judge, suite, checkout, options))
    if not judged:
        say(f"no case of {suite.NAME} applies")
        return 2
    failed = [describe(each) for each in judged if not each.whole]
    if options.failures:
        Path(options.failures).write_text("\n".join(failed), errors="surrogateescape")
    elif options.words or options.verbose:
        print("\n".join(failed))
    if options.files:
        print(list_files(judged))
    tally = count(suite.NAME, judged)
    print(
        json.dumps({"passed": tally.passed, "applying": tally.applying, "note": str(tally)}) if options.json else tally
    )
    return 0


async def _judge(suite: Any, checkout: Path, options: argparse.Namespace) -> list[Judged]:
    if hasattr(suite, "judge_all"):
        return await suite.judge_all(checkout, options.words)
    tell = say if options.verbose else None
    comparison = Comparison(suite, checkout, again=options.again, anew=options.fresh, tell=tell)
    return await comparison.run(choose_cases(suite.list_cases(checkout), options.words))


def _read(suite: Any, arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python scripts/peers {suite.NAME} CHECKOUT", description=suite.__doc__)
    parser.add_argument(
        "words", nargs="*", help="run only cases whose name has one of these in it, and show what fails"
    )
    parser.add_argument("--failures", help="write what fails to this file")
    parser.add_argument("--files", action="store_true", help="list the files, with how many points each has lost")
    parser.add_argument(
        "--again", action="store_true", help="run the real tools again, though it is known what they do"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="reset the sandbox's shell for each case: as true, and slow"
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what runs")
    return parser.parse_args(arguments)
