"""The plugin `agent_skills`: functions in every cell for working with files and documents."""

from pathlib import Path
from typing import ClassVar

from cloche.errors import RuntimeFailed
from cloche.events import IPythonRunCellAction, IPythonRunCellObservation
from cloche.runtime import Plugin, Runtime
from cloche.runtime.actions import text_edits
from cloche.runtime.actions.cells import NOTHING_SAID
from cloche.sandbox.pool.template import Template

SKILLS = Path(__file__).parent / "skills"
PLACE = "/home/user/.cloche"
FOLDER = f"{PLACE}/{SKILLS.name}"
FIND = f"import sys\nif {FOLDER!r} not in sys.path:\n    sys.path.append({FOLDER!r})\n"
LOAD = f"{FIND}from agentskills import *\ndel sys"
LOAD_AHEAD = f"{FIND}import agentskills\ndel agentskills, sys"


class AgentSkillsPlugin(Plugin):
    """Copies the functions into the runtime and imports them into the namespace of its cells."""

    name: ClassVar[str] = "agent_skills"

    def template(self) -> Template:
        files = {f"{FOLDER}/{each.relative_to(SKILLS)}": each.read_bytes() for each in SKILLS.rglob("*.py")}
        files[f"{FOLDER}/agentskills/text_edits.py"] = Path(text_edits.__file__).read_bytes()
        return Template(files=files, setup=LOAD_AHEAD)

    async def initialize(self, runtime: Runtime) -> None:
        await runtime.copy_to(SKILLS, PLACE, recursive=True)
        await runtime.copy_to(text_edits.__file__, f"{FOLDER}/agentskills")
        # A cell without code is not counted, so the user's first cell is number 1.
        load = IPythonRunCellAction("", include_extra=False, kernel_init_code=LOAD)
        observation = await runtime.run_ipython(load)
        if not isinstance(observation, IPythonRunCellObservation) or observation.content.strip() != NOTHING_SAID:
            raise RuntimeFailed(f"the plugin agent_skills could not be set up: {observation.content}")
