"""History: what a model is shown of a session's events, within its window."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from cloche.events import (
    AgentFinishAction,
    CmdOutputObservation,
    CmdRunAction,
    Event,
    IPythonRunCellAction,
    IPythonRunCellObservation,
    MessageAction,
    UploadAction,
    encode_event,
    new_event,
)
from cloche.llm import Message, Reply, ToolCall, estimate_tokens
from cloche.llm.replay import collect_replies
from cloche.session.agents.toolset import Toolset
from cloche.session.control.history import INTERRUPTED, History


class Story:
    """Events with ids, as a stream gives them."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, event: Event) -> Event:
        self.events.append(structs.replace(event, id=len(self.events)))
        return self.events[-1]

    def say(self, text: str) -> None:
        self.add(new_event(MessageAction(text), "user"))

    def call(self, *commands: str, output: str | None = "", text: str = "") -> None:
        calls = tuple(
            ToolCall(f"c{len(self.events)}_{number}", "bash", f'{{"command": "{command}"}}')
            for number, command in enumerate(commands)
        )
        wanted = [self.add(event) for event in Toolset().read_reply(Reply(text=text, tool_calls=calls, id="r"))]
        for event in wanted if output is not None else ():
            assert isinstance(event.body, CmdRunAction)
            self.add(new_event(CmdOutputObservation(output or "", event.body.command), "agent", answers=event))

    def tell(self, window: int = 100_000) -> History:
        history = History(window)
        for event in self.events:
            history.add(event)
        return history


def test_calls_and_their_results_stand_in_the_order_that_models_want() -> None:
    story = Story()
    story.say("do it")
    story.call("a", "b", output="out", text="first")
    history = story.tell()
    assert history.task == "do it"
    assert [(each.role, each.content) for each in history.messages] == [
        ("user", "do it"),
        ("assistant", "first"),
        ("tool", "out"),
        ("tool", "out"),
    ]
    assert [call.arguments for call in history.messages[1].tool_calls] == ['{"command": "a"}', '{"command": "b"}']


def test_an_answer_with_many_large_calls_is_kept_once() -> None:
    calls = tuple(ToolCall(f"c{number}", "bash", f'{{"command": "{"x" * 1000}"}}') for number in range(100))
    reply = Reply(text="long " * 1000, tool_calls=calls, id="r")
    events = Toolset().read_reply(reply)
    assert sum(len(encode_event(event)) for event in events) < 1_500_000
    story = Story()
    for event in events:
        story.add(event)
    assert story.tell().messages[0] == reply.message
    assert [each.message for each in collect_replies(events)] == [reply.message]


def test_a_call_without_a_result_gets_one() -> None:
    story = Story()
    story.call("a", output=None)
    assert [each.content for each in story.tell().messages] == ["", INTERRUPTED]


def test_code_and_what_users_do_are_told_in_words() -> None:
    story = Story()
    cell = story.add(new_event(IPythonRunCellAction("x = 1", thought="set x", include_extra=False), "agent"))
    story.add(new_event(IPythonRunCellObservation("", "x = 1"), "agent", answers=cell))
    run = story.add(new_event(CmdRunAction("ls"), "user"))
    story.add(new_event(CmdOutputObservation("f", "ls"), "user", answers=run))
    story.add(new_event(UploadAction("/workspace", {"a.csv": 12}, more=3), "user"))
    story.add(new_event(AgentFinishAction("done"), "agent"))
    assert [(each.role, each.content) for each in story.tell().messages] == [
        ("assistant", "set x\n```python\nx = 1\n```"),
        ("user", "[no output]"),
        ("user", "[the user ran this] Running command: ls"),
        ("user", "f"),
        ("user", "[from the user] Uploading to /workspace: a.csv (12 bytes), 3 more"),
        ("assistant", "done"),
    ]


def test_old_results_are_folded_then_left_out_and_the_task_stays() -> None:
    story = Story()
    story.say("the task")
    for number in range(200):
        story.call(f"command {number}", output=f"{number} " * 1000)
    history = story.tell(window=20_000)
    messages = history.messages
    assert messages[0] == Message("user", "the task")
    assert "earlier steps are left out here" in messages[1].content
    assert messages[-1].content.startswith("199 199")
    assert any("characters are left out here" in each.content for each in messages)
    assert sum(len(each.content) for each in messages) < 80_000
    whole = [each for each in messages if each.role == "tool" and len(each.content) > 1000]
    assert len(whole) >= 6


def test_one_result_that_is_larger_than_the_window_can_be_folded() -> None:
    story = Story()
    story.say("task")
    story.call("big", output="x" * 100_000)
    history = story.tell()
    sizes: list[int] = []
    while history.shrink():
        sizes.append(sum(len(each.content) for each in history.messages))
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) < 8
    assert sizes[-1] < 500
    # What earlier cuts have left out is counted too.
    assert "99600 characters are left out here" in history.messages[2].content


def test_the_latest_results_are_shortened_too_if_the_window_has_no_room_for_them() -> None:
    story = Story()
    story.say("task")
    for number in range(8):
        story.call("big", output=f"{number} {'word ' * 5000} end")
    history = story.tell(window=4000)
    assert estimate_tokens(history.messages) <= 4000
    assert history.messages[0] == Message("user", "task")
    last = history.messages[-1].content
    assert (last.startswith("7 word"), last.endswith("end")) == (True, True)
    assert len(last) > 2000


def test_what_the_user_said_last_stays_like_what_came_first() -> None:
    story = Story()
    story.say("the first task")
    story.call("a", output="x" * 5000)
    story.say("the second task")
    for number in range(50):
        story.call(f"command {number}", output=f"{number} " * 1000)
    history = story.tell(window=4000)
    said = [each.content for each in history.messages if each.role == "user"]
    assert said[0] == "the first task"
    assert "left out here" in said[1]
    assert said[2] == "the second task"


def test_a_loop_is_forgotten() -> None:
    story = Story()
    story.say("task")
    story.call("good", output="1")
    start = len(story.events)
    story.call("bad", output="2")
    history = story.tell()
    history.forget(start)
    assert [each.content for each in history.messages] == ["task", "", "1"]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.text(max_size=50)),
        st.tuples(st.just("call"), st.text(alphabet="ab ", max_size=3000)),
        st.tuples(st.just("lost"), st.just("")),
    ),
    max_size=60,
)


@given(steps, st.integers(400, 3000))
def test_a_conversation_keeps_to_its_window_and_every_call_has_one_result(
    parts: list[tuple[str, str]], window: int
) -> None:
    story = Story()
    for kind, text in parts:
        if kind == "say":
            story.say(text)
        else:
            story.call("a", "b", output=text if kind == "call" else None)
    history = story.tell(window)
    messages: Any = history.messages
    assert estimate_tokens(messages) <= window + 20
    open_calls: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert message.tool_call_id == open_calls.pop(0)
        else:
            assert not open_calls
        open_calls += [call.id for call in message.tool_calls]
    assert not open_calls
