"""A lock between the threads of a process that is not left held after a fork."""

import os
import threading


class ForkSafeLock:
    """Held by one thread at a time; after a fork it is free in the child, which does not have the holding thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self.lock = threading.Lock()
