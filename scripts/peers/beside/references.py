"""What the real tools did, kept beside the checkout: they need to run once only."""

import hashlib
import os
from pathlib import Path

import msgspec

from beside.cases import Case, Outcome, Suite


class References:
    """The outcomes of the real tools, by what was run."""

    def __init__(self, suite: Suite, checkout: Path) -> None:
        self._place = checkout.with_name(f"{checkout.name}.{suite.NAME}.json")
        self._common = msgspec.json.encode([suite.TOOLS, suite.ENV])
        self._kept: dict[str, Outcome] = {}
        if self._place.exists():
            self._kept = msgspec.json.decode(self._place.read_bytes(), type=dict[str, Outcome])

    def find(self, case: Case) -> Outcome | None:
        """What the real tools did with a case, if it is known."""
        return self._kept.get(self._key(case))

    def keep(self, case: Case, outcome: Outcome) -> None:
        """Note what the real tools did."""
        self._kept[self._key(case)] = outcome

    def save(self) -> None:
        """Write all to the file, at once for those who read it meanwhile."""
        part = self._place.with_name(f"{self._place.name}.{os.getpid()}")
        part.write_bytes(msgspec.json.encode(self._kept))
        part.replace(self._place)

    def _key(self, case: Case) -> str:
        told = msgspec.json.encode([case.name, case.real or case.code, case.stdin, dict(case.env)])
        return hashlib.sha256(self._common + told).hexdigest()[:24]
