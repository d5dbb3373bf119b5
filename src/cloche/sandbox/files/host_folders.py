"""A sandbox's folders on the host: created when it starts, removed when it ends."""

import errno
from collections.abc import Sequence
from pathlib import Path

from cloche.errors import ConfigError
from cloche.sandbox.changes.tracker import Tracker
from cloche.sandbox.files.guest_files import Folder, Folders
from cloche.sandbox.files.mounts import Mount, plan_mounts
from cloche.sandbox.files.scratch import discard, scratch
from cloche.sandbox.process.protocol import Wish

WORKSPACE = "/workspace"


class Home:
    """Workspace, /tmp, home folder and mounts of one sandbox."""

    def __init__(self, workspace: str | Path | None, mounts: Sequence[Mount], *, track: bool = False) -> None:
        self._workspace = workspace
        self._mounts = mounts
        self._track = track
        self._tracker: Tracker | None = None
        self._scratch: Path | None = None
        self._folders: list[Folder] = []
        self._files: Folders | None = None

    def open(self) -> None:
        """Make the temporary folders; does nothing the second time."""
        if self._scratch is not None:
            return
        workspace = _checked(self._workspace) if self._workspace is not None else None
        mounts = plan_mounts(self._mounts, [workspace] if workspace else [])
        self._scratch = scratch()
        for name in ("workspace", "tmp", "home", "packages", "c"):
            (self._scratch / name).mkdir(mode=0o700)
        self._folders = [
            Folder(WORKSPACE, str(workspace or self._scratch / "workspace")),
            Folder("/tmp", str(self._scratch / "tmp")),
            Folder("/home/user", str(self._scratch / "home")),
            *mounts,
        ]
        self._files = Folders(self._folders)
        self._tracker = Tracker(self._files.enter, self._scratch / "marks")
        if self._track or workspace is None:
            self._tracker.begin(WORKSPACE, empty=workspace is None)
        for mount in mounts if self._track else ():
            if not mount.read_only and mount.alias_of is None:
                self._tracker.begin(mount.target)

    def close(self) -> None:
        if self._scratch is not None:
            discard(self._scratch)

    @property
    def folders(self) -> list[Folder]:
        return self._folders

    @property
    def lent(self) -> bool:
        """Whether the workspace is a folder of the user's."""
        return self._workspace is not None

    @property
    def control(self) -> Path:
        assert self._scratch is not None
        return self._scratch / "c"

    @property
    def packages(self) -> Path:
        """Where the files of its packages lie."""
        assert self._scratch is not None
        return self._scratch / "packages"

    @property
    def files(self) -> Folders:
        if self._files is None:
            self.open()
        assert self._files is not None
        return self._files

    @property
    def tracker(self) -> Tracker:
        """What tells how its folders have changed."""
        self.open()
        assert self._tracker is not None
        return self._tracker

    def aid(self, wish: Wish) -> str | None:
        """Make a change that the guest may not make itself; the error's name on failure."""
        for folder in self._folders:
            root = folder.host.rstrip("/") + "/"
            if wish.path.startswith(root):
                return self._aid(folder, f"{folder.target}/{wish.path[len(root) :]}", wish)
        return "EACCES"

    def _aid(self, folder: Folder, path: str, wish: Wish) -> str | None:
        if folder.read_only:
            return "EROFS"
        try:
            if wish.what == "link":
                self.files.symlink(path, wish.target)
            else:
                self.files.chmod(path, wish.mode)
        except OSError as error:
            return errno.errorcode.get(error.errno or errno.EACCES, "EIO")
        except ValueError:
            return "EIO"
        return None


def _checked(workspace: str | Path) -> Path:
    path = Path(workspace).expanduser().resolve()
    if not path.exists():
        raise ConfigError(f"The workspace {path} does not exist: make it first.")
    if not path.is_dir():
        raise ConfigError(f"The workspace {path} is not a folder.")
    return path
