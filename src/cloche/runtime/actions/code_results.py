"""The action that code is, and its observation, for callers who run the code themselves."""

from cloche.events import (
    CmdOutputMetadata,
    CmdOutputObservation,
    CmdRunAction,
    IPythonRunCellAction,
    IPythonRunCellObservation,
    RunCodeAction,
    RunCodeObservation,
)
from cloche.limits import SHOWN_CHARACTERS
from cloche.runtime.actions.cells import NOTHING_SAID, describe_end
from cloche.runtime.actions.commands import describe_completion
from cloche.runtime.actions.file_texts import shorten_text
from cloche.runtime.sandbox_machine import IDENTITY, convert_result
from cloche.sandbox.results.result import Result

CodeAction = CmdRunAction | IPythonRunCellAction | RunCodeAction
CodeObservation = CmdOutputObservation | IPythonRunCellObservation | RunCodeObservation


def make_code_action(language: str, code: str, stdin: str | None = None) -> CodeAction:
    """The action that runs code of this language."""
    if stdin is None and language == "bash":
        return CmdRunAction(code, blocking=True)
    if stdin is None and language == "python":
        return IPythonRunCellAction(code, include_extra=False)
    return RunCodeAction(language, code, stdin)


def observe_result(action: CodeAction, result: Result, seconds: float) -> CodeObservation:
    """The observation of code that was run with this time limit."""
    ended = convert_result(result)
    printed = "".join(text for _, text in result.output)
    if isinstance(action, CmdRunAction):
        stopped = f"\n[The command was stopped after {seconds:g} seconds, its time limit.]" if ended.timed_out else ""
        told = CmdOutputMetadata(
            exit_code=ended.exit_code,
            username=IDENTITY.user,
            hostname=IDENTITY.host,
            working_dir=ended.folder,
            py_interpreter_path=IDENTITY.python,
            suffix=stopped + describe_completion(ended),
        )
        return CmdOutputObservation(_shorten(printed), action.command, told)
    text = _shorten(describe_end(printed, ended, seconds))
    images, displays = list(ended.images) or None, list(ended.displays) or None
    if isinstance(action, IPythonRunCellAction):
        shown = text.rstrip("\n") or ("" if images or displays else NOTHING_SAID)
        return IPythonRunCellObservation(f"{shown}\n" if shown else "", action.code, images, displays)
    state = "lost" if ended.state_lost else "kept"
    return RunCodeObservation(
        text,
        action.language,
        action.code,
        ended.value,
        ended.error,
        ended.exit_code,
        state,
        ended.timed_out,
        images,
        displays,
    )


def _shorten(text: str) -> str:
    return shorten_text(text, f"{len(text) - SHOWN_CHARACTERS} characters are left out here.")
