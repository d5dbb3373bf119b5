"""A sandbox's folders on the host: created when it starts, removed when it ends."""

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from cloche.errors import ConfigError
from cloche.sandbox.changes.tracker import ChangeTracker
from cloche.sandbox.files.guest_files import Folder, GuestFiles
from cloche.sandbox.files.mounts import Mount, plan_mounts
from cloche.sandbox.files.scratch import make_scratch, remove_scratch

WORKSPACE = "/workspace"


class _HostFileChange(msgspec.Struct, frozen=True):
    """A change of files that the sandbox may not make itself; `path` is the host's."""

    kind: Literal["link", "chmod"]
    path: str
    target: str = ""
    mode: int = 0


class HostFolders:
    """Workspace, /tmp, home folder and mounts of one sandbox."""

    def __init__(self, workspace: str | Path | None, mounts: Sequence[Mount], *, track: bool = False) -> None:
        self._workspace = workspace
        self._mounts = mounts
        self._track = track
        self._tracker: ChangeTracker | None = None
        self._scratch: Path | None = None
        self._folders: list[Folder] = []
        self._files: GuestFiles | None = None
        self._kept: Path | None = None

    def keep_workspace(self, folder: Path) -> None:
        """Use this folder, which belongs to this sandbox alone and outlives it; made if it is missing."""
        if self._scratch is not None or self._workspace is not None:
            raise ValueError(f"{folder} cannot become the workspace of a sandbox that has one already")
        self._kept = folder

    @property
    def kept(self) -> Path | None:
        """The folder that outlives the sandbox."""
        return self._kept

    def open(self) -> None:
        """Create the temporary folders; does nothing the second time."""
        if self._scratch is not None:
            return
        workspace = _check_workspace(self._workspace) if self._workspace is not None else None
        mounts = plan_mounts(self._mounts, [workspace] if workspace else [])
        used = False
        if self._kept is not None:
            used = not _make_folder(self._kept)
            self._kept = self._kept.resolve()
        self._scratch = make_scratch()
        for name in ("workspace", "tmp", "home", "packages", "c"):
            (self._scratch / name).mkdir(mode=0o700)
        self._folders = [
            Folder(WORKSPACE, str(workspace or self._kept or self._scratch / "workspace")),
            Folder("/tmp", str(self._scratch / "tmp")),
            Folder("/home/user", str(self._scratch / "home")),
            *mounts,
        ]
        self._files = GuestFiles(self._folders)
        self._tracker = ChangeTracker(self._files.enter, self._scratch / "marks")
        empty = workspace is None and not used
        if self._track or empty:
            self._tracker.begin(WORKSPACE, empty=empty)
        for mount in mounts if self._track else ():
            if not mount.read_only and mount.alias_of is None:
                self._tracker.begin(mount.target)

    def close(self) -> None:
        if self._scratch is not None:
            remove_scratch(self._scratch)

    @property
    def folders(self) -> list[Folder]:
        return self._folders

    @property
    def lent(self) -> bool:
        """Whether the workspace is a folder of the user."""
        return self._workspace is not None

    @property
    def control(self) -> Path:
        assert self._scratch is not None
        return self._scratch / "c"

    @property
    def packages(self) -> Path:
        """The folder with the files of its packages."""
        assert self._scratch is not None
        return self._scratch / "packages"

    @property
    def files(self) -> GuestFiles:
        if self._files is None:
            self.open()
        assert self._files is not None
        return self._files

    @property
    def tracker(self) -> ChangeTracker:
        """Compares its folders with marks."""
        self.open()
        assert self._tracker is not None
        return self._tracker

    def change_file(self, content: dict[str, Any]) -> str | None:
        """Answer a request for a link or a mode, which the guest may not make itself; returns the error's name."""
        try:
            change = msgspec.convert(content, _HostFileChange)
        except msgspec.ValidationError:
            return "EIO"
        for folder in self._folders:
            root = folder.host.rstrip("/") + "/"
            if change.path.startswith(root):
                return self._make_change(folder, f"{folder.target}/{change.path[len(root) :]}", change)
        return "EACCES"

    def _make_change(self, folder: Folder, path: str, change: _HostFileChange) -> str | None:
        if folder.read_only:
            return "EROFS"
        try:
            if change.kind == "link":
                self.files.symlink(path, change.target)
            else:
                self.files.chmod(path, change.mode)
        except OSError as error:
            return errno.errorcode.get(error.errno or errno.EACCES, "EIO")
        except ValueError:
            return "EIO"
        return None


def _check_workspace(workspace: str | Path) -> Path:
    path = Path(workspace).expanduser().resolve()
    if not path.exists():
        raise ConfigError(f"The workspace {path} does not exist: make it first.")
    if not path.is_dir():
        raise ConfigError(f"The workspace {path} is not a folder.")
    return path


def _make_folder(path: Path) -> bool:
    """Make a folder with those above it; returns whether it is new or empty."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    return not any(path.iterdir())
