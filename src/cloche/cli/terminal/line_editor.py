"""The line editor: several lines, history, colours, and completion that does not block typing."""

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_completions, has_focus, in_paste_mode, is_done
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import create_output
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style
from pygments.lexers import find_lexer_class_by_name
from pygments.lexers.php import PhpLexer

from cloche.cli.terminal.line_history import open_history
from cloche.sandbox.languages import languages
from cloche.sandbox.sandbox import Completeness
from cloche.sandbox.sandbox import Completion as Found

INDENT = "    "

# The terminal's own colours: they suit dark and light backgrounds.
_STYLE = Style.from_dict(
    {
        "prompt": "ansigreen",
        "prompt.number": "ansigreen bold",
        "prompt.folder": "ansiblue bold",
        "prompt.failed": "ansired bold",
        "continuation": "ansigreen",
        "auto-suggestion": "ansibrightblack",
        "pygments.keyword": "ansigreen bold",
        "pygments.keyword.namespace": "ansigreen bold",
        "pygments.name.builtin": "ansicyan",
        "pygments.name.builtin.pseudo": "ansicyan",
        "pygments.name.function": "ansiblue",
        "pygments.name.class": "ansiblue bold",
        "pygments.name.decorator": "ansimagenta",
        "pygments.name.exception": "ansired",
        "pygments.literal.string": "ansiyellow",
        "pygments.literal.number": "ansimagenta",
        "pygments.comment": "ansibrightblack italic",
        "pygments.operator.word": "ansigreen bold",
        "completion-menu": "noinherit reverse",
        "completion-menu.completion.current": "noinherit bold",
        "scrollbar.background": "noinherit",
        "scrollbar.button": "noinherit reverse",
    }
)


class CodeAdvisor(Protocol):
    """What the editor asks about code."""

    def check(self, text: str) -> Completeness: ...
    async def complete(self, text: str, cursor: int) -> Found: ...


class LineEditor:
    """Reads cells from a terminal; KeyboardInterrupt for Ctrl-C, EOFError for Ctrl-D."""

    def __init__(self, language: str, advisor: CodeAdvisor) -> None:
        output = create_output(always_prefer_tty=True)
        self._session: PromptSession[str] = PromptSession(
            multiline=True,
            history=open_history(language),
            lexer=_find_lexer(language),
            completer=_Completer(advisor),
            complete_while_typing=False,
            complete_style=CompleteStyle.MULTI_COLUMN,
            auto_suggest=AutoSuggestFromHistory(),
            enable_history_search=True,
            enable_suspend=True,
            enable_open_in_editor=True,
            tempfile_suffix=f".{languages()[language].extensions[0]}",
            key_bindings=_bind_keys(advisor.check),
            include_default_pygments_style=False,
            style=_STYLE,
            output=output,
        )
        self._question: PromptSession[str] = PromptSession(history=InMemoryHistory(), output=output)

    def read(self, prompt: AnyFormattedText, continuation: Callable[[int], AnyFormattedText], text: str = "") -> str:
        """Read a cell; `text` is put into it first."""
        return self._session.prompt(
            prompt,
            default=text,
            prompt_continuation=lambda width, _line, wraps: " " * width if wraps else continuation(width),
        )

    def ask(self, prompt: str, password: bool) -> str | None:
        """Read a line of input for the code; None at the end of input."""
        try:
            return self._question.prompt(ANSI(prompt), is_password=password, enable_history_search=not password)
        except EOFError:
            return None
        finally:
            if password:
                self._question.history = self._question.default_buffer.history = InMemoryHistory()


def _find_lexer(language: str) -> PygmentsLexer:
    return PygmentsLexer(_Php if language == "php" else find_lexer_class_by_name(language))


class _Php(PhpLexer):
    """Cells start as code, not as a page with code in it."""

    def __init__(self, **options: Any) -> None:
        PhpLexer.__init__(self, startinline=True, **options)  # pyright: ignore[reportUnknownMemberType] - it has no types


class _Completer(Completer):
    """Proposals of the sandbox; after %load, files of this machine."""

    def __init__(self, advisor: CodeAdvisor) -> None:
        self._advisor = advisor
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Required by the base class; only the async version is used."""
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        text = document.text
        if text.startswith("%load "):
            path = document.text_before_cursor.removeprefix("%load ").lstrip()
            for each in self._paths.get_completions(Document(path), complete_event):
                yield each
            return
        found = await self._advisor.complete(text, document.cursor_position)
        for match in found.matches:
            yield Completion(match, start_position=found.start - document.cursor_position)


def _bind_keys(check: Callable[[str], Completeness]) -> KeyBindings:
    bindings = KeyBindings()
    here = has_focus(DEFAULT_BUFFER) & ~is_done

    @Condition
    def in_indent() -> bool:
        from prompt_toolkit.application import get_app

        before = get_app().current_buffer.document.current_line_before_cursor
        return before.isspace() and len(before) % len(INDENT) == 0

    @Condition
    def before_text() -> bool:
        from prompt_toolkit.application import get_app

        return not get_app().current_buffer.document.current_line_before_cursor.strip()

    @bindings.add("enter", filter=here & ~in_paste_mode)
    def enter(event: KeyPressEvent) -> None:
        """Run the cell if it is complete and the cursor is in its last line, otherwise start another line."""
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
            return
        document = buffer.document
        answer = check(document.text_before_cursor if document.line_count > 1 else document.text)
        if document.text_after_cursor.strip() and document.line_count > 1:
            buffer.insert_text("\n" + answer.indent)
        elif answer.status == "incomplete":
            buffer.cursor_position = len(buffer.text)
            buffer.insert_text("\n" + answer.indent)
        else:
            buffer.validate_and_handle()

    @bindings.add("escape", "enter", filter=here)
    def newline(event: KeyPressEvent) -> None:
        event.current_buffer.newline()

    @bindings.add("tab", filter=here & before_text & ~has_completions)
    def indent(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(INDENT)

    @bindings.add("backspace", filter=here & in_indent)
    def unindent(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor(len(INDENT))

    return bindings
