"""Bodies of requests and answers: msgspec reads and writes them, and describes them for OpenAPI."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast, get_args

import anyio
import msgspec
from msgspec import Meta
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from cloche.limits import SERVER_BODY_LIMIT, SERVER_STALL
from cloche.sandbox.languages import languages
from cloche.server.problems import MEDIA_TYPE, TITLES, Problem, ProblemDetails

T = TypeVar("T")
LANGUAGES = {"enum": list(languages())}
LanguageName = Annotated[str, Meta(extra_json_schema=LANGUAGES)]
"""The name of a language; the sandbox refuses others, and says which it knows."""

SCHEMAS: dict[str, Any] = {"ProblemDetails": ProblemDetails}
"""The types that routes speak of, by name; filled where they are declared."""
REFERENCE = "#/components/schemas/{name}"
PROBLEM_SCHEMA = {"$ref": REFERENCE.format(name=ProblemDetails.__name__)}
BYTES = {"type": "string", "format": "binary"}
ALWAYS = (400, 401, 403, 408, 413, 421, 422, 429, 503)
"""What any request may be answered with."""


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def body_of(kind: type[T], limit: int = SERVER_BODY_LIMIT) -> Callable[[Request], Awaitable[T]]:
    """What reads the body of a request, for `Depends`."""
    decoder = msgspec.json.Decoder(kind)

    async def read(request: Request) -> T:
        given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if given != "application/json":
            raise Problem(415, "media_type", f"the body is {given or 'of no type'}", fix="Send application/json.")
        data = await read_body(request, limit)
        try:
            return _decode(decoder, data)
        except msgspec.ValidationError as error:
            raise Problem(422, "invalid", str(error)) from error
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise Problem(400, "malformed", f"the body is no JSON: {error}") from error

    return read


def _decode(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        # In JSON, 1.0 is an integer too.
        return msgspec.convert(_with_integers(msgspec.json.decode(data)), decoder.type)


def _with_integers(value: Any) -> Any:
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [_with_integers(each) for each in cast("list[Any]", value)]
        case dict():
            return {key: _with_integers(each) for key, each in cast("dict[str, Any]", value).items()}
        case _:
            return value


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request, if it is not larger than this many bytes."""
    return b"".join([part async for part in stream_body(request, limit)])


async def stream_body(request: Request, limit: int, *, fix: str = "") -> AsyncGenerator[bytes]:
    """The body of a request in pieces, if it is not larger than this many bytes; `fix` is for who sends more."""
    size, parts = 0, request.stream()
    try:
        while True:
            with anyio.fail_after(SERVER_STALL):
                part = await anext(parts, None)
            if part is None:
                return
            size += len(part)
            if size > limit:
                raise Problem(413, "too_large", f"the body has more than {limit} bytes", fix=fix)
            yield part
    except TimeoutError as error:
        raise Problem(408, "slow_body", f"nothing of the body came for {SERVER_STALL:g} s") from error
    except ClientDisconnect as error:
        # Nobody hears it, but nothing of an incomplete body is used.
        raise Problem(400, "incomplete", "the client went before its request was complete") from error


def describe(
    given: Any = None,
    told: Any = None,
    *,
    status: int = 200,
    problems: Sequence[int] = (),
    media: str = "",
    body: str = "",
    schema: Any = BYTES,
    also: Mapping[int, str] = MappingProxyType({}),
    public: bool = False,
) -> dict[str, Any]:
    """Options of a route: the types of its body and of its answer, and how it may fail.

    `media` is the type of an answer that is no JSON, `body` that of such a body, with its `schema`; `also` are other
    ways to succeed. What is `public` needs no token.
    """
    responses: dict[int | str, dict[str, Any]] = {
        each: {"description": TITLES[each], "content": {MEDIA_TYPE: {"schema": PROBLEM_SCHEMA}}}
        for each in sorted({*ALWAYS, *problems, *((415,) if given is not None else ())})
    }
    content: dict[str, Any] = {media: {"schema": BYTES}} if media else {}
    if told is not None:
        content = {"application/json": {"schema": _refer(told)}}
    for number, text in ((status, "Done"), *also.items()):
        responses[number] = {"description": text, **({"content": content} if content else {})}
    options: dict[str, Any] = {"responses": responses, "status_code": status, "response_class": Response}
    extra: dict[str, Any] = {"security": []} if public else {}
    if given is not None or body:
        accepted = {body: {"schema": schema}} if body else {"application/json": {"schema": _refer(given)}}
        extra["requestBody"] = {"required": True, "content": accepted}
    options["openapi_extra"] = extra
    return options


def list_schemas() -> dict[str, Any]:
    """The schemas of all types that routes speak of."""
    return msgspec.json.schema_components(SCHEMAS.values(), ref_template=REFERENCE)[1]


def _refer(kind: Any) -> dict[str, Any]:
    """A schema for this type: Structs by name, everything else in place."""
    for each in _find_structs(kind):
        SCHEMAS[each.__name__] = each
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return schema


def _find_structs(kind: Any) -> list[type[msgspec.Struct]]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [found for each in get_args(kind) for found in _find_structs(each)]
