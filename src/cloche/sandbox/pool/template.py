"""A template: what the sandboxes of a pool contain."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack, cast

from cloche.options import OPTIONS, SandboxOptions
from cloche.sandbox.options import show_options
from cloche.sandbox.pool.pooled_sandbox import PooledSandbox

LATE = frozenset(name for name, option in OPTIONS.items() if option.late)
"""Options that do not need a sandbox of their own."""


class Template:
    """What a sandbox of a pool contains: files, a setup cell and the options of Sandbox.

    `files` are written first, then `setup` runs as a Python cell: its names stay, it leaves no history and no output.
    Equal templates share their spares.
    """

    @show_options
    def __init__(
        self, *, files: Mapping[str, bytes | str] | None = None, setup: str = "", **options: Unpack[SandboxOptions]
    ) -> None:
        self.files = dict(files or {})
        self.setup = setup
        self.options = options
        self.key: Hashable = (_freeze_value(self.files), setup, _freeze_value(options))

    @property
    def shareable(self) -> bool:
        """Whether spares make sense; a folder of the host is given to one sandbox at a time."""
        return self.options.get("workspace") is None

    def altered(self, options: SandboxOptions) -> "Template":
        """The same template with other options."""
        if not options:
            return self
        merged = cast("SandboxOptions", {**self.options, **options})
        return Template(files=self.files, setup=self.setup, **merged)

    def joined(self, other: "Template") -> "Template":
        """What both contain, the other one on top."""
        options = cast("SandboxOptions", {**self.options, **other.options})
        setup = "\n".join(filter(None, [self.setup, other.setup]))
        return Template(files=self.files | other.files, setup=setup, **options)

    def make(self) -> PooledSandbox:
        """A sandbox that is not started yet; raises ConfigError if an option is wrong."""
        return PooledSandbox(**self.options)

    async def fill(self, box: PooledSandbox) -> None:
        """Prepare a started sandbox for its hand-out."""
        for path, data in self.files.items():
            await box.write(path, data)
        if self.setup:
            await box.set_up(self.setup)


def split_options(options: SandboxOptions) -> tuple[SandboxOptions, SandboxOptions]:
    """The options that a sandbox can take when it is handed out, and those that it must be made with."""
    late = cast("SandboxOptions", {name: value for name, value in options.items() if name in LATE})
    rest = cast("SandboxOptions", {name: value for name, value in options.items() if name not in LATE})
    return late, rest


def _freeze_value(value: Any) -> Hashable:
    """A value that equals another if both mean the same; a value that cannot be compared equals only itself."""
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return frozenset((name, _freeze_value(each)) for name, each in items)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(_freeze_value(each) for each in cast("Sequence[Any]", value))
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value
