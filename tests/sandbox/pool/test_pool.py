"""The pool: fresh sandboxes at once, in order, and none left behind."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import pytest

from cloche import CodeError, ConfigError, Mount, Pool, PoolExhausted, Sandbox, SandboxUnavailable, Template
from cloche.sandbox.cache import snapshots
from cloche.sandbox.pool import pool as pool_module
from cloche.sandbox.pool.pooled_sandbox import PooledSandbox
from cloche.sandbox.pool.template_image import TemplateImage
from cloche.sandbox.pool.template_queue import PoolMember, TemplateQueue
from tests.sandbox.packages.wheel_index import make_wheel
from tests.sandbox.test_cleanup import processes

pytestmark = pytest.mark.usefixtures("prepared")


async def until(true: Callable[[], bool], seconds: float = 10) -> None:
    with anyio.fail_after(seconds):
        while not true():  # noqa: ASYNC110 - a pool has no event for its numbers
            await anyio.sleep(0.01)


async def test_each_hand_out_is_a_sandbox_that_nobody_has_used() -> None:
    async with Pool(size=2) as pool:
        for _ in range(3):
            async with pool.sandbox() as box:
                assert (await box.run("'x' in globals()")).value == "False"
                assert not await box.files()
                await box.run("x = 1\nopen('f', 'w').close()", check=True)


async def test_rehearsals_leave_no_trace(fresh: Sandbox) -> None:
    look = "import sys\nlist(globals()), In, Out, get_ipython().execution_count, hasattr(sys, 'last_exc'), _, __"
    async with Pool(size=1) as pool:
        await pool.ready()
        async with pool.sandbox() as box:
            assert (await box.run(look)).value == (await fresh.run(look)).value


async def test_a_rehearsal_keeps_what_was_there_before(prepared: snapshots.PreparedStart) -> None:
    async with PooledSandbox() as box:
        await box.run("x = 5\nx", check=True)
        await box.run("1/0")
        await box.rehearse()
        seen = await box.run("import sys\nx, Out, _, len(In), sys.last_exc")
        assert seen.value == "(5, {1: 5}, 5, 4, ZeroDivisionError('division by zero'))"


@pytest.mark.slow
async def test_the_spares_are_there_before_they_are_asked_for() -> None:
    async with Pool(size=2) as pool:
        with anyio.fail_after(15):
            await pool.ready()
        async with pool.sandbox(), pool.sandbox():
            assert pool.stats.busy == 2
            assert pool.stats.handed_out == 2
            assert pool.stats.waited == 0
        with anyio.fail_after(15):
            await pool.ready()
        assert pool.stats.refill_rate > 0


@pytest.mark.slow
async def test_who_came_first_is_served_first() -> None:
    order: list[int] = []

    async def use(number: int) -> None:
        async with pool.sandbox():
            order.append(number)

    async with Pool(size=1, max_size=1) as pool, anyio.create_task_group() as group, pool.sandbox():
        for number in range(3):
            group.start_soon(use, number)
            await until(partial(_waiting, pool, number + 1))
    assert order == [0, 1, 2]


def _waiting(pool: Pool, count: int) -> bool:
    return pool.stats.waiting == count


async def test_a_waiter_that_is_cancelled_loses_no_sandbox() -> None:
    async with Pool(size=1, max_size=1) as pool, anyio.create_task_group() as group:
        async with pool.sandbox():
            group.start_soon(_use, pool)
            await until(lambda: pool.stats.waiting == 1)
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await until(lambda: pool.stats.waiting == 0)
        with anyio.CancelScope(shield=True):
            async with pool.sandbox(wait=10) as box:
                assert (await box.run("1")).value == "1"


async def _use(pool: Pool) -> None:
    async with pool.sandbox():
        pytest.fail("nobody has given one back")


class Living(PooledSandbox):
    """A sandbox that says it is alive."""

    @property
    def alive(self) -> bool:
        return True


class Still(Template):
    def make(self) -> PooledSandbox:
        return Living()


async def test_a_sandbox_given_to_one_who_leaves_goes_to_the_next() -> None:
    queue = TemplateQueue(Still(), 1)
    first, second = queue.ask(), queue.ask()
    queue.put(PoolMember(queue))
    queue.give()
    given = first.member
    assert given is not None
    queue.withdraw(first)
    queue.give()
    assert second.member is given


async def test_a_wait_ends_with_an_error_that_describes_the_pool() -> None:
    async with Pool(size=1, max_size=1) as pool, pool.sandbox():
        with anyio.fail_after(5), pytest.raises(PoolExhausted, match=r"within 0\.05 s: 0 spare, 1 in use") as caught:
            async with pool.sandbox(wait=0.05):
                pytest.fail("there is only one")
        assert caught.value.stats.busy == 1
        assert pool.stats.waiting == 0


async def test_closing_a_pool_ends_the_waits_for_it() -> None:
    errors: list[str] = []

    async def use() -> None:
        try:
            await _use(pool)
        except SandboxUnavailable as error:
            errors.append(str(error))

    pool = Pool(size=1, max_size=1)
    async with anyio.create_task_group() as group, pool, pool.sandbox():
        group.start_soon(use)
        await until(lambda: pool.stats.waiting == 1)
    assert errors == ["the pool was closed while this call waited for a sandbox"]
    with pytest.raises(SandboxUnavailable, match="not open"):
        async with pool.sandbox():
            pytest.fail("it is closed")
    with pytest.raises(SandboxUnavailable, match="opened before"):
        async with pool:
            pytest.fail("it cannot be opened again")


async def test_a_template_brings_files_names_and_options() -> None:
    template = Template(
        files={"data.csv": "a,b\n", "/home/user/.x": b"y"}, setup="import csv\nn = 41\nn", memory_mb=300
    )
    async with Pool(size=1) as pool, pool.sandbox(template) as box:
        seen = await box.run("n + 1, csv.__name__, open('data.csv').read(), len(In), Out")
        assert seen.value == "(42, 'csv', 'a,b\\n', 2, {})"
        assert await box.read("/home/user/.x") == b"y"
        assert box.info.memory_limit_mb == 300


@pytest.mark.slow
async def test_a_template_that_takes_long_is_kept_in_memory_and_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = await anyio.to_thread.run_sync(make_wheel, tmp_path, "one")
    restored: list[float] = []

    def note(_mould: TemplateImage, began: float) -> None:
        # Which is faster depends on the machine.
        restored.append(began)

    monkeypatch.setattr(TemplateImage, "compare", note)
    setup = "import one, random\nn = random.random()"
    template = Template(packages=[wheel], files={"f": "data"}, setup=setup, env={"A": "1"})
    look = "import os\none.version, open('f').read(), os.environ['A'], os.getcwd(), len(In), Out"
    numbers: set[str | None] = set()
    async with Pool(size=1, template=template) as pool:
        for _ in range(3):
            async with pool.sandbox() as box:
                assert (await box.run(look)).value == "('1.0', 'data', '1', '/workspace', 2, {})"
                numbers.add((await box.run("n, random.random()")).value)
                assert [package.name for package in box.packages] == ["one"]
            await pool.ready()
    assert len(restored) >= 2
    assert len(numbers) == 3


@pytest.mark.slow
async def test_a_template_that_cannot_be_saved_is_made_anew() -> None:
    template = Template(setup="import time\ntime.sleep(0.1)\nf = open('x', 'w')")
    async with Pool(size=1, template=template) as pool:
        for _ in range(2):
            await pool.ready()
            async with pool.sandbox() as box:
                assert (await box.run("f.write('a')")).value == "1"
        assert pool.stats.failed == 0


@pytest.mark.slow
async def test_templates_that_say_the_same_share_their_spares() -> None:
    async with Pool(size=1) as pool:
        async with pool.sandbox(Template(files={"a": "1"}, env={"X": "1"})):
            pass
        async with pool.sandbox(Template(files={"a": "1"}), timeout=3):
            pass
        assert pool.stats.templates == 3
        async with pool.sandbox(Template(env={"X": "1"}, files={"a": "1"}), output_limit=10) as box:
            assert (await box.run("import os; os.environ['X']")).value == "'1'"
        assert pool.stats.templates == 3


async def test_time_output_and_environment_are_set_on_a_spare() -> None:
    async with Pool(size=1, env={"A": "1"}) as pool:
        await pool.ready()
        async with pool.sandbox(timeout=0.2, output_limit=100, env={"B": "2"}) as box:
            assert (await box.run("import os; os.environ['A'] + os.environ['B']")).value == "'12'"
            assert (await box.run("print('x' * 1000)")).truncated
            assert (await box.run("while True: pass")).timed_out
        assert pool.stats.waited == 0


@pytest.mark.slow
async def test_a_folder_of_the_host_is_given_without_spares(tmp_path: Path) -> None:
    async with Pool(size=1) as pool:
        async with pool.sandbox(workspace=tmp_path) as box:
            await box.run("open('f', 'w').write('x')", check=True)
        assert (tmp_path / "f").read_text() == "x"
        await pool.ready()
        assert pool.stats.spare == 1


@pytest.mark.slow
async def test_the_template_used_longest_ago_is_dropped() -> None:
    async with Pool(size=1, max_size=2) as pool:
        for number in range(10):
            async with pool.sandbox(env={"N": "0"}, memory_mb=200 + number) as box:
                assert box.info.memory_limit_mb == 200 + number
        assert pool.stats.templates == 8


@pytest.mark.slow
async def test_a_template_that_fails_says_why_and_the_pool_goes_on(tmp_path: Path) -> None:
    mount = Mount(tmp_path, "/mnt/x")
    template = Template(setup="open('/mnt/x/there').close()", mounts=[mount])
    async with Pool(size=1) as pool:
        for _ in range(2):
            with anyio.fail_after(10), pytest.raises(CodeError, match="FileNotFoundError"):
                async with pool.sandbox(template):
                    pytest.fail("its setup cannot work")
        assert pool.stats.failed == 1
        async with pool.sandbox() as box:
            assert (await box.run("1")).value == "1"
        (tmp_path / "there").touch()
        with anyio.fail_after(15):
            while pool.stats.handed_out < 2:
                with suppress(CodeError):
                    async with pool.sandbox(template) as box:
                        assert (await box.run("1")).value == "1"
                await anyio.sleep(0.05)


async def test_waiting_for_spares_that_cannot_be_made_raises() -> None:
    async with Pool(size=1, template=Template(setup="1/0")) as pool:
        with anyio.fail_after(15), pytest.raises(CodeError, match="ZeroDivisionError"):
            await pool.ready()


async def test_wrong_options_are_refused_where_they_are_given() -> None:
    with pytest.raises(ConfigError, match="memory_mb=1 "):
        Pool(memory_mb=1)
    with pytest.raises(ConfigError, match="max_size=1"):
        Pool(size=2, max_size=1)
    async with Pool(size=1) as pool:
        for wrong in ({"memory_mb": 1}, {"timeout": -1.0}, {"env": {"": "x"}}):
            with pytest.raises(ConfigError):
                async with pool.sandbox(**wrong):  # pyright: ignore[reportArgumentType] - wrong on purpose
                    pytest.fail("it was to be refused")


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
async def test_a_spare_that_died_is_replaced_and_not_handed_out(tmp_path: Path) -> None:
    async with Pool(size=1, mounts=[Mount(tmp_path, "/mnt/x")]) as pool:
        await pool.ready()
        for pid in await anyio.to_thread.run_sync(processes, str(tmp_path)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await until(lambda: pool.stats.discarded == 1)
        async with pool.sandbox() as box:
            result = await box.run("1")
            assert (result.value, result.state) == ("1", "kept")


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
@pytest.mark.slow
async def test_a_spare_that_hangs_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "ASK_EVERY", 0.1)
    monkeypatch.setattr(pool_module, "ASK_LIMIT", 0.5)
    async with Pool(size=1, mounts=[Mount(tmp_path, "/mnt/x")]) as pool:
        await pool.ready()
        for pid in await anyio.to_thread.run_sync(processes, str(tmp_path)):
            os.kill(pid, signal.SIGSTOP)
        await until(lambda: pool.stats.discarded == 1)
        async with pool.sandbox() as box:
            assert (await box.run("1")).value == "1"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")
async def test_nothing_is_left_when_the_body_raises(tmp_path: Path) -> None:
    folders: list[str] = []

    async def use() -> None:
        async with Pool(size=2, mounts=[Mount(tmp_path, "/mnt/x")]) as pool, pool.sandbox() as box:
            folders.extend(folder.host for folder in box.info.folders if folder.target != "/mnt/x")
            await pool.ready()
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), anyio.fail_after(15):
        await use()
    assert not await anyio.to_thread.run_sync(processes, str(tmp_path))
    assert folders
    assert not any(Path(folder).exists() for folder in folders)


async def test_a_sandbox_in_use_ends_with_its_pool() -> None:
    async with Pool(size=1) as pool:
        borrowed = pool.sandbox()
        box = await borrowed.__aenter__()
    with pytest.raises(SandboxUnavailable, match="closed"):
        await box.run("1")
    await borrowed.__aexit__(None, None, None)


async def test_sandboxes_may_be_used_from_other_tasks() -> None:
    values: list[str | None] = []

    async def use(box: Sandbox, number: int) -> None:
        values.append((await box.run(f"{number}")).value)

    async with Pool(size=2) as pool, pool.sandbox() as one, pool.sandbox() as other, anyio.create_task_group() as group:
        group.start_soon(use, one, 1)
        group.start_soon(use, other, 2)
    assert sorted(map(str, values)) == ["1", "2"]


async def test_each_sandbox_has_a_folder_below_workspaces_that_stays_if_it_was_used(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    async with Pool(size=1, workspaces=folder, template=Template(files={"given.txt": "given"})) as pool:
        for number in range(2):
            async with pool.sandbox(timeout=5) as box:
                place = box.kept_workspace
                assert place is not None
                assert place.parent == folder
                # What the template gave is there from the start: only what is new has changed.
                await box.write("own.txt", f"{number}")
                assert sorted(path.name for path in place.iterdir()) == ["given.txt", "own.txt"]
                assert place.stat().st_mode & 0o777 == 0o700
        await pool.ready()
        async with pool.sandbox(workspace=tmp_path) as box:
            assert box.kept_workspace is None
    assert sorted((path / "own.txt").read_text() for path in folder.iterdir()) == ["0", "1"]


@pytest.mark.slow
async def test_sandboxes_that_go_on_from_a_saved_one_have_their_files_in_their_own_folder(tmp_path: Path) -> None:
    slow = Template(files={"given.txt": "given"}, setup="import time; time.sleep(0.1); made = 7")
    async with Pool(size=1, workspaces=tmp_path / "kept", template=slow) as pool:
        for _ in range(3):
            await pool.ready()
            async with pool.sandbox() as box:
                assert box.kept_workspace is not None
                assert (box.kept_workspace / "given.txt").read_text() == "given"
                assert (await box.run("made")).value == "7"
    assert len(list((tmp_path / "kept").iterdir())) == 3


async def test_a_sandbox_without_a_start_of_its_own_folder_says_so(tmp_path: Path) -> None:
    async with PooledSandbox(workspace=tmp_path) as box:
        with pytest.raises(ValueError, match="has one already"):
            box.keep_workspace(tmp_path / "other")
    async with Pool(size=1, workspaces=tmp_path / "kept") as pool:
        await pool.ready()
        async with pool.sandbox() as box:
            await box.write("f", "x")
            assert "+x" in (await box.diff()).patch
