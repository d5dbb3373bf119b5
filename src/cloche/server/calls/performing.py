"""Calls the methods of a sandbox as clients ask for it."""

from pathlib import Path
from typing import assert_never, cast

import msgspec
from msgspec.structs import replace

from cloche.remote.verbs import (
    CheckComplete,
    Complete,
    Download,
    Inspect,
    Install,
    ListFiles,
    ListLanguages,
    MakeFolder,
    ReadFile,
    Remove,
    Reset,
    Save,
    SetEnv,
    ShowDiff,
    ShowInfo,
    TakeMark,
    Unload,
    Upload,
    WriteFile,
)
from cloche.sandbox.info import SandboxInfo
from cloche.sandbox.packages.package import Package
from cloche.sandbox.recorded_sandbox import RecordedSandbox
from cloche.server.calls.box_files import BoxStore, pack_files, read_file, save_box, unpack_files, write_file

FileQuery = ReadFile | ListFiles | Download | TakeMark | ShowDiff | Save
Query = Complete | CheckComplete | Inspect | ListLanguages | ShowInfo | FileQuery
"""What changes nothing, and is not recorded."""
Change = Install | Reset | Unload | SetEnv | WriteFile | Remove | MakeFolder | Upload
Plain = Query | Change


async def perform_query(query: Query, box: RecordedSandbox, store: BoxStore) -> object:
    """What the sandbox answers."""
    match query:
        case Complete(code, cursor, language):
            return await box.complete(code, cursor, language=language)
        case CheckComplete(code, language):
            return await box.is_complete(code, language=language)
        case Inspect(code, cursor, language):
            return await box.inspect(code, cursor, language=language)
        case ListLanguages():
            return await box.languages()
        case ShowInfo():
            return _hide_folders(box.info)
        case ReadFile() | ListFiles() | Download() | TakeMark() | ShowDiff() | Save():
            return await _query_files(query, box, store)
        case _:
            assert_never(query)


async def _query_files(query: FileQuery, box: RecordedSandbox, store: BoxStore) -> object:
    match query:
        case ListFiles(path, recursive):
            return await box.files(path, recursive=recursive)
        case ReadFile(path, limit):
            return await read_file(box, store, path, limit)
        case Download(path):
            return await pack_files(box, store, path)
        case TakeMark(path):
            return store.keep_mark(await box.mark(path))
        case ShowDiff(path, mark):
            return await box.diff(None if mark is None else store.find_mark(mark), path=path)
        case Save(python, files):
            return await save_box(box, store, python=python, files=files)
        case _:
            assert_never(query)


async def perform_change(change: Change, box: RecordedSandbox, store: BoxStore) -> object:
    """Change the sandbox; returns what the method returns."""
    match change:
        case Install(packages, language, upgrade):
            # As if the code inside had asked: no address is opened, and no file of this machine is read.
            added = await box.install(*packages, language=language, upgrade=upgrade, guest=True)
            return hide_blobs(added)
        case Reset(language):
            return await box.reset(language)
        case Unload(language):
            return await box.unload(language)
        case SetEnv(env):
            return await box.set_env(env)
        case WriteFile(path, data, blob):
            return await write_file(box, store, path, data, blob)
        case Remove(path, recursive):
            return await box.remove(path, recursive=recursive)
        case MakeFolder(path):
            return await box.mkdir(path)
        case Upload(path, blob):
            return await unpack_files(box, store, path, blob)
        case _:
            assert_never(change)


def describe_change(change: Change) -> dict[str, object]:
    """The arguments as they are recorded: without data, and without the values of variables."""
    match change:
        case WriteFile(path, data, blob):
            return {"path": path, **({} if blob else {"bytes": len(data)})}
        case Upload(path):
            return {"path": path}
        case SetEnv(env):
            return {"names": sorted(env)}
        case _:
            return msgspec.to_builtins({name: getattr(change, name) for name in change.__struct_fields__})


def describe_value(change: Change, value: object) -> str:
    """What is recorded of the answer."""
    if isinstance(change, Install):
        added = cast("list[Package]", value)
        return ", ".join(f"{each.name} {each.version}" for each in added) or "nothing new"
    return ""


def hide_blobs(packages: list[Package]) -> list[Package]:
    """Packages without their places on this machine."""
    return [replace(each, blob=Path(each.blob.name), at="") for each in packages]


def _hide_folders(info: SandboxInfo) -> SandboxInfo:
    return replace(info, folders=[replace(folder, host="") for folder in info.folders])
