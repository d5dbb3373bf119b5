"""The IPython shell of the guest: cells, their errors and their shell commands."""

from __future__ import annotations

import codeop
import re
import sys
from typing import Any

from IPython.core import page
from IPython.core.autocall import ExitAutocall, IPyAutocall
from IPython.core.compilerop import CachingCompiler
from IPython.core.error import UsageError
from IPython.core.formatters import BaseFormatter, PlainTextFormatter
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell
from IPython.utils.text import SList
from traitlets import Type

from cloche_guest.cells import errors
from cloche_guest.cells.display import GuestDisplayHook, GuestFormatter, GuestPublisher
from cloche_guest.protection import guard
from cloche_guest.subprocesses import shell_jobs
from cloche_guest.waiting import event_loop

_ALIASES = {"ls": "ls -F", "ll": "ls -l", "cat": "cat", "cp": "cp", "mv": "mv", "rm": "rm", "mkdir": "mkdir",
            "rmdir": "rmdir", "head": "head", "tail": "tail", "less": "cat", "more": "cat", "man": "man"}  # fmt: skip
_WORD = re.compile(r"\s*([^\W\d]\w*)")
_PARTS = (
    "history_manager", "displayhook", "display_pub", "display_formatter", "events", "input_transformer_manager",
    "prefilter_manager", "magics_manager", "alias_manager", "builtin_trap", "display_trap", "compile", "Completer",
    "InteractiveTB", "logger", "hooks", "user_module", "user_ns", "user_ns_hidden", "payload_manager",
    "extension_manager", "ast_transformers", "configurables", "inspector",
)  # fmt: skip


def _blank_lines(cell: str) -> int:
    """How many blank lines the code starts with."""
    return next((number for number, line in enumerate(cell.splitlines()) if line.strip()), 0)


class CellCompiler(CachingCompiler):
    """Names cells by their number, and explains the error of a cell that ends too early."""

    def __init__(self) -> None:
        super().__init__()
        self.flags &= ~codeop.PyCF_ALLOW_INCOMPLETE_INPUT

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"Cell In[{number}]"

    def format_code_name(self, name: str) -> tuple[str, str] | None:
        return ("File", name)


class Exit(ExitAutocall):
    """Ends the run when it is called, or when it is the cell's only expression."""

    rewrite = False

    def __call__(self, code: object = None) -> None:
        raise SystemExit(code)


class GuestShell(InteractiveShell):
    """An InteractiveShell whose output, errors and commands go to the sandbox."""

    alias_manager: Any
    configurables: Any
    prefilter_manager: Any
    display_pub_class = Type(GuestPublisher)
    displayhook_class = Type(GuestDisplayHook)
    compiler_class = CellCompiler
    failure: BaseException | None = None
    _parts: dict[str, Any] = {}  # noqa: RUF012 - set once for the one instance
    _attributes: dict[str, Any] = {}  # noqa: RUF012 - set once for the one instance

    def remember_parts(self) -> None:
        """Note the parts of a working shell."""
        parts = {name: getattr(self, name) for name in _PARTS if getattr(self, name, None) is not None}
        traits = self._trait_values
        GuestShell._parts = {name: part for name, part in parts.items() if traits.get(name) is part}
        GuestShell._attributes = {name: part for name, part in parts.items() if name not in GuestShell._parts}

    def restore_parts(self) -> None:
        """Restore the parts that a cell removed or hid."""
        own, traits = vars(self), self._trait_values
        for name in own.keys() & _METHODS:
            del own[name]
        for known, present in ((GuestShell._parts, traits), (GuestShell._attributes, own)):
            for name, part in known.items():
                if present.get(name) is not part:
                    present[name] = part
        self.failure = self.displayhook.value = self.displayhook.data = None
        self.builtin_trap._nested_level = self.display_trap._nested_level = 0
        if "_oh" not in self.user_ns or "get_ipython" not in self.user_ns:
            self.init_user_ns()

    def init_history(self) -> None:
        self.history_manager = HistoryManager(shell=self, parent=self, enabled=False, hist_file=":memory:")
        self.configurables.append(self.history_manager)

    def init_display_formatter(self) -> None:
        self.display_formatter = GuestFormatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(_show_text), 99)

    def init_alias(self) -> None:
        super().init_alias()
        for name, command in _ALIASES.items():
            self.alias_manager.define_alias(name, command)

    def init_user_ns(self) -> None:
        super().init_user_ns()
        leave = Exit(self)
        self.user_ns["exit"] = self.user_ns["quit"] = leave
        self.user_ns_hidden["exit"] = self.user_ns_hidden["quit"] = leave

    def init_virtualenv(self) -> None:
        pass

    def transform_cell(self, raw_cell: str) -> Any:
        cell = self.input_transformer_manager.transform_cell(raw_cell)
        if cell.count("\n") < 2 and self._is_call(cell):
            with self.builtin_trap:
                cell = self.prefilter_manager.prefilter_lines(cell) + "\n"
        lines = cell.splitlines(keepends=True)
        for transform in self.input_transformers_post:
            lines = transform(lines)
        cell = "".join(lines)
        # Leading blank lines were dropped; they are put back so that line numbers stay the user's.
        blank = _blank_lines(raw_cell)
        return "\n" * blank + cell if blank and cell.strip() else cell

    def _place(self, error: SyntaxError, raw_cell: str) -> None:
        """Make an error of the tokenizer, which does not know cells, point into this one."""
        error.filename = self.compile.get_code_name(raw_cell, raw_cell, self.execution_count)
        if error.lineno is not None:
            error.lineno += _blank_lines(raw_cell)

    def _is_call(self, line: str) -> bool:
        """Whether a single line could be a magic without its `%`, or an object that is called when named."""
        word = _WORD.match(line)
        if word is None:
            return False
        name = word[1]
        return name in self.magics_manager.magics["line"] or isinstance(self.user_ns.get(name), IPyAutocall)

    def run_cell(
        self, raw_cell: str, store_history: bool = False, silent: bool = False, shell_futures: bool = True,
        cell_id: Any = None, cell_meta: Any = None,
    ) -> ExecutionResult:  # fmt: skip
        # IPython's own copies all output into its history, which is slow and takes unlimited memory.
        result = None
        try:
            result = self._run_cell(raw_cell, store_history, silent, shell_futures, cell_id, cell_meta)
            return result
        finally:
            self.events.trigger("post_execute")
            if not silent:
                self.events.trigger("post_run_cell", result)

    def _run_cell(
        self, raw_cell: str, store_history: bool, silent: bool, shell_futures: bool, cell_id: Any, cell_meta: Any
    ) -> ExecutionResult:
        problem = None
        try:
            transformed = self.transform_cell(raw_cell)
        except Exception as error:  # noqa: BLE001 - reported as the cell's error
            transformed, problem = raw_cell, sys.exc_info()
            if isinstance(error, SyntaxError):
                self._place(error, raw_cell)
        cell = self.run_cell_async(
            raw_cell, store_history=store_history, silent=silent, shell_futures=shell_futures,
            transformed_cell=transformed, preprocessing_exc_tuple=problem, cell_id=cell_id, cell_meta=cell_meta,
        )  # fmt: skip
        try:
            cell.send(None)
        except StopIteration as stop:
            return stop.value
        except BaseException as error:  # noqa: BLE001 - reported as the cell's error
            self.failure = error
            info = ExecutionInfo(raw_cell, store_history, silent, shell_futures, cell_id, cell_meta)
            result = ExecutionResult(info)
            result.error_in_exec = error
            return result
        raise RuntimeError("a cell waited outside the event loop")

    async def run_code(self, code_obj: Any, result: ExecutionResult | None = None, *, async_: bool = False) -> bool:
        hook, sys.excepthook = sys.excepthook, self.excepthook
        self.sys_excepthook = hook
        try:
            try:
                if async_:
                    task = event_loop.current_loop().create_task(eval(code_obj, self.user_global_ns, self.user_ns))
                    event_loop.wait_for_task(task)
                else:
                    exec(code_obj, self.user_global_ns, self.user_ns)
            finally:
                guard.restore_builtins()
        except BaseException as error:  # noqa: BLE001 - whatever the cell raises is its result
            if result is not None:
                result.error_in_exec = error
            self.showtraceback()
            return True
        finally:
            sys.excepthook = hook
        return False

    runcode = run_code

    def showtraceback(self, exc_tuple: Any = None, *_args: Any, **_options: Any) -> None:
        error = exc_tuple[1] if exc_tuple else sys.exception()
        formatter = sys._getframe(1).f_locals.get("self")
        if error is None or (isinstance(formatter, BaseFormatter) and not isinstance(formatter, PlainTextFormatter)):
            # The last error again (%tb), or a failed rich form of a value: shown, but not an error of this cell.
            shown = error or getattr(sys, "last_exc", None)
            sys.stderr.write("No traceback available to show.\n" if shown is None else errors.render(shown))
            return
        self.failure = error
        if not isinstance(error, (SystemExit, UsageError)):
            sys.last_exc = sys.last_value = error
            sys.last_type, sys.last_traceback = type(error), error.__traceback__

    def showsyntaxerror(self, filename: str | None = None, running_compiled_code: bool = False) -> None:
        self.showtraceback()

    def _format_exception_for_storage(self, exception: BaseException, *_args: Any, **_options: Any) -> dict[str, Any]:
        return {"ename": type(exception).__name__, "evalue": "", "traceback": []}

    def system(self, cmd: str) -> None:
        """Run a command in the sandbox's shell and show its output."""
        self.user_ns["_exit_code"] = shell_jobs.run_shown(self.var_expand(cmd, depth=1))

    system_raw = system_piped = system

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:
        """Run a command in the sandbox's shell and return its output."""
        output = shell_jobs.run_captured(self.var_expand(cmd, depth=depth + 1))
        return SList(output.splitlines()) if split else output

    def ask_exit(self) -> None:
        raise SystemExit(0)

    def enable_gui(self, gui: Any = None) -> None:
        raise NotImplementedError("there is no screen in this sandbox")


_METHODS = frozenset(name for name in dir(GuestShell) if callable(getattr(GuestShell, name, None)))


def _show_text(strng: Any, start: int = 0, screen_lines: int = 0, pager_cmd: Any = None) -> None:
    text = strng["text/plain"] if isinstance(strng, dict) else strng
    sys.stdout.write(f"{text}\n")
