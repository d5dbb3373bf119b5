"""The plugin `agent_skills`: functions in every cell for working with files and documents."""

from pathlib import Path
from typing import ClassVar

from cloche.errors import RuntimeFailed
from cloche.events import IPythonRunCellAction, IPythonRunCellObservation
from cloche.runtime import Plugin, Runtime, edits

SKILLS = Path(__file__).parent / "skills"
PLACE = "/home/user/.cloche"
LOAD = f"import sys\nsys.path.append({PLACE + '/' + SKILLS.name!r})\nfrom agentskills import *\ndel sys"
READY = "agent_skills"


class AgentSkillsPlugin(Plugin):
    """Copies the functions into the runtime and imports them into the namespace of its cells."""

    name: ClassVar[str] = "agent_skills"

    async def initialize(self, runtime: Runtime) -> None:
        await runtime.copy_to(SKILLS, PLACE, recursive=True)
        await runtime.copy_to(edits.__file__, f"{PLACE}/{SKILLS.name}/agentskills")
        probe = IPythonRunCellAction(f"open_file and print('{READY}')", include_extra=False, kernel_init_code=LOAD)
        observation = await runtime.run_ipython(probe)
        if not isinstance(observation, IPythonRunCellObservation) or observation.content.strip() != READY:
            raise RuntimeFailed(f"the plugin agent_skills could not be set up: {observation.content}")
