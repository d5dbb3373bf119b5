"""Shows progress on stderr while a sandbox is prepared for the first time, and nothing otherwise."""

import sys
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from cloche.sandbox.cache.assets import DownloadProgress as Step

SNAPSHOT = "building the Python snapshot"


async def prepare_sandbox(progress: "PreparationProgress", *, anew: bool = False) -> None:
    """Fetch and build what is missing; with `anew`, build in any case."""
    from cloche.sandbox.cache import assets, snapshots

    if not anew and snapshots.find_prepared() is not None:
        return
    from cloche.sandbox.process.warm_up import warm_up

    await assets.fetch_assets(progress)
    progress.begin(SNAPSHOT)
    await snapshots.build_prepared(warm_up, anew=anew)
    progress.end(SNAPSHOT)


class PreparationProgress:
    """Call it with each step; it starts showing at the first one."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._tasks: dict[str, TaskID | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, step: "Step") -> None:
        name = step.step if step.step.startswith("compiling") else f"fetching {step.step}"
        self.begin(name, step.total)
        if self._bar is not None and (task := self._tasks[name]) is not None:
            self._bar.update(task, completed=step.done)

    def begin(self, name: str, total: int | None = None) -> None:
        """Show a step, once; one without a total is animated until its end."""
        if name in self._tasks:
            return
        if sys.stderr.isatty():
            self._tasks[name] = self._open().add_task(name, total=total)
        else:
            self._tasks[name] = None
            click.echo(f"cloche: {name} ...", err=True)

    def end(self, name: str) -> None:
        """Show a step as done."""
        if self._bar is not None and (task := self._tasks[name]) is not None:
            self._bar.update(task, total=1, completed=1)

    def _open(self) -> "Bar":
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self._bar
