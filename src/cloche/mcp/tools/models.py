"""The arguments and results of the tools, as clients see them in the schemas."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from cloche.sandbox.languages import aliases, languages

ALIASES = ("py", "sh", "js", "node", "ts", "rb")
"""Other names of languages that are listed; more are understood."""


def _own_name(name: object) -> object:
    """The language's own name for one of its aliases; anything else as it is, to be refused with the nearest one."""
    lower = name.lower() if isinstance(name, str) else ""
    return lower if lower in languages() else aliases().get(lower, name)


def _listed(names: list[str]) -> dict[str, Any]:
    return {"enum": [*names, *(alias for alias in ALIASES if aliases()[alias] in names)]}


Language = Annotated[str, BeforeValidator(_own_name), Field(json_schema_extra=_listed(list(languages())))]
PackagedLanguage = Annotated[
    str,
    BeforeValidator(_own_name),
    Field(json_schema_extra=_listed([each.name for each in languages().values() if each.packages])),
]


class Arguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(extra="forbid")

    session: Annotated[
        str | None,
        Field(
            max_length=200,
            description="Name of another sandbox, to keep separate work apart. Leave it out to use your default one.",
        ),
    ] = None


class Timed(Arguments):
    """What every tool takes that runs code."""

    timeout: Annotated[
        float | None,
        Field(
            gt=0,
            le=86400,
            description="Seconds after which the code is stopped; variables are kept.",
        ),
    ] = None


class RunPython(Timed):
    code: Annotated[str, Field(description="Python source, as in a notebook cell.")]


class RunBash(Timed):
    command: Annotated[str, Field(description="Commands for bash; several lines are fine.")]
    stdin: Annotated[str | None, Field(description="What the command reads from standard input.")] = None


class RunCode(Timed):
    language: Annotated[Language, Field(description="The language of the code.")]
    code: Annotated[str, Field(description="Source in that language.")]
    stdin: Annotated[str | None, Field(description="What the program reads from standard input.")] = None


PathField = Field(description="Path, relative to /workspace or absolute.", min_length=1)


class ReadFile(Arguments):
    path: Annotated[str, PathField]
    first_line: Annotated[int | None, Field(ge=1, description="First line to read, from 1.")] = None
    last_line: Annotated[int | None, Field(ge=1, description="Last line to read, itself included.")] = None


class WriteFile(Arguments):
    path: Annotated[str, PathField]
    content: Annotated[str, Field(description="The whole content of the file.")]
    encoding: Annotated[Literal["utf-8", "base64"], Field(description="`base64` for binary data.")] = "utf-8"


class EditFile(Arguments):
    path: Annotated[str, PathField]
    command: Annotated[
        Literal["str_replace", "insert", "undo_edit"],
        Field(description="What to do."),
    ] = "str_replace"
    old_str: Annotated[
        str | None,
        Field(description="For str_replace: the text to replace, exactly as in the file."),
    ] = None
    new_str: Annotated[str | None, Field(description="The new text.")] = None
    insert_line: Annotated[
        int | None, Field(ge=0, description="For insert: the line after which to insert; 0 for the beginning.")
    ] = None


class ListFiles(Arguments):
    path: Annotated[str, Field(description="The folder.")] = "/workspace"
    recursive: Annotated[bool, Field(description="Also list the folders below it.")] = False


class InstallPackages(Arguments):
    packages: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=100,
            description="Names with optional versions, such as `numpy` or `attrs>=23`.",
        ),
    ]
    language: Annotated[PackagedLanguage, Field(description="The language they are for.")] = "python"


class Reset(Arguments):
    language: Annotated[
        Language | None,
        Field(description="Restart only this language and keep files; leave it out to throw everything away."),
    ] = None


class ExecuteAction(Arguments):
    event: Annotated[
        dict[str, Any],
        Field(
            description='Such as {"action": "run", "args": {"command": "ls"}}. One that is sent again with the same '
            "id, or the same key under `cloche`, is not executed again."
        ),
    ]


class Failure(BaseModel):
    type: str
    message: str
    line: int | None = None
    column: int | None = None
    traceback: str = ""


class Table(BaseModel):
    """A table that was shown, such as a data frame; numbers are as they were printed."""

    columns: list[str]
    rows: list[list[str]]
    cut: Annotated[bool, Field(description="Whether it has more rows or columns than these.")] = False
    total_rows: int | None = None


class RunResult(BaseModel):
    """What came of running code; what is empty or false is left out."""

    ok: Annotated[bool, Field(description="Whether it came to its end without an error.")]
    language: str
    value: Annotated[str | None, Field(description="The value of the last expression, if there is one.")] = None
    stdout: str = ""
    stderr: str = ""
    error: Failure | None = None
    exit_code: int
    timed_out: bool = False
    state: Annotated[
        Literal["kept", "lost"], Field(description="`lost` if variables are gone because it could only be stopped so.")
    ]
    truncated: Annotated[bool, Field(description="Whether output was left out because there was too much.")] = False
    notice: Annotated[str, Field(description="What else to know, such as that this is a new sandbox.")] = ""
    displayed: Annotated[list[str], Field(description="What was displayed, as text; pictures come apart.")] = []
    tables: list[Table] = []
    duration_ms: int


class FileText(BaseModel):
    path: str
    size: Annotated[int, Field(description="Bytes of the whole file.")]
    mime_type: str
    text: Annotated[str | None, Field(description="Its text, or the lines that were asked for.")] = None
    truncated: Annotated[bool, Field(description="Whether the middle was left out: ask for lines.")] = False


class WriteResult(BaseModel):
    path: str
    size: int


class EditResult(BaseModel):
    path: str
    diff: Annotated[str, Field(description="What changed, as a unified diff.")]


class Entry(BaseModel):
    path: str
    kind: Literal["file", "dir", "link", "other"]
    size: int


class FileListing(BaseModel):
    path: str
    files: list[Entry]
    truncated: Annotated[bool, Field(description="Whether there are more than these.")] = False


class InstalledPackage(BaseModel):
    name: str
    version: str


class InstallResult(BaseModel):
    language: str
    packages: Annotated[list[InstalledPackage], Field(description="What is new, requirements included.")]


class InterruptResult(BaseModel):
    interrupted: Annotated[bool, Field(description="Whether anything was running.")]


class ResetResult(BaseModel):
    reset: Annotated[str, Field(description="What is fresh now: a language, or `everything`.")]
