"""The event loop of Pyodide: timers of JavaScript, without selectors."""

import asyncio
from collections.abc import Callable
from typing import Any

class WebLoop(asyncio.AbstractEventLoop):
    _keyboard_interrupt_handler: Callable[[], None]
    _system_exit_handler: Callable[[int], None]

    # It gives the plain kind, which cannot say when it is due.
    def call_later(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None
    ) -> asyncio.Handle: ...

class WebLoopPolicy(asyncio.AbstractEventLoopPolicy):
    _default_loop: WebLoop | None
