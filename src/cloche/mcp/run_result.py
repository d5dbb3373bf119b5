"""The result of the tools that run code, as clients see it in the schemas."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field


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
    """The result of running code; empty and false fields are left out."""

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
