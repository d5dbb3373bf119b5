"""A test that could not be made is not a test that failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cloche.errors import ConfinementUnavailable
from cloche.sandbox.confinement.layers import KEPT, find_layer
from cloche.sandbox.confinement.probe import Layer

HELD = Layer("landlock", True, "as tested")
NOT_HELD = Layer("none", False, "bubblewrap: not there; landlock: not there")

SHORT = """
import anyio, os, resource
import cloche.sandbox.sandbox, encodings.idna
from cloche.errors import ConfinementUnavailable
from cloche.sandbox.confinement.layers import choose_layer

async def choose():
    try:
        layer = await choose_layer("auto")
        print("holds" if layer.holds else f"open: {layer.detail}")
    except ConfinementUnavailable as error:
        print("refused", "could not be tested" in str(error), "ulimit -n" in str(error))

async def main():
    await anyio.to_thread.run_sync(int)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    taken = []
    try:
        while True: taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError: pass
    for _ in range(FREE): os.close(taken.pop())
    await choose()
    for fd in taken: os.close(fd)
    await choose()
    await choose()

anyio.run(main)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
@pytest.mark.parametrize("free", [4, 6, 8, 10])
def test_without_descriptors_for_the_test_a_start_is_refused_and_the_next_is_confined(
    assets: Path, tmp_path: Path, free: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHORT.replace("FREE", str(free))],
        env={**os.environ, "CLOCHE_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[1:] == ["holds", "holds"], done.stderr
    assert done.stdout.splitlines()[0] in ("refused True True", "holds")


def test_a_layer_is_tested_once_and_again_when_its_record_is_damaged(tmp_path: Path) -> None:
    tests: list[Layer] = []

    def test() -> Layer:
        tests.append(HELD)
        return HELD

    assert find_layer(tmp_path, "key", test) == find_layer(tmp_path, "key", test) == HELD
    assert len(tests) == 1
    (record,) = tmp_path.iterdir()
    record.write_bytes(record.read_bytes()[:10])
    assert find_layer(tmp_path, "key", test) == HELD
    assert len(tests) == 2
    for boot in range(2 * KEPT):
        assert find_layer(tmp_path, f"boot {boot}", test) == HELD
    assert len(list(tmp_path.iterdir())) == KEPT


def test_a_machine_that_had_a_layer_refuses_to_do_without(tmp_path: Path) -> None:
    assert find_layer(tmp_path, "key", lambda: NOT_HELD) == NOT_HELD
    find_layer(tmp_path, "key", lambda: HELD)
    with pytest.raises(ConfinementUnavailable, match=r"landlock.*not there.*confinement=\"none\""):
        find_layer(tmp_path, "another boot", lambda: NOT_HELD)
    assert find_layer(tmp_path, "key", lambda: NOT_HELD) == HELD


def test_a_weaker_layer_is_not_remembered_while_a_stronger_could_not_be_tested(tmp_path: Path) -> None:
    weaker = Layer("landlock", True, "as tested", tested=False)
    assert find_layer(tmp_path, "key", lambda: weaker) == weaker
    assert list(tmp_path.iterdir()) == []
