"""How the sandboxes of one template are made: from scratch or from a saved one, whichever is faster."""

import logging
import time
from pathlib import Path
from typing import cast

import anyio
from anyio import to_thread

from cloche.errors import SavedStateError
from cloche.options import SandboxOptions
from cloche.sandbox.files.scratch import make_scratch, remove_scratch
from cloche.sandbox.pool.pooled_sandbox import PooledSandbox
from cloche.sandbox.pool.template import Template
from cloche.sandbox.saving.saved import Saved

log = logging.getLogger(__name__)

WORTH_SAVING = 0.05
"""Seconds that preparing a sandbox must take before one is saved; installing packages always does."""


class TemplateImage:
    """Makes equal sandboxes."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._folder: Path | None = None
        self._saved: Saved | None = None
        self._tried = not template.shareable
        self._anew = float("inf")

    @property
    def saved(self) -> bool:
        """Whether sandboxes are made from a saved one."""
        return self._saved is not None

    def make(self) -> PooledSandbox:
        """A sandbox that is not started yet."""
        if self._saved is None:
            return self._template.make()
        # The saved sandbox contains the packages.
        kept = {name: value for name, value in self._template.options.items() if name != "packages"}
        return PooledSandbox(**cast("SandboxOptions", {**kept, "from_": self._saved}))

    async def fill(self, box: PooledSandbox, began: float) -> None:
        """Prepare a sandbox that was started from scratch, and note how long it took in all."""
        start = time.monotonic()
        await self._template.fill(box)
        self._anew = min(self._anew, time.monotonic() - began)
        self._tried |= not self._template.options.get("packages") and time.monotonic() - start < WORTH_SAVING

    async def keep(self, box: PooledSandbox) -> None:
        """Save a sandbox for later ones, once."""
        if self._tried:
            return
        self._tried = True
        self._folder = await to_thread.run_sync(make_scratch)
        try:
            self._saved = await box.save(self._folder / "template")
        except (SavedStateError, OSError) as error:
            log.info("the sandboxes of a template are made anew each time: %s", error)

    def compare(self, began: float) -> None:
        """Note how long a sandbox took that was made from the saved one; if that is no faster, stop doing so."""
        if time.monotonic() - began > self._anew:
            self.forget()

    def forget(self) -> None:
        """Make sandboxes from scratch from now on."""
        self._saved = None

    async def close(self) -> None:
        """Remove the saved sandbox."""
        folder, self._folder, self._saved = self._folder, None, None
        if folder is not None:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(remove_scratch, folder)
