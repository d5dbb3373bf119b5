"""Runs an agent: follows the stream of its session, asks it for steps, keeps its state and its limits."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from math import inf

import anyio
from anyio.abc import TaskGroup
from msgspec import structs

from cloche.errors import (
    ClocheError,
    EventError,
    LLMContextExceeded,
    LLMRateLimited,
    SessionError,
    StoreFull,
    StoreLocked,
)
from cloche.events import (
    Action,
    AgentDelegateAction,
    AgentFinishAction,
    AgentRejectAction,
    AgentStateChangedObservation,
    ChangeAgentStateAction,
    ErrorObservation,
    Event,
    EventStream,
    LoopDetectionObservation,
    LoopRecoveryAction,
    MessageAction,
    Observation,
    is_action,
    new_event,
)
from cloche.limits import STORE_RETRY
from cloche.llm import LLM, Message
from cloche.logs import log_ids
from cloche.runtime.failures import describe_error
from cloche.session.agents.agent import Agent, StepState
from cloche.session.agents.toolset import Toolset
from cloche.session.control.budget import Budget, Spending
from cloche.session.control.history import WINDOW
from cloche.session.control.metered_model import MeteredModel
from cloche.session.control.planned import Planned
from cloche.session.control.question import Question
from cloche.session.control.remembered import Remembered
from cloche.session.control.states import (
    RESTING,
    USER_CONFIRMED,
    USER_REJECTED,
    AgentState,
    read_choice,
    read_state,
)

log = logging.getLogger(__name__)

OVERFLOWS = 4
"""How often in a row the model's window may be exceeded, the conversation being shortened each time."""
REASON = 4000
"""The most characters of the reason of a state."""
STOP_LOOK = 0.1
"""Seconds between two attempts to end an action."""
NUDGE = "Go on with the task; when it is done, call finish."

Delegate = Callable[[Event], Awaitable[Observation]]
"""Has another agent do the work of a delegation, and returns its observation."""


class AgentController:
    """One agent on one stream. Whatever it does is in the stream, so it can be continued from there."""

    def __init__(
        self,
        stream: EventStream,
        agent: Agent,
        *,
        tools: Toolset | None = None,
        model: LLM | None = None,
        budget: Budget | None = None,
        window: int = WINDOW,
        headless: bool = False,
        instructions: str = "",
    ) -> None:
        self.state = AgentState.INIT
        self.reason = ""
        """Why it is in this state, if there is something to say."""
        self.spending = Spending(budget or Budget())
        self._remembered = Remembered(window)
        self.history = self._remembered.history
        self.delegate: Delegate | None = None
        self.interrupt: Callable[[], Awaitable[object]] | None = None
        """Stops the action that is being executed."""
        self.on_text: Callable[[str], None] | None = None
        """Shows the model's text while it is written."""
        self._stream = stream
        self._agent = agent
        self._tools = tools or Toolset()
        self._model = None if model is None else MeteredModel(model, self.spending)
        self._headless = headless
        self._instructions = instructions
        self._planned = Planned()
        self._question = Question()
        self._seen = self._added = -1
        self._news = anyio.Event()
        self._thinking: anyio.CancelScope | None = None
        self._overflows = 0
        self._ended = False
        self._tasks: TaskGroup | None = None
        self._delegations: set[anyio.CancelScope] = set()

    @property
    def is_in_loop(self) -> bool:
        """Whether it has paused because it repeats itself: a LoopRecoveryAction says how to go on."""
        return self._remembered.is_in_loop

    @property
    def folder(self) -> str:
        """The folder of the session's shell."""
        return self._remembered.folder

    @property
    def is_halted(self) -> bool:
        """Whether what it has begun is to end, and what it has not begun is not to begin."""
        return self.state in (AgentState.STOPPED, AgentState.ERROR)

    async def restore(self) -> None:
        """Take in what the stream has already; before `run`."""
        async for event in self._stream.get_events():
            self._remembered.add(event)
            state = read_state(event)
            self.state = state or self.state
            if state is AgentState.RUNNING and event.source == "user":
                self.spending.begin_task()
            if event.source == "agent" and event.llm_metrics is not None:
                self.spending.restore(event.llm_metrics)
            self._seen = self._added = event.id if event.id is not None else self._seen
        if self.state is AgentState.AWAITING_USER_CONFIRMATION:
            self.state = AgentState.RUNNING

    async def run(self) -> None:
        """Follow the stream and work, until cancelled."""
        self.spending.run_clock(self.state is AgentState.RUNNING)
        for event in list(self._remembered.delegations.values()):
            why = "The delegation did not come to its end: its process was ended."
            await self._append(new_event(ErrorObservation(why), "agent", answers=event))
        try:
            async with anyio.create_task_group() as self._tasks:
                self._tasks.start_soon(self._follow)
                while True:
                    await self._until_due()
                    await self._step()
        finally:
            self._ended = True
            self._wake()

    async def wait(self, *states: AgentState) -> AgentState:
        """Wait until it is in one of these states, by default until it rests; raises SessionError if it has ended."""
        wanted = states or tuple(RESTING)
        while self.state not in wanted or self._seen < self._added:
            await self._next_news()
        return self.state

    async def catch_up(self, event: Event) -> None:
        """Wait until it has taken in this event of its stream."""
        while event.id is not None and self._seen < event.id:
            await self._next_news()

    async def change(self, state: AgentState, reason: str = "") -> None:
        """Change its state, which is an event."""
        if state is self.state and reason == self.reason:
            return
        told = self._stream.mask(new_event(AgentStateChangedObservation("", state, reason[:REASON])))
        self.state, self.reason = state, getattr(told.body, "reason", "")
        self.spending.run_clock(state is AgentState.RUNNING)
        log.info("the agent is %s%s", state, f": {self.reason}" if reason else "")
        self._wake()
        await self._append(told)

    async def confirm(self, seconds: float, about: str = "") -> bool | None:
        """Ask the user about an action that waits; None if nobody answered in time."""
        before = self.state
        self._question.ask()
        await self.change(AgentState.AWAITING_USER_CONFIRMATION, about)
        with anyio.move_on_after(seconds):
            while self._question.is_open:
                await self._next_news()
        answer = self._question.end()
        if self.state is AgentState.AWAITING_USER_CONFIRMATION:
            await self.change(before)
        return answer

    async def _follow(self) -> None:
        async with aclosing(self._stream.follow(self._seen)) as events:
            async for event in events:
                self._remembered.add(event)
                with log_ids(event=event.id):
                    if event.source == "user":
                        await self._obey(event)
                    elif event.source == "agent" and is_action(event.body):
                        await self._notice(event)
                self._seen = event.id if event.id is not None else self._seen
                self._wake()

    async def _obey(self, event: Event) -> None:
        """What a user says."""
        match event.body:
            case MessageAction():
                # It comes before what was planned without it, and is no yes to what waits for one.
                self._planned.clear()
                self._question.give(answer=False)
                await self._go_on()
            case LoopRecoveryAction(option=option):
                self._planned.clear()
                await (self._go_on() if option in (1, 2) else self._halt(AgentState.STOPPED))
            case ChangeAgentStateAction(agent_state=wanted):
                await self._obey_state(wanted)
            case _:
                pass

    async def _obey_state(self, wanted: str) -> None:
        state = read_choice(wanted)
        if wanted in (USER_CONFIRMED, USER_REJECTED):
            self._question.give(wanted == USER_CONFIRMED)
        elif state is None or (state is AgentState.RUNNING and self._question.is_open):
            log.warning("there is no way into the state %r from %s", wanted, self.state)
        elif state is AgentState.RUNNING:
            await self._go_on()
        else:
            self._question.give(answer=False)
            if self._thinking is not None:
                self._thinking.cancel()
            await (self._halt(state) if state is AgentState.STOPPED else self.change(state))

    async def _go_on(self) -> None:
        """Begin a task, or the next part of one: its limits count anew."""
        self.spending.begin_task()
        self._overflows = 0
        await self.change(AgentState.RUNNING)

    async def _halt(self, state: AgentState, reason: str = "") -> None:
        """Change into this state, and end what is being done."""
        self._planned.clear()
        await self.change(state, reason)
        for scope in self._delegations:
            scope.cancel()
        if self._tasks is not None:
            self._tasks.start_soon(self._end_actions)

    async def _end_actions(self) -> None:
        """Interrupt what the agent has begun until it has its observations."""
        # Repeated: an action that is just beginning cannot be interrupted yet.
        while self.interrupt is not None and self._remembered.pending and self.is_halted:
            await self.interrupt()
            with anyio.move_on_after(STOP_LOOK):
                await self._next_news()

    async def _notice(self, event: Event) -> None:
        """What the agent does that is no work for a runtime."""
        match event.body:
            case AgentFinishAction():
                await self.change(AgentState.FINISHED)
            case AgentRejectAction():
                await self.change(AgentState.REJECTED, event.message or "")
            case MessageAction(wait_for_response=True) if not self._headless:
                await self.change(AgentState.AWAITING_USER_INPUT)
            case AgentDelegateAction() if self._tasks is not None:
                self._tasks.start_soon(self._delegate, event)
            case _:
                pass

    async def _delegate(self, event: Event) -> None:
        why = "there is nobody to delegate to here" if self.delegate is None else "the agent was stopped"
        seen: Observation = ErrorObservation(f"The delegation did not come to its end: {why}.")
        with anyio.CancelScope() as scope:
            self._delegations.add(scope)
            try:
                if self.delegate is not None:
                    seen = await self.delegate(event)
            except Exception as error:  # the other agent may be anybody's code, and the session goes on
                log.exception("the delegation failed")
                seen = ErrorObservation(f"The delegation failed: {describe_error(error)}")
            finally:
                self._delegations.discard(scope)
        await self._append(new_event(seen, "agent", answers=event))

    async def _until_due(self) -> None:
        """Wait until the agent is to take a step; a task whose time is over ends."""
        while self.state is not AgentState.RUNNING or self._remembered.pending or self._seen < self._added:
            works = self.state is AgentState.RUNNING
            with anyio.move_on_after(self.spending.seconds_left if works else inf) as limit:
                await self._next_news()
            if limit.cancelled_caught and self.state is AgentState.RUNNING:
                await self._halt(AgentState.ERROR, self.spending.find_excess() or "The task has no time left.")

    async def _step(self) -> None:
        if not self._planned and not await self._is_over():
            await self._think()
        if self.state is AgentState.RUNNING and self._planned:
            try:
                await self._append(*self._planned.take())
            except EventError as error:
                await self._halt(AgentState.ERROR, f"What the agent wants cannot be kept: {error}")

    async def _think(self) -> None:
        """Ask the agent what to do next."""
        self.spending.iterations += 1
        log.debug("step %d begins", self.spending.iterations)
        with anyio.CancelScope(deadline=anyio.current_time() + self.spending.seconds_left) as self._thinking:
            try:
                items = await self._agent.step(self._make_state())
                self._overflows = 0
                await self._plan(items)
            except LLMContextExceeded as error:
                await self._make_room(error)
            except LLMRateLimited as error:
                await self.change(AgentState.RATE_LIMITED, str(error))
            except ClocheError as error:
                await self.change(AgentState.ERROR, str(error))
            except Exception as error:  # an agent may be anybody's code, and its session goes on
                log.exception("the agent failed")
                await self.change(AgentState.ERROR, f"the agent failed: {describe_error(error)}")
        self._thinking = None

    async def _plan(self, items: Sequence[Action | Event]) -> None:
        """Plan what the agent wants; its metrics are with the first."""
        events = [each if isinstance(each, Event) else new_event(each, "agent") for each in items]
        if not events:
            await self.change(AgentState.ERROR, "The agent has chosen nothing to do. Say something to let it go on.")
            return
        events[0] = structs.replace(events[0], llm_metrics=self.spending.metrics)
        self._planned.put([_without_waiting(event) for event in events] if self._headless else events)

    async def _is_over(self) -> bool:
        """Whether a limit is reached or the agent repeats itself; then it has stopped."""
        if excess := self.spending.find_excess():
            await self.change(AgentState.ERROR, excess)
            return True
        if loop := self._remembered.find_loop():
            await self._pause_stuck(f"The agent repeats itself: {loop.reason}.")
            return True
        return False

    async def _pause_stuck(self, why: str) -> None:
        await self._append(new_event(LoopDetectionObservation(why)))
        advice = "Say something, or send loop_recovery: 1 goes back to before the loop, 2 goes on, 3 stops."
        await self.change(AgentState.PAUSED, f"{why} {advice}")

    async def _make_room(self, error: LLMContextExceeded) -> None:
        self._overflows += 1
        if self._overflows < OVERFLOWS and self.history.shrink():
            return
        why = f"The conversation does not fit into the model's window, however much of it is left out: {error}."
        if self.history.has_more_than_task:
            await self._pause_stuck(why)
        else:
            await self.change(AgentState.ERROR, why)

    def _make_state(self) -> StepState:
        state = StepState(
            task=self.history.task,
            find_messages=self._find_messages,
            tools=self._tools,
            model=self._model,
            iteration=self.spending.iterations - 1,
            instructions=self._instructions,
        )
        if self.on_text is not None:
            state.on_text = self.on_text
        return state

    def _find_messages(self) -> tuple[Message, ...]:
        messages = self.history.messages
        return (*messages, Message("user", NUDGE)) if messages and messages[-1].role == "assistant" else messages

    async def _append(self, *events: Event) -> None:
        """Append all of them or none; if there is no room, as soon as there is."""
        while True:
            try:
                with anyio.CancelScope(shield=True):
                    for added in await self._stream.add_events(events):
                        self._added = max(self._added, -1 if added.id is None else added.id)
                return
            except (StoreFull, StoreLocked) as error:
                log.warning("the session %s waits until its events can be stored: %s", self._stream.sid, error)
                await anyio.sleep(STORE_RETRY)

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    async def _next_news(self) -> None:
        if not self._ended:
            await self._news.wait()
        if self._ended:
            raise SessionError(f"the session {self._stream.sid} has ended, and its agent with it: start it again")


def _without_waiting(event: Event) -> Event:
    """Where nobody answers, the agent goes on after a message."""
    if isinstance(event.body, MessageAction) and event.body.wait_for_response:
        return structs.replace(event, body=structs.replace(event.body, wait_for_response=False))
    return event
