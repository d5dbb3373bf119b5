"""Saves a running sandbox to a file, and restores a new one from it."""

import logging
import re
import secrets
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio import to_thread

from cloche.errors import PackageDamaged, SandboxUnavailable, SavedStateError
from cloche.limits import MB
from cloche.sandbox.cache import snapshots
from cloche.sandbox.cache.packs import pack_dir
from cloche.sandbox.files.host_folders import HostFolders
from cloche.sandbox.languages import languages
from cloche.sandbox.packages.installer import Installer
from cloche.sandbox.packages.package import Package
from cloche.sandbox.packages.package_archives import PackageArchives
from cloche.sandbox.process.host_requests import HostRequest
from cloche.sandbox.saving.packed_files import list_own_folders, pack_files, unpack_files
from cloche.sandbox.saving.saved import (
    MemoryImage,
    Saved,
    SavedIndex,
    SavedMemory,
    SavedPackage,
    SavedSection,
    SavedWriter,
    check_savable,
    check_section,
    copy_section,
    read_index,
)

log = logging.getLogger(__name__)

AskState = Callable[[str, str], Awaitable[dict[str, Any]]]
"""Asks a language for its state; it sends its memory under this key."""

HEADROOM_MB = 64
"""Bytes that an image may have besides the memory, and memory beyond its limit."""

_IMAGE_HEAD = struct.Struct("<2I")
_PACKAGE = re.compile(r"[A-Za-z0-9_][\w.+-]{0,200}", re.ASCII)


class RestoredState(msgspec.Struct, frozen=True):
    """What a restored sandbox starts with."""

    env: dict[str, str]
    shell: str | None
    packages: list[dict[str, str]]
    images: dict[str, MemoryImage]
    """Memory to restore, by language."""


class SandboxSaver:
    """Accepts the memory that a language sends, only after the host has asked for it."""

    def __init__(self, home: HostFolders, installer: Installer, memory_mb: int) -> None:
        self._folders = home
        self._installer = installer
        self._memory_mb = memory_mb
        self._open: tuple[str, SavedWriter, int] | None = None
        self._image: SavedSection | None = None

    async def save_memory(self, request: HostRequest) -> None:
        """Answers a language, which may lie: only a request with the key is accepted, and once."""
        opened, self._open = self._open, None
        if opened is None or request.content.get("key") != opened[0]:
            raise SandboxUnavailable("nothing is being saved")
        _, writer, memory_mb = opened
        room = (memory_mb * 5 // 4 + HEADROOM_MB) * MB
        writer.begin()
        async for piece in request.body():
            room -= len(piece)
            if room < 0:
                raise SavedStateError("cannot save: a language sent more than its memory can hold")
            await to_thread.run_sync(writer.write, piece)
        self._image = writer.end()
        request.answer(None)

    async def save(self, saved: Saved, ask_state: AskState, env: Mapping[str, str], used: Sequence[str]) -> Saved:
        """Save everything; nothing may run in the sandbox meanwhile. `used` are the languages that have a state."""
        writer = await to_thread.run_sync(SavedWriter, saved.path)
        try:
            image = await self._save_python(writer, ask_state) if saved.python else None
            memories = await self._save_others(writer, ask_state, used) if saved.python else {}
            shell = (await ask_state("bash", "")).get("shell")
            index = SavedIndex("", dict(env), shell if isinstance(shell, str) else None, image, memories=memories)
            await to_thread.run_sync(self._save_rest, writer, saved, index)
            left_out = [each for each in used if each not in memories and _is_lost(each)] if saved.python else ()
            return msgspec.structs.replace(saved, without=tuple(left_out))
        finally:
            self._open = None
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(writer.close)

    async def _save_python(self, writer: SavedWriter, ask_state: AskState) -> SavedSection | None:
        reply = await self._ask_memory(writer, ask_state, "python", self._memory_mb)
        if refused := reply.get("refused"):
            raise SavedStateError(
                f"cannot save: {str(refused)[:500]}; or save the files and the shell only: save(path, python=False)"
            )
        if reply.get("unused"):
            return None
        if self._image is None:
            raise SavedStateError("cannot save: Python did not send its memory")
        return self._image

    async def _save_others(
        self, writer: SavedWriter, ask_state: AskState, used: Sequence[str]
    ) -> dict[str, SavedMemory]:
        """The memory of the other languages, as far as it can be saved."""
        memories: dict[str, SavedMemory] = {}
        for language in used:
            if languages()[language].saved == "memory":
                reply = await self._ask_memory(writer, ask_state, language, languages()[language].memory)
                if self._image is None:
                    log.info("the variables of %s are not saved: %s", language, str(reply.get("refused"))[:500])
                else:
                    memories[language] = SavedMemory(pack_dir(language).name, self._image)
        return memories

    async def _ask_memory(
        self, writer: SavedWriter, ask_state: AskState, language: str, memory_mb: int
    ) -> dict[str, Any]:
        key = secrets.token_hex(16)
        self._open, self._image = (key, writer, memory_mb), None
        return await ask_state(language, key)

    def _save_rest(self, writer: SavedWriter, saved: Saved, index: SavedIndex) -> None:
        writer.begin()
        entries = pack_files(list_own_folders(self._folders.folders), writer.write) if saved.files else []
        data = writer.end()
        packages, roots = self._installer.everything
        whole = msgspec.structs.replace(
            index,
            engine=snapshots.snapshot_key(),
            entries=entries,
            data=data,
            packages=[_save_package(writer, package) for package in packages],
            roots=roots,
        )
        check_savable(whole)
        writer.finish(whole)

    async def restore(self, saved: Saved) -> RestoredState:
        """Put files and packages into the folders of a sandbox that has not started; returns what it starts with."""
        try:
            index = await to_thread.run_sync(read_index, saved.path)
            images = await to_thread.run_sync(self._find_images, saved, index)
            packages = await to_thread.run_sync(self._unpack, saved, index)
            await self._installer.adopt(packages, index.roots)
            placed = await to_thread.run_sync(PackageArchives(self._folders.packages).place, packages)
        except (OSError, ValueError, OverflowError, RecursionError, PackageDamaged) as error:
            raise SavedStateError(f"the saved sandbox {saved.path} could not be unpacked: {error}") from error
        return RestoredState(index.env, index.shell, placed, images)

    def _unpack(self, saved: Saved, index: SavedIndex) -> list[Package]:
        if saved.files and index.data is not None:
            check_section(saved.path, index.data)
            own = list_own_folders(self._folders.folders, workspace=not self._folders.lent)
            with saved.path.open("rb") as file:
                file.seek(index.data.at)
                unpack_files(own, index.entries, file)
        return [self._unpack_package(saved, each) for each in index.packages]

    def _find_images(self, saved: Saved, index: SavedIndex) -> dict[str, MemoryImage]:
        if not saved.python:
            return {}
        others = {name: memory for name, memory in index.memories.items() if name in languages()}
        fits = all(memory.pack == pack_dir(name).name for name, memory in others.items())
        if (index.image or others) and (index.engine != snapshots.snapshot_key() or not fits):
            raise SavedStateError(
                f"the variables in {saved.path} were saved by another version of Cloche and cannot be used by this "
                f"one; its files and its shell can: from_=cloche.Saved({str(saved.path)!r}, python=False)"
            )
        images = {name: self._check_image(saved, memory.data) for name, memory in others.items()}
        return {**images, "python": self._find_python(saved, index.image)} if index.image else images

    def _check_image(self, saved: Saved, part: SavedSection) -> MemoryImage:
        check_section(saved.path, part)
        return MemoryImage(saved.path.resolve(), part.at)

    def _find_python(self, saved: Saved, part: SavedSection) -> MemoryImage:
        image = self._check_image(saved, part)
        with saved.path.open("rb") as file:
            file.seek(part.at)
            _, size = _IMAGE_HEAD.unpack(file.read(_IMAGE_HEAD.size).ljust(_IMAGE_HEAD.size, b"\0"))
        if part.size < _IMAGE_HEAD.size:
            raise SavedStateError(f"the saved sandbox {saved.path} is damaged: save it again")
        if size > self._memory_mb * MB:
            raise SavedStateError(
                f"memory_mb={self._memory_mb} is too little for the variables in {saved.path}: give {-(-size // MB)}"
            )
        return image

    def _unpack_package(self, saved: Saved, each: SavedPackage) -> Package:
        file = each.package.blob
        if not _PACKAGE.fullmatch(str(file)):
            raise ValueError(f"{file} is no name of a package's file")
        check_section(saved.path, each.data)
        target = self._folders.packages / file
        with target.open("wb") as blob:
            copy_section(saved.path, each.data, blob.write)
        return msgspec.structs.replace(each.package, blob=target)


def _save_package(writer: SavedWriter, package: Package) -> SavedPackage:
    writer.begin()
    with package.blob.open("rb") as file:
        while piece := file.read(MB):
            writer.write(piece)
    return SavedPackage(msgspec.structs.replace(package, blob=Path(package.blob.name)), writer.end())


def _is_lost(language: str) -> bool:
    """Whether a language's variables are saved with its memory, or not at all."""
    return languages()[language].saved in ("memory", None)
