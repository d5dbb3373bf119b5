"""SecurityAnalyzer: judges actions before they run."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from msgspec import Struct

from cloche.config import AppConfig
from cloche.events import Action
from cloche.security.facts.places import Surroundings
from cloche.security.outline import ShellOutline
from cloche.security.verdict import Verdict

ReadAsShell = Callable[[str], Awaitable[ShellOutline | None]]
"""Asks the shell that would run a command how it reads it; None if it cannot be asked now."""


class ActionContext(Struct, frozen=True, kw_only=True):
    """What an analyzer knows besides the action."""

    surroundings: Surroundings = Surroundings()
    """The folders of the machine; `cwd` is the shell's folder of this moment."""
    allowed_hosts: tuple[str, ...] = ()
    """What the sandbox may reach, as in `allow_net`."""
    read_as_shell: ReadAsShell | None = None


class ApiRequest(Struct, frozen=True, kw_only=True):
    """A request to an analyzer, which a server has forwarded."""

    method: str
    path: str
    """What stands behind `.../security/`."""
    query: dict[str, str] = {}
    content_type: str = ""
    body: bytes = b""
    user: str = ""
    """Who asks; empty for the owner of the server."""


class ApiAnswer(Struct, frozen=True):
    """What an analyzer answers."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"


class SecurityAnalyzer(ABC):
    """Judges actions before they run; one for each session.

    A package adds its own under the entry point `cloche.security_analyzers`; it is made with the configuration. One
    that raises, or that takes longer than `ANALYZER_TIMEOUT`, counts as `ask` with high risk.
    """

    name: str = "analyzer"
    """What verdicts name as their origin; by default the name in the configuration."""

    def __init__(self, config: AppConfig | None = None) -> None:
        self.config = config or AppConfig()

    async def open(self) -> None:  # noqa: B027 - most need nothing
        """Prepare it, once, before the first action; raises ConfigError if the configuration is wrong."""

    @abstractmethod
    async def analyze(self, action: Action, context: ActionContext) -> Verdict:
        """The verdict on an action; it has no effects, and may be asked twice."""

    async def handle_api_request(self, request: ApiRequest) -> ApiAnswer | None:
        """The answer to a request of a client of the session; None if it is not for this analyzer."""
        return None

    async def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what it holds; never raises."""
