"""The files of a session: list, read, write, move, remove, take away as an archive."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from msgspec import Meta, Struct
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from cloche.events import MkdirAction, MoveAction, RmAction, RmdirAction
from cloche.limits import MB, SERVER_LISTED
from cloche.sandbox.files.scratch import open_scratch
from cloche.server.access.callers import Here, Wanted
from cloche.server.files import downloads
from cloche.server.files.changing import change_files, find_file, write_file
from cloche.server.files.conditions import make_etag, read_condition
from cloche.server.files.listing import FileView, FolderListing, list_folder
from cloche.server.files.paths import LONGEST, PLAIN, find_path, shorten_path, telling_errors
from cloche.server.files.place import Place
from cloche.server.files.zips import list_packed, pack_files
from cloche.server.problems import Problem
from cloche.server.uploads.staging import stage_body
from cloche.server.wire import answer, body_of, describe

router = APIRouter(prefix="/sessions/{sid}/files", tags=["files"])

FAULTS = (404, 409, 422)


GivenPath = Annotated[str, Meta(max_length=LONGEST, pattern=PLAIN)]


class NewFolder(Struct, frozen=True, forbid_unknown_fields=True):
    """A folder to make, with its parents."""

    path: GivenPath


class Move(Struct, frozen=True, forbid_unknown_fields=True):
    """What is moved or renamed."""

    path: GivenPath
    destination: GivenPath
    overwrite: bool = False
    """Whether to replace what is there."""


@router.get("", **describe(told=FolderListing, problems=FAULTS))
async def list_files(
    wanted: Wanted,
    path: Place,
    recursive: Annotated[bool, Query(description="also what is in the folders below")] = False,
    limit: Annotated[int, Query(ge=1, le=SERVER_LISTED)] = 1000,
) -> Response:
    """What is in a folder, folders first."""
    async with wanted.use() as session:
        return answer(await list_folder(session.runtime.files, path, recursive=recursive, limit=limit))


@router.get("/info", **describe(told=FileView, problems=FAULTS))
async def show_file(wanted: Wanted, path: Place) -> Response:
    """What is at a path: its kind, its size, its time."""
    return answer(await find_file(wanted, path))


@router.get(
    "/content",
    **describe(
        media="*/*",
        problems=(*FAULTS, 406, 416),
        also={206: "A part of the file", 304: "The file is as the client has it"},
    ),
)
async def read_file(
    request: Request,
    wanted: Wanted,
    path: Place,
    text: Annotated[bool, Query(description="as text in UTF-8, or not at all")] = False,
    download: Annotated[bool, Query(description="for a browser to save, not to show")] = False,
) -> Response:
    """The bytes of a file, whole or the `Range` that is asked for."""
    async with wanted.use() as session:
        with telling_errors(path):
            opened = await session.runtime.files.open(path)
    if text:
        return PlainTextResponse(await downloads.read_text(opened, shorten_path(path)), headers=downloads.ISOLATED)
    way = "attachment" if download else "inline"
    return await downloads.send_file(wanted, opened, path, request.headers, way)


@router.put("/content", **describe(told=FileView, body=downloads.BINARY, problems=(*FAULTS, 412, 507)))
async def write_content(request: Request, wanted: Wanted, here: Here, path: Place) -> Response:
    """Create or replace a file, and its parents. Text is on record as the action `write`, other bytes as an upload.

    With `If-Match` only if the file is as the client knows it, with `If-None-Match: *` only if it is not there.
    """
    room = await here.manager.disk.find_room(wanted.owner)
    async with open_scratch("upload") as folder:
        staged = await stage_body(request, folder / "body", min(room, int(here.config.server.upload_mb * MB)))
        written = await write_file(wanted, staged, path, read_condition(request.headers))
    here.manager.disk.add(wanted.owner, staged.size)
    return answer(written, headers={"etag": make_etag(written.modified, written.size)})


@router.delete("", **describe(status=204, problems=FAULTS))
async def remove_file(
    wanted: Wanted,
    path: Place,
    recursive: Annotated[bool, Query(description="a folder that is not empty too")] = False,
) -> Response:
    """Remove a file or a folder."""
    found = await find_file(wanted, path)
    if not found.path:
        raise Problem(409, "conflict", "the workspace itself stays", fix="Remove what is in it.")
    await change_files(wanted, RmdirAction(path, recursive) if found.kind == "dir" else RmAction(path), path)
    return Response(status_code=204)


@router.post("/folders", **describe(NewFolder, FileView, status=201, problems=FAULTS))
async def make_folder(wanted: Wanted, given: Annotated[NewFolder, Depends(body_of(NewFolder))]) -> Response:
    """Make a folder and its parents; it may exist."""
    path = find_path(given.path)
    await change_files(wanted, MkdirAction(path), path)
    return answer(await find_file(wanted, path), 201)


@router.post("/move", **describe(Move, FileView, problems=FAULTS))
async def move_file(wanted: Wanted, given: Annotated[Move, Depends(body_of(Move))]) -> Response:
    """Move or rename a file or a folder."""
    path, destination = find_path(given.path), find_path(given.destination)
    await change_files(wanted, MoveAction(path, destination, given.overwrite), path)
    return answer(await find_file(wanted, destination))


@router.get("/zip", **describe(media="application/zip", problems=FAULTS))
async def zip_folder(wanted: Wanted, path: Place) -> Response:
    """A folder as a zip archive, without links that lead to folders or out."""
    async with wanted.use() as session:
        files = session.runtime.files
        packed = await list_packed(files, path)
    headers = downloads.name_file("attachment", f"{shorten_path(path) or 'workspace'}.zip")
    return StreamingResponse(downloads.keep_open(wanted, pack_files(files, packed)), 200, headers, "application/zip")
