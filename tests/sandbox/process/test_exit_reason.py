"""How the end of a process is described."""

import pytest

from cloche.sandbox.process.exit_reason import WORDS, describe_end, pick_stderr_line

PANIC = b"""
============================================================
Deno has panicked. This is a bug in Deno.
View stack trace at:
https://panic.example/v2

thread 'main' (2) panicked at src/lib.rs:416:13:
assertion `left == right` failed
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""


@pytest.mark.parametrize(
    ("code", "stderr", "told"),
    [
        (None, b"", ""),
        (3, b"", " with code 3"),
        (-6, b"", " by SIGABRT"),
        (137, b"", " by SIGKILL: the machine may be out of memory"),
        (255, b"", " with code 255"),
        (1, PANIC, " with code 1; its last words: assertion `left == right` failed"),
        (1, b"error: Empty path\n\nCaused by:\n    x\n", " with code 1; its last words: error: Empty path"),
        (None, b"\x1b[31mred\x1b[0m\n", "; its last words: [31mred [0m"),
    ],
)
def test_an_end_is_reported_in_one_line(code: int | None, stderr: bytes, told: str) -> None:
    assert describe_end(code, stderr) == told


def test_last_words_are_short() -> None:
    assert len(pick_stderr_line(b"x" * 10_000)) == WORDS + 3
    assert pick_stderr_line(b"\xff\xfe\n") == "\N{REPLACEMENT CHARACTER}" * 2
