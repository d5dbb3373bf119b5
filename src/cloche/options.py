"""The options of a sandbox, each declared once.

Sandbox, SyncSandbox, Pool, Template, `cloche.run` and the command line read this file when they are imported.
`make fmt` writes what config.toml and the tables in docs have of it. `cloche run --help` reads it: import little.
"""

import ast
import linecache
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypedDict, get_args, get_origin

from cloche.limits import MEMORY_LEAST_MB, MEMORY_MB, MEMORY_MOST_MB, OUTPUT_LIMIT, TIMEOUT

if TYPE_CHECKING:
    from pathlib import Path

    from cloche.sandbox.cache.assets import DownloadProgress
    from cloche.sandbox.files.mounts import Mount
    from cloche.sandbox.network.network_limits import NetworkLimits
    from cloche.sandbox.network.request_log import OnRequest
    from cloche.sandbox.network.secret_headers import Secret
    from cloche.sandbox.saving.saved import Saved

Confinement = Literal["auto", "require", "none"]


class Option(NamedTuple):
    """What an option has beside its name, its type and the sentence that explains it."""

    default: Any
    flags: tuple[str, ...] = ()
    """Its names on the command line, which does not have it otherwise; the last is the long one."""
    metavar: str | None = None
    in_config: bool = False
    """Whether `[sandbox]` of config.toml has it."""
    late: bool = False
    """Whether a pool can set it on a sandbox that is ready."""
    remote: bool = False
    """Whether a client can set it on a sandbox at a server."""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    wanted: str = ""
    """What to give, for messages: "a whole number from 64 to 4096"."""
    name: str = ""
    kind: Any = None
    """Its type; this and the name come from the declaration."""

    @property
    def may_be_none(self) -> bool:
        return isinstance(self.kind, UnionType) and NoneType in get_args(self.kind)

    @property
    def plain_kind(self) -> Any:
        """Its type without None."""
        return next(each for each in get_args(self.kind) if each is not NoneType) if self.may_be_none else self.kind

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it may be, if only these."""
        return get_args(self.plain_kind) if get_origin(self.plain_kind) is Literal else ()

    @property
    def holds_many(self) -> bool:
        """Whether it is a list or a table."""
        return get_origin(self.plain_kind) in (Sequence, Mapping)


class SandboxOptions(TypedDict, total=False):
    """The options of a sandbox."""

    workspace: Annotated["str | Path | None", Option(None, ("-w", "--workspace"))]
    """A folder of this machine to use as /workspace; by default a temporary one."""
    languages: Annotated[Sequence[str], Option(("python",), in_config=True, remote=True)]
    """Languages to load when the sandbox starts; the others load on first use."""
    mounts: Annotated[Sequence["Mount"], Option((), ("-m", "--mount"), "DIR[:/mnt/NAME][:ro]", in_config=True)]
    """Folders of this machine to show in the sandbox, below /mnt."""
    env: Annotated[
        Mapping[str, str] | None,
        Option(None, ("-e", "--env"), "NAME[=VALUE]", in_config=True, late=True, remote=True),
    ]
    """Environment variables for the code, which can read them: do not put keys here."""
    memory_mb: Annotated[
        int,
        Option(
            MEMORY_MB,
            ("--memory",),
            "MB",
            in_config=True,
            remote=True,
            least=MEMORY_LEAST_MB,
            most=MEMORY_MOST_MB,
            wanted=f"a whole number from {MEMORY_LEAST_MB} to {MEMORY_MOST_MB}",
        ),
    ]
    """Megabytes of memory that Python may allocate."""
    # In config.toml, `timeout` is that of an action: it stops cells, but leaves commands running.
    timeout: Annotated[
        float | None,
        Option(
            TIMEOUT,
            ("-t", "--timeout"),
            "SECONDS",
            late=True,
            remote=True,
            above=0,
            wanted="seconds above 0, or None for no limit",
        ),
    ]
    """Stop the code after this many seconds."""
    # The command line prints all output as it comes, so it has no flag for this.
    output_limit: Annotated[
        int,
        Option(OUTPUT_LIMIT, in_config=True, late=True, remote=True, least=1, wanted="a number of bytes, 1 or more"),
    ]
    """Bytes kept of each output stream of one call, half from its beginning, half from its end."""
    allow_net: Annotated[Sequence[str], Option((), ("--allow-net",), "HOST[:PORT]", in_config=True, remote=True)]
    """Hosts that the code may reach by HTTP, as HOST or HOST:PORT; by default none."""
    secrets: Annotated[Mapping[str, "Secret"] | None, Option(None, ("--secret",), "HOST='NAME: $VAR'", in_config=True)]
    """Headers, by host, that are added to requests and that the code does not see: "Name: value"."""
    network_limits: Annotated["NetworkLimits | None", Option(None)]
    """Limits of these requests: their number, size and time."""
    on_request: Annotated["OnRequest | None", Option(None)]
    """Called with each request when it has finished."""
    packages: Annotated[Sequence["str | Path"], Option((), ("--with",), "PKG", in_config=True, remote=True)]
    """Packages of Python to install at the start: names, addresses or wheel files."""
    allow_install: Annotated[bool, Option(True)]
    """Whether code may install packages itself, with `pip` or `%pip`."""
    auto_install: Annotated[bool, Option(False, ("--auto-install",), in_config=True, remote=True)]
    """Install missing imports."""
    track: Annotated[bool, Option(False)]
    """Record the state of the workspace at the start, so that `diff()` can show what changed."""
    confinement: Annotated[Confinement, Option("auto", ("--confinement",), in_config=True)]
    """Whether the operating system confines the sandbox too: auto (if it can), require or none."""
    from_: Annotated["str | Path | Saved | None", Option(None)]
    """A saved sandbox to continue from."""
    on_progress: Annotated["Callable[[DownloadProgress], None] | None", Option(None)]
    """Called while files are downloaded on first use."""


def _list_options() -> dict[str, Option]:
    hints: dict[str, Any] = SandboxOptions.__annotations__
    return {name: hint.__metadata__[0]._replace(name=name, kind=hint.__origin__) for name, hint in hints.items()}


OPTIONS = _list_options()


def read_sentences() -> dict[str, str]:
    """The sentence below each option: from the source, so that editors show the same one."""
    return find_sentences("".join(linecache.getlines(__file__, globals())), SandboxOptions.__name__)


def find_sentences(source: str, class_name: str) -> dict[str, str]:
    """The strings below the fields of a class."""
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for pair in pairwise(node.body):
                match pair:
                    case (ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(sentence)))):
                        found[name] = sentence
                    case _:
                        pass
    return found
