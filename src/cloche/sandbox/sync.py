"""The sandbox for scripts that are not async."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from cloche.sandbox.call import OnInput
from cloche.sandbox.folders import FileInfo
from cloche.sandbox.info import SandboxInfo
from cloche.sandbox.result import Event, Result
from cloche.sandbox.sandbox import Completion, Sandbox

T = TypeVar("T")


class SyncSandbox:
    """A Sandbox whose verbs block; takes the same options. Ctrl-C stops the running code, not the program."""

    def __init__(self, **options: Any) -> None:
        self._box = Sandbox(**options)
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal("asyncio"))
            stack.enter_context(self._portal.wrap_async_context_manager(self._box))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stack.close()

    def run(self, code: str, **options: Any) -> Result:
        return self._do(partial(self._box.run, code, **options))

    def bash(self, command: str, **options: Any) -> Result:
        return self._do(partial(self._box.bash, command, **options))

    def stream(self, code: str, *, language: str = "python", on_input: OnInput | None = None) -> Iterator[Event]:
        events = self._box.stream(code, language=language, on_input=on_input)
        try:
            while (event := self._do(partial(anext, events, None))) is not None:
                yield event
        finally:
            self._do(events.aclose)

    def interrupt(self) -> bool:
        """May be called from another thread while `run` blocks."""
        return self._do(self._box.interrupt)

    def reset(self, language: str = "python") -> None:
        self._do(partial(self._box.reset, language))

    def complete(self, code: str, cursor: int | None = None) -> Completion:
        return self._do(partial(self._box.complete, code, cursor))

    def inspect(self, code: str, cursor: int | None = None) -> str | None:
        return self._do(partial(self._box.inspect, code, cursor))

    def set_env(self, env: Mapping[str, str]) -> None:
        self._do(partial(self._box.set_env, env))

    @property
    def info(self) -> SandboxInfo:
        return self._box.info

    def read(self, path: str | Path) -> bytes:
        return self._do(partial(self._box.read, path))

    def write(self, path: str | Path, data: bytes | str) -> None:
        self._do(partial(self._box.write, path, data))

    def files(self, path: str | Path = "/workspace", *, recursive: bool = False) -> list[FileInfo]:
        return self._do(partial(self._box.files, path, recursive=recursive))

    def upload(self, source: str | Path, path: str | Path) -> None:
        self._do(partial(self._box.upload, source, path))

    def download(self, path: str | Path, dest: str | Path) -> None:
        self._do(partial(self._box.download, path, dest))

    def _do(self, act: Callable[[], Any]) -> Any:
        if self._portal is None:
            raise RuntimeError("use the sandbox in a with statement")
        return self._portal.call(act)


def run(code: str, *, language: str = "python", **options: Any) -> Result:
    """Run code in a sandbox of its own and give its result; `options` are those of Sandbox and of its `run`."""
    of_run = {name: options.pop(name) for name in ("stdin", "on_input", "check", "profile") if name in options}
    with SyncSandbox(languages=[language], **options) as box:
        return box.run(code, language=language, **of_run)
