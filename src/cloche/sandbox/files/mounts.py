"""Host folders that a guest sees below /mnt: how mounts are written, named and checked."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from cloche.errors import ConfigError
from cloche.sandbox.files.guest_files import Folder

PARENT = "/mnt/"

_NAME_LIMIT = 255
_KERNEL = ("/proc", "/sys", "/dev")


class Mount(msgspec.Struct, frozen=True):
    """A host folder that the guest can read and write directly."""

    host: str | Path
    target: str | None = None
    """Where the guest sees it, below /mnt; by default named after the host path."""
    read_only: bool = False


def parse_mount(text: str) -> Mount:
    """Parse a mount of the command line: HOST[:TARGET][:ro]."""
    rest, read_only = text, False
    if text.endswith((":ro", ":rw")):
        rest, read_only = text[:-3], text.endswith(":ro")
    drive = re.match(r"[A-Za-z]:\\" if os.name == "posix" else r"[A-Za-z]:[\\/]", rest)
    start = drive.end() if drive else 0
    host, colon, target = rest[start:].rpartition(":")
    if not colon:
        host, target = target, ""
    if not rest or (colon and not (host and target.startswith("/"))):
        raise ConfigError(f"{text!r} is no mount: write HOST, HOST:ro, HOST:/mnt/NAME or HOST:/mnt/NAME:ro")
    return Mount(str(_resolve_host(rest[:start] + host)), target or None, read_only)


def plan_mounts(mounts: Sequence[Mount], own: Sequence[str | Path] = ()) -> list[Folder]:
    """Give each mount its path below /mnt, second spellings included; `own` are the sandbox's folders on the host."""
    hosts = [_check_host(mount, own) for mount in mounts]
    folders = [
        Folder(PARENT + name, str(host), mount.read_only)
        for name, host, mount in zip(_name_mounts(mounts), hosts, mounts, strict=True)
    ]
    return [*folders, *_list_aliases(mounts, folders)]


def mount_name(host: str | Path) -> str:
    """The name below /mnt of a host path: `/home/user/my data` is `_home_user_my_data`."""
    return re.sub(r"[^\w.-]", "_", Path(os.path.normpath(_resolve_host(host))).as_posix())


def _name_mounts(mounts: Sequence[Mount]) -> list[str]:
    """Explicit targets first, then host paths in their order; equal names are numbered."""
    taken = _check_targets([mount.target for mount in mounts if mount.target is not None])
    wanted = [mount_name(mount.host) for mount in mounts if mount.target is None]
    names: list[str] = []
    for mount in mounts:
        if mount.target is None:
            name = _find_free(mount_name(mount.host), taken, wanted)
            taken.add(name)
        else:
            name = str(PurePosixPath(mount.target)).removeprefix(PARENT)
        if max(len(part.encode()) for part in name.split("/")) > _NAME_LIMIT:
            raise ConfigError(f"the name {PARENT}{name} is too long: give the mount a target such as {PARENT}data")
        names.append(name)
    return names


def _find_free(name: str, taken: set[str], wanted: Sequence[str]) -> str:
    # An explicit target may be deeper: /mnt/a/b takes /mnt/a as well.
    used = {part for path in taken for part in (path, path.split("/", 1)[0])}
    if name not in used:
        return name
    number = 2
    while f"{name}_{number}" in used or f"{name}_{number}" in wanted:
        number += 1
    return f"{name}_{number}"


def _list_aliases(mounts: Sequence[Mount], folders: Sequence[Folder]) -> Iterator[Folder]:
    """Default names with `-` and `.` can also be written with `_`, unless another mount has that name."""
    taken = [folder.target for folder in folders]
    for mount, folder in zip(mounts, folders, strict=True):
        alias = PARENT + re.sub(r"[.-]", "_", folder.target.removeprefix(PARENT))
        if mount.target is None and not any(_is_within(alias, other) or _is_within(other, alias) for other in taken):
            taken.append(alias)
            yield Folder(alias, folder.host, folder.read_only, alias_of=folder.target)


def _check_targets(targets: Sequence[str]) -> set[str]:
    checked: list[str] = []
    for target in targets:
        path = PurePosixPath(target)
        if ".." in path.parts or "\0" in target or not _is_within(str(path), PARENT.rstrip("/")) or str(path) == "/mnt":
            raise ConfigError(f"the target {target!r} is not below {PARENT}: write {PARENT}NAME, without '..'")
        for other in checked:
            if str(path) == other:
                raise ConfigError(f"two mounts have the target {target}: give one of them another")
            if _is_within(str(path), other) or _is_within(other, str(path)):
                raise ConfigError(f"the targets {other} and {target} lie in each other: put them side by side")
        checked.append(str(path))
    return {path.removeprefix(PARENT) for path in checked}


def _check_host(mount: Mount, own: Sequence[str | Path]) -> Path:
    given = _resolve_host(mount.host)
    try:
        info = given.stat()
    except OSError as error:
        raise ConfigError(f"cannot mount {given}: {error.strerror}; make the folder or correct the path") from None
    if not stat.S_ISDIR(info.st_mode):
        raise ConfigError(f"{given} is a file, only folders can be mounted: mount {given.parent} or copy the file in")
    real = given.resolve()
    if real == Path(real.anchor):
        raise ConfigError(f"{given} is the whole file system: mount the folder that is needed")
    if any(_is_within(str(real), kernel) for kernel in _KERNEL) and not _is_within(str(real), "/dev/shm"):
        raise ConfigError(f"{given} belongs to the kernel and would open the sandbox: mount a folder of files")
    for folder in own:
        mine = Path(folder).resolve()
        if real.is_relative_to(mine) or mine.is_relative_to(real):
            raise ConfigError(f"{given} holds, or lies in, the sandbox's own folder {mine}: mount another folder")
    return real


def _resolve_host(host: str | Path) -> Path:
    try:
        return Path(host).expanduser().absolute()
    except RuntimeError as error:
        raise ConfigError(f"cannot mount {host}: {error}") from None


def _is_within(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)
