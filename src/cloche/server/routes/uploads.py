"""Files that users bring into a session."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from cloche.server.access.callers import Here, Wanted
from cloche.server.files.place import Place
from cloche.server.uploads.uploading import UploadOptions, UploadReport, take_upload
from cloche.server.wire import answer, describe

router = APIRouter(prefix="/sessions/{sid}/uploads", tags=["files"])

FORM = {
    "type": "object",
    "properties": {"files": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}}},
    "required": ["files"],
}


@router.post(
    "", **describe(told=UploadReport, body="multipart/form-data", schema=FORM, problems=(404, 409, 415, 422, 507))
)
async def upload_files(
    request: Request,
    wanted: Wanted,
    here: Here,
    path: Place,
    unpack: Annotated[bool, Query(description="zip archives, into the folder")] = False,
    overwrite: Annotated[bool, Query(description="files that are there")] = True,
) -> Response:
    """Bring files into a folder: each part with a file name. Those that are refused are listed with the reason."""
    options = UploadOptions(unpack=unpack, overwrite=overwrite)
    return answer(await take_upload(request, here, wanted, path, options))
