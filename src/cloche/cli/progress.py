"""A progress bar on stderr while the engine's files are fetched; nothing at all when there is nothing to fetch."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from cloche.sandbox.assets import Progress as Step


class Progress:
    """Call it with each step; it starts showing with the first."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._tasks: dict[str, TaskID] = {}
        self._told: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, step: "Step") -> None:
        if sys.stderr.isatty():
            self._show(step)
        elif step.step not in self._told:
            self._told.add(step.step)
            click.echo(f"cloche: fetching {step.step} ...", err=True)

    def _show(self, step: "Step") -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._bar.start()
        if step.step not in self._tasks:
            self._tasks[step.step] = self._bar.add_task(step.step, total=step.total)
        self._bar.update(self._tasks[step.step], completed=step.done)
