"""A sandbox in a pool: warmed up, checked, and given its options when it is handed out."""

from cloche.errors import CodeError, SandboxUnavailable
from cloche.options import SandboxOptions
from cloche.sandbox.options import check_options
from cloche.sandbox.process.run_request import build_run_request
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.sandbox.results.result import Result
from cloche.sandbox.sandbox import UNSET

REHEARSAL_TIMEOUT = 10.0
"""Seconds that one warm-up cell may take; it takes milliseconds."""

CELLS = (
    "1+1",
    "import json, re, math\nx = [i * 2 for i in range(9)]\nprint(json.dumps({'x': x}), f'{math.pi:.3f}')",
    "def f(a, *b):\n    return sorted(b, key=lambda i: -i)\nclass A:\n    x = 1\nf(1, 2), A().x, re.sub('a', 'b', '')",
    "1/0",
)
"""The warm-up cells, in turns: V8 compiles the parts of the interpreter that real cells will use."""


class PooledSandbox(RecordedSandbox):
    """A sandbox that its pool can maintain before it is handed out."""

    @property
    def alive(self) -> bool:
        """Whether its process runs, as far as is known without asking it."""
        return not self._closed and self._process is not None and self._process.lost is None

    async def rehearse(self) -> None:
        """Run cells that leave no trace; raises SandboxUnavailable if the interpreter did not survive them."""
        for language in self._preload:
            for cell in CELLS if language == "python" else (":",):
                result = await self._prepare(cell, "rehearsal", REHEARSAL_TIMEOUT, language)
                if result.state == "lost" or result.timed_out:
                    raise SandboxUnavailable("the sandbox did not come through a rehearsal")

    async def set_up(self, code: str) -> None:
        """Run the setup cell of a template; raises CodeError if it fails."""
        try:
            (await self._prepare(code, "setup", UNSET)).check()
        except CodeError as error:
            error.add_note("raised by the setup cell of a pool's template")
            raise

    async def lease(self, options: SandboxOptions) -> None:
        """Apply the options that can be set when it is handed out."""
        check_options(options)
        self._timeout = options.get("timeout", self._timeout)
        self._output_limit = options.get("output_limit", self._output_limit)
        if env := options.get("env"):
            await self.set_env(env)

    async def _prepare(self, code: str, mode: str, seconds: float | None, language: str = "python") -> Result:
        request = build_run_request(code, stdin=None, interactive=False, profile=False)
        async with self._calling(language, {**request, "mode": mode}, seconds) as call:
            return await call.finish()
