"""The default runtime keeps the contract."""

from collections.abc import AsyncGenerator

import pytest

from cloche.runtime import Runtime
from cloche.runtime.contract import RuntimeContract
from cloche.runtime.pyodide import PyodideRuntime


class TestEmbedded(RuntimeContract):
    """A sandbox in this process."""

    @pytest.fixture
    async def runtime(self, prepared: object) -> AsyncGenerator[Runtime]:
        async with PyodideRuntime() as runtime:
            yield runtime
