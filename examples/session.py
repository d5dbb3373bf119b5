"""Keep what an agent does: actions go into a stream, a runtime executes them, observations come back."""

import anyio

from cloche.events import CmdRunAction, EventStream, FileWriteAction, IPythonRunCellAction, SQLiteStore, is_observation
from cloche.runtime import PluginRequirement, get_runtime_cls
from cloche.session import Dispatcher

ACTIONS = [
    FileWriteAction("prices.csv", "tea,3\ncake,4\n"),
    CmdRunAction("cut -d, -f2 prices.csv | paste -sd+"),
    IPythonRunCellAction("sum(int(line.split(',')[1]) for line in open('prices.csv'))", include_extra=False),
    CmdRunAction("cat nothing.csv"),
]


async def main() -> None:
    plugins = [PluginRequirement("jupyter")]
    async with SQLiteStore("events.db") as store, get_runtime_cls("pyodide")(plugins=plugins) as runtime:
        stream = EventStream("demo", store)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Dispatcher(stream, runtime).run)
            last = (await stream.add_events(ACTIONS, "agent"))[-1]
            async for event in stream.follow():
                if is_observation(event.body):
                    print(f"{event.id} answers {event.cause}: {event.body.content.strip() or event.message}")
                if event.cause == last.id:
                    tasks.cancel_scope.cancel()


anyio.run(main)
