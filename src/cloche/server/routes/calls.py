"""Calls of a session's sandbox by programs that use it as their own: `cloche.connect`, and the runtime `remote`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import Response, StreamingResponse

from cloche.limits import CALL_BODY, MB
from cloche.remote.calls import MEDIA_TYPE, BlobReceipt, CallRequest, InputAnswer
from cloche.remote.sessions import Interrupted
from cloche.remote.verbs import Act
from cloche.server.access.callers import Here, Wanted
from cloche.server.calls.blobs import read_blob
from cloche.server.problems import Problem
from cloche.server.wire import answer, body_of, describe

router = APIRouter(prefix="/sessions/{sid}", tags=["calls"])

BINARY = "application/octet-stream"
Key = Annotated[str, Path(pattern="^[0-9A-Za-z_.-]{1,200}$", description="the key of a call")]
Name = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="a name that the client has chosen")]


@router.post("/calls", **describe(CallRequest, media=MEDIA_TYPE, problems=(404, 409)))
async def call(
    wanted: Wanted, here: Here, given: Annotated[CallRequest, Depends(body_of(CallRequest, CALL_BODY))]
) -> Response:
    """Make a call; the answer comes line by line while it is made. With the same `key` it goes on, after `after`."""
    opened = here.calls.open(wanted, given)
    return StreamingResponse(opened.log.read(given.after), media_type=MEDIA_TYPE, headers={"x-accel-buffering": "no"})


@router.post("/calls/{key}/input", **describe(InputAnswer, problems=(404,), status=204))
async def answer_input(
    wanted: Wanted, here: Here, key: Key, given: Annotated[InputAnswer, Depends(body_of(InputAnswer))]
) -> Response:
    """Answer the question that the code of a call asks."""
    here.calls.find(wanted, key).take_answer(given)
    return Response(status_code=204)


@router.post("/calls/{key}/interrupt", **describe(told=Interrupted, problems=(404,)))
async def interrupt_call(wanted: Wanted, here: Here, key: Key) -> Response:
    """Stop the code that a call runs, as Ctrl-C does; its answer says how it ended."""
    found = here.calls.find(wanted, key)
    stopped = await (wanted.interrupt() if isinstance(found.request.call, Act) else found.interrupt())
    return answer(Interrupted(stopped))


@router.delete("/calls/{key}", **describe(problems=(404,), status=204))
async def abandon_call(wanted: Wanted, here: Here, key: Key) -> Response:
    """Stop a call whose answer nobody wants any more."""
    here.calls.find(wanted, key).abandon()
    return Response(status_code=204)


@router.put("/blobs/{name}", **describe(told=BlobReceipt, body=BINARY, problems=(404, 413, 415, 507)))
async def put_blob(request: Request, wanted: Wanted, here: Here, name: Name) -> Response:
    """Send data that is too long for a call, before it."""
    if request.headers.get("content-type", "") != BINARY:
        raise Problem(415, "media_type", "the body is of another type, or missing", fix=f"Send {BINARY}.")
    room = await here.manager.disk.find_room(wanted.owner)
    limit = min(int(here.config.server.upload_mb * MB), room)
    blob = await here.calls.of(wanted).store.blobs.take_in(request, name, limit)
    here.manager.disk.add(wanted.owner, blob.size)
    return answer(BlobReceipt(blob.name, blob.size))


@router.get("/blobs/{name}", **describe(media=BINARY, problems=(404,)))
async def get_blob(wanted: Wanted, here: Here, name: Name) -> Response:
    """Fetch data that is too long for an answer, after it."""
    blob = here.calls.of(wanted).store.blobs.find(name)
    return StreamingResponse(read_blob(blob), media_type=BINARY, headers={"content-length": str(blob.size)})


@router.delete("/blobs/{name}", **describe(status=204, problems=(404,)))
async def delete_blob(wanted: Wanted, here: Here, name: Name) -> Response:
    """Say that data is not needed any more."""
    await here.calls.of(wanted).store.blobs.remove(name)
    return Response(status_code=204)
