"""The arguments that tools share, as clients see them in the schemas."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from cloche.sandbox.languages import Language as KnownLanguage
from cloche.sandbox.languages import languages, list_aliases


def _own_name(name: object) -> object:
    """The name of a language for one of its aliases; other words are returned as they are, and refused later."""
    lower = name.lower() if isinstance(name, str) else ""
    return lower if lower in languages() else list_aliases().get(lower, name)


def _list_languages(names: list[str]) -> dict[str, Any]:
    return {"enum": [*names, *(alias for name in names for alias in _short_names(languages()[name]))]}


def _short_names(language: KnownLanguage) -> list[str]:
    """The aliases that are listed, such as `js` and `node`: the first of each kind. All are understood."""
    first = dict.fromkeys((*language.extensions[:1], *language.commands[:1]))
    return [each for each in first if not each.lower().startswith(language.name)]


Language = Annotated[str, BeforeValidator(_own_name), Field(json_schema_extra=_list_languages(list(languages())))]
PackagedLanguage = Annotated[
    str,
    BeforeValidator(_own_name),
    Field(json_schema_extra=_list_languages([each.name for each in languages().values() if each.packages])),
]
PathField = Field(description="Path, relative to /workspace or absolute.", min_length=1)


class Arguments(BaseModel):
    """Arguments of every tool."""

    model_config = ConfigDict(extra="forbid")

    session: Annotated[
        str | None,
        Field(
            max_length=200,
            description="Name of another sandbox, to keep separate work apart. Leave it out to use your default one.",
        ),
    ] = None


class TimedArguments(Arguments):
    """Arguments of every tool that runs code."""

    timeout: Annotated[
        float | None,
        Field(
            gt=0,
            le=86400,
            description="Seconds after which the code is stopped; variables are kept.",
        ),
    ] = None
