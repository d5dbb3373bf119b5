"""The plugin `jupyter`: Python cells with state."""

from typing import ClassVar

from cloche.errors import RuntimeFailed
from cloche.events import ErrorObservation, IPythonRunCellAction
from cloche.runtime import Plugin, Runtime


class JupyterPlugin(Plugin):
    """Makes sure that the first cell finds an interpreter that is ready, or an error that says why not."""

    name: ClassVar[str] = "jupyter"

    async def initialize(self, runtime: Runtime) -> None:
        observation = await runtime.run_ipython(IPythonRunCellAction("", include_extra=False))
        if isinstance(observation, ErrorObservation):
            raise RuntimeFailed(f"the plugin jupyter needs a runtime with Python: {observation.content}")
