"""Reports the progress of a call to its client."""

import anyio

from cloche.limits import MCP_PROGRESS, MCP_PROGRESS_WAIT
from cloche.mcp.tool import Context


class CallProgress:
    """Passes output on as progress; a client that does not take it gets no more, so that the code never waits."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._count = 0
        self._left = MCP_PROGRESS
        self._refused = False

    async def tell(self, text: str) -> None:
        """Pass a piece on, as much of it as there is room for."""
        part = text[: self._left]
        self._left -= len(part)
        if part:
            await self.pass_on(part)

    async def pass_on(self, message: str) -> None:
        """Pass a message on whole."""
        if self._refused:
            return
        self._count += 1
        with anyio.move_on_after(MCP_PROGRESS_WAIT) as scope:
            await self._context.session.report_progress(self._count, None, message)
        self._refused = scope.cancelled_caught
