"""An agent that does a part of another agent's work, in a session of its own on the same runtime."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import anyio
from anyio import to_thread
from msgspec import Struct, structs

from cloche.config import AppConfig, LLMConfig
from cloche.errors import ConfigError
from cloche.events import (
    AgentDelegateAction,
    AgentDelegateObservation,
    AgentFinishAction,
    ChangeAgentStateAction,
    ErrorObservation,
    Event,
    EventFilter,
    EventStream,
    MessageAction,
    Observation,
)
from cloche.limits import DELEGATION_DEPTH
from cloche.llm import LLM, Message, estimate_tokens, open_llm
from cloche.logs import log_ids
from cloche.runtime import Runtime
from cloche.runtime.codes import BAD_ACTION
from cloche.security import SecurityAnalyzer, name_analyzers
from cloche.session.agents.registry import find_delegate_class
from cloche.session.agents.toolset import Toolset
from cloche.session.changes import ActionWatch, ChangeRecorder
from cloche.session.control.controller import AgentController
from cloche.session.control.found_secrets import mask_found_secrets
from cloche.session.control.history import WINDOW
from cloche.session.control.judging import ActionJudge, Confirm, FindContext, Refuse
from cloche.session.control.states import RESTING, AgentState
from cloche.session.dispatcher import Dispatcher
from cloche.session.live_output import OnLiveOutput

log = logging.getLogger(__name__)


class Workplace(Struct, frozen=True, kw_only=True):
    """What all agents of a session share."""

    config: AppConfig
    runtime: Runtime
    tools: Toolset
    model: LLM | None
    llm: LLMConfig | None
    """What `model` was opened with; None if it was given."""
    analyzer: SecurityAnalyzer | None
    find_context: FindContext
    instructions: str
    on_output: OnLiveOutput | None = None
    changes: ChangeRecorder | None = None
    """Records what actions change, if that is wanted."""
    refuse: Refuse | None = None
    """Answers actions, of users too, that must not run."""
    depth: int = 0
    """How many agents have delegated down to here."""


@asynccontextmanager
async def run_agent(
    place: Workplace, stream: EventStream, controller: AgentController, confirm: Confirm, after_id: int = -1
) -> AsyncGenerator[Dispatcher]:
    """Have a controller work on a stream, and the runtime execute what it wants, until the end of the block."""
    security = place.config.security
    judge = ActionJudge(
        stream,
        place.analyzer,
        confirm=confirm,
        is_stopped=lambda: controller.is_halted,
        confirmation_mode=security.confirmation_mode,
        seconds=security.confirmation_timeout,
        find_context=place.find_context,
        refuse=place.refuse,
    )
    masks = "secrets" in name_analyzers(place.config)
    examine = partial(mask_found_secrets, stream) if masks else None
    watch = None if place.changes is None else ActionWatch(place.changes, stream)
    dispatcher = Dispatcher(stream, place.runtime, judge=judge, on_output=place.on_output, examine=examine, watch=watch)
    controller.interrupt = place.runtime.interrupt
    controller.delegate = Delegation(place, stream, controller, confirm).run
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(dispatcher.run, after_id)
        tasks.start_soon(dispatcher.keep_trying)
        tasks.start_soon(controller.run)
        try:
            yield dispatcher
        finally:
            await dispatcher.end()
        tasks.cancel_scope.cancel()


class Delegation:
    """Does the delegations of one controller."""

    def __init__(self, place: Workplace, stream: EventStream, controller: AgentController, confirm: Confirm) -> None:
        self._place = place
        self._stream = stream
        self._controller = controller
        self._confirm = confirm

    async def run(self, event: Event) -> Observation:
        """Have the other agent work, and return what it says at its end."""
        assert isinstance(event.body, AgentDelegateAction), "the controller takes nothing else here"
        try:
            return await self._work(event, event.body)
        except (ConfigError, ValueError) as error:
            return ErrorObservation(f"The delegation was not begun: {error}", BAD_ACTION)

    async def _work(self, event: Event, asked: AgentDelegateAction) -> Observation:
        sid = f"{self._stream.sid}.{event.id}"
        if self._place.depth >= DELEGATION_DEPTH:
            why = f"Agents may delegate {DELEGATION_DEPTH} deep, and this would be deeper. Do it yourself."
            return ErrorObservation(why, BAD_ACTION)
        task = str(asked.inputs.get("task") or asked.inputs or "").strip()
        stream = self._stream.open_beside(sid)
        kind = await to_thread.run_sync(find_delegate_class, self._place.config, asked.agent)
        settings = self._place.config.find_llm(self._place.config.find_agent(asked.agent).llm_config)
        await stream.store.create(sid, {"parent": self._stream.sid})
        log.info("the agent %s does a part of the work, in the session %s", asked.agent, sid)
        async with self._open_model(settings) as model:
            controller = AgentController(
                stream,
                kind(),
                tools=self._place.tools,
                model=model,
                budget=self._controller.spending.remaining,
                window=find_window(settings, self._place.tools, self._place.instructions),
                headless=True,
                instructions=self._place.instructions,
            )
            with log_ids(session=sid, action=None, event=None):
                async with run_agent(self._beside(event), stream, controller, self._confirm):
                    await stream.add_event(MessageAction(task), "user")
                    state = await self._wait(controller, stream)
        self._controller.spending.join(controller.spending)
        if state is not AgentState.FINISHED:
            return ErrorObservation(f"{asked.agent} did not finish: it is {state}. {controller.reason}".strip())
        finish = await _find_finish(stream)
        return AgentDelegateObservation(finish.final_thought, finish.outputs)

    async def _wait(self, controller: AgentController, stream: EventStream) -> AgentState:
        """Wait until the other agent rests; it pauses while this one does."""
        state = controller.state
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._pass_on_pauses, stream)
            state = await controller.wait(*RESTING)
            while state is AgentState.PAUSED and not controller.is_in_loop:
                await controller.wait(*(set(AgentState) - {AgentState.PAUSED}))
                state = await controller.wait(*RESTING)
            tasks.cancel_scope.cancel()
        return state

    async def _pass_on_pauses(self, stream: EventStream) -> None:
        while True:
            for state in (AgentState.PAUSED, AgentState.RUNNING):
                await self._controller.wait(state)
                await stream.add_event(ChangeAgentStateAction(state), "user")

    @asynccontextmanager
    async def _open_model(self, settings: LLMConfig) -> AsyncGenerator[LLM | None]:
        """The model of another agent: that of this one, unless the configuration names another."""
        if settings == self._place.llm or self._place.llm is None or settings.model is None:
            yield self._place.model
            return
        model = open_llm(settings, store=self._stream.store)
        try:
            yield model
        finally:
            with anyio.CancelScope(shield=True):
                await model.close()

    def _beside(self, event: Event) -> Workplace:
        """The same place; what is printed there belongs to the delegation."""
        deeper = structs.replace(self._place, depth=self._place.depth + 1)
        told, number = self._place.on_output, event.id
        if told is None or number is None:
            return deeper

        def tell(_: int, name: str, text: str) -> None:
            told(number, name, text)

        return structs.replace(deeper, on_output=tell)


def find_window(settings: LLMConfig, tools: Toolset, instructions: str) -> int:
    """Tokens that a conversation may have beside what is sent with it."""
    window = settings.max_input_tokens or WINDOW
    around = estimate_tokens([Message("system", instructions)], tools.specs)
    return max(window - around, window // 4)


async def _find_finish(stream: EventStream) -> AgentFinishAction:
    kinds = EventFilter(include_types=("finish",))
    async for event in stream.get_events(reverse=True, filter=kinds, limit=1):
        if isinstance(event.body, AgentFinishAction):
            return event.body
    return AgentFinishAction()
