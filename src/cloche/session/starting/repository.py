"""Clones a session's repository on the host; the sandbox gets the files, and never the token."""

import base64
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import anyio
from anyio import to_thread
from anyio.abc import Process
from msgspec import Struct

from cloche.errors import SessionError
from cloche.limits import CLONE_DEPTH, CLONE_LIMIT, CLONE_TIMEOUT, MB
from cloche.sandbox.files.scratch import make_scratch, remove_scratch

LOOK_EVERY = 0.2
"""Seconds between two looks at the size of a clone that is being made."""
SETTINGS_WAIT = 5.0
"""Seconds in which git tells which folders the user trusts."""
PROVIDERS = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}
_USERS = {"github": "x-access-token", "gitlab": "oauth2", "bitbucket": "x-token-auth"}
# Held by a pipe, so that git ends with this process even if that is killed.
_LEASH = """exec 3<&0 </dev/null
{ read -r line <&3; kill -9 0; } 2>/dev/null &
"$@" 3<&-
code=$?
kill -9 $!
exit $code
"""
_REFUSALS = ("could not read username", "authentication failed", "repository not found", "403", "404")
_OF_NETWORKS = ("internal", "local", "localhost")
_SHORT = re.compile(r"[\w.-]+(?:/[\w.-]+)+")
_BRANCH = re.compile(r"(?!-)[\w./+-]{1,200}")


class Repository(Struct, frozen=True):
    """A repository that git can clone."""

    url: str
    name: str
    """The folder that it gets."""
    token: str = ""
    user: str = ""


def find_repository(selected: str, tokens: Mapping[str, str]) -> Repository:
    """What a user means by `owner/name`, an address, or a folder of this machine."""
    if selected.startswith(("/", "~", ".", "file://")):
        local = unquote(selected.removeprefix("file://")) if selected.startswith("file://") else selected
        path = Path(local).expanduser().resolve()
        if not path.is_dir():
            raise SessionError(f"the repository {selected} is no folder of this machine")
        return Repository(f"file://{quote(str(path))}", _check_name(path.name, selected))
    provider = next((name for name in tokens if name in PROVIDERS), "github")
    selected = expand_name(selected, provider)
    parts = urlsplit(selected)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise SessionError(
            f"the repository {selected!r} cannot be cloned: give owner/name, an https:// address, or a folder"
        )
    provider = next((name for name, host in PROVIDERS.items() if parts.hostname == host), "")
    token = tokens.get(provider) or tokens.get(parts.hostname) or (parts.password or "")
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
    name = parts.path.rstrip("/").removesuffix(".git").rstrip("/").rpartition("/")[2]
    return Repository(plain, _check_name(name, plain), token, _USERS.get(provider, parts.username or "x-access-token"))


def is_public(selected: str) -> bool:
    """Whether a repository is neither of this machine nor of its network, as far as its name tells."""
    if "://" not in selected:
        return _SHORT.fullmatch(selected) is not None and not selected.startswith((".", "~"))
    try:
        parts = urlsplit(selected)
    except ValueError:
        return False
    name, _, last = (parts.hostname or "").rstrip(".").rpartition(".")
    # In all the ways to write an address, the last part begins with a digit; names of a network have no dot.
    return parts.scheme == "https" and bool(name) and last[:1].isalpha() and last not in _OF_NETWORKS


def expand_name(selected: str, provider: str) -> str:
    """The address of `owner/name` at a provider; anything else as it is."""
    short = "://" not in selected and not selected.startswith((".", "/", "~")) and _SHORT.fullmatch(selected)
    return f"https://{PROVIDERS[provider]}/{selected}" if short else selected


def _check_name(name: str, selected: str) -> str:
    plain = re.sub(r"[^\w.-]", "_", name).lstrip(".")
    if not plain:
        raise SessionError(f"the repository {selected} has no name that a folder could have")
    return plain


@asynccontextmanager
async def clone_repository(repository: Repository, branch: str | None) -> AsyncGenerator[Path]:
    """A temporary clone on this machine, without hooks, submodules and filters; raises SessionError."""
    if branch is not None and not _BRANCH.fullmatch(branch):
        raise SessionError(f"{branch!r} is no name of a branch")
    folder = await to_thread.run_sync(make_scratch)
    try:
        target = folder / repository.name
        command = ["git", "clone", "--quiet", f"--depth={CLONE_DEPTH}", "--single-branch", "--no-recurse-submodules"]
        command += [f"--branch={branch}"] if branch else []
        command += ["--template=", "--", repository.url, str(target)]
        await _run_git(command, repository, target)
        yield target
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(remove_scratch, folder)


async def _run_git(command: list[str], repository: Repository, target: Path) -> None:
    if await to_thread.run_sync(shutil.which, "git") is None:
        raise SessionError("git was not found on this machine: install it, or start without a repository")
    async with _hold_settings(repository) as (settings, files):
        process = await anyio.open_process(
            ["/bin/sh", "-c", _LEASH, "cloche-clone", *command],
            env=_make_environment() | settings,
            stdin=PIPE,
            stdout=DEVNULL,
            start_new_session=True,
            pass_fds=files,
        )
    why = ""
    async with process:
        try:
            with anyio.move_on_after(CLONE_TIMEOUT) as limit:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_watch_size, process, target)
                    why = await _read_end(process)
                    await process.wait()
                    tasks.cancel_scope.cancel()
        finally:
            _kill(process)
    if limit.cancelled_caught:
        raise SessionError(f"{repository.url} was not cloned within {CLONE_TIMEOUT:g} s")
    if process.returncode or await to_thread.run_sync(_measure, target) > CLONE_LIMIT:
        reason = await to_thread.run_sync(_explain, why, repository, target)
        raise SessionError(f"{repository.url} could not be cloned: {reason}")


async def _read_end(process: Process) -> str:
    """The last of what git says."""
    text = b""
    assert process.stderr is not None, "it is a pipe"
    async for chunk in process.stderr:
        text = (text + chunk)[-4000:]
    return text.decode(errors="replace").strip()


async def _watch_size(process: Process, target: Path) -> None:
    while True:
        await anyio.sleep(LOOK_EVERY)
        if await to_thread.run_sync(_measure, target) > CLONE_LIMIT:
            _kill(process)
            return


def _measure(folder: Path) -> int:
    sizes = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                sizes += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118 - it is in a loop over many
            except OSError:
                continue
    return sizes


def _kill(process: Process) -> None:
    if process.returncode is None:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            return


def _explain(why: str, repository: Repository, target: Path) -> str:
    if _measure(target) > CLONE_LIMIT or (not why and target.exists()):
        return f"it is larger than {CLONE_LIMIT // MB} MB"
    text = why.replace(repository.token, "***") if repository.token else why
    if any(each in text.lower() for each in _REFUSALS):
        text += ". If it is private, give its token"
    return text or "git gave no reason"


@asynccontextmanager
async def _hold_settings(repository: Repository) -> AsyncGenerator[tuple[dict[str, str], tuple[int, ...]]]:
    """Variables by which git finds the settings for this repository, and files that it needs for that.

    In Linux the token is in memory only, and not among the variables, which lists of processes show.
    """
    pair = base64.b64encode(f"{repository.user}:{repository.token}".encode()).decode()
    header = f"Authorization: Basic {pair}"
    if sys.platform != "linux":
        secret = {f"http.{repository.url}.extraHeader": header, "http.followRedirects": "false"}
        settings = _SETTINGS | (secret if repository.token else {})
        yield {"GIT_CONFIG_GLOBAL": os.devnull} | _number_settings(settings), ()
        return
    text = "".join(f"[safe]\ndirectory = {_quote(each)}\n" for each in await _list_safe_folders(repository))
    if repository.token:
        text += f"[http]\nfollowRedirects = false\n[http {_quote(repository.url)}]\nextraHeader = {_quote(header)}\n"
    file = await to_thread.run_sync(_write_memory, text)
    try:
        yield {"GIT_CONFIG_GLOBAL": f"/proc/self/fd/{file}"}, (file,)
    finally:
        os.close(file)


async def _list_safe_folders(repository: Repository) -> list[str]:
    """The folders of others that the user trusts, for a folder of this machine: git looks at who owns it."""
    if not repository.url.startswith("file:"):
        return []
    command = ["git", "config", "--null", "--get-all", "safe.directory"]
    with anyio.move_on_after(SETTINGS_WAIT):
        seen = await anyio.run_process(command, cwd="/", check=False, stdin=DEVNULL, stderr=DEVNULL)
        return seen.stdout.decode(errors="surrogateescape").split("\0")[:-1]
    return []


def _quote(value: str) -> str:
    """A value or a name in a file of git's settings."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _write_memory(text: str) -> int:
    """A file with this text that has no name."""
    import fcntl  # noqa: PLC0415 - there is none on Windows

    first = os.memfd_create("git-settings", os.MFD_CLOEXEC)
    try:
        os.write(first, text.encode(errors="surrogateescape"))
        # The first descriptors are those that the shell around git uses.
        return fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(first)


_SETTINGS = {"core.hooksPath": os.devnull, "core.fsmonitor": "false", "credential.helper": ""}


def _number_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables that git reads."""
    numbered = {
        name: text
        for number, (key, value) in enumerate(settings.items())
        for name, text in ((f"GIT_CONFIG_KEY_{number}", key), (f"GIT_CONFIG_VALUE_{number}", value))
    }
    return numbered | {"GIT_CONFIG_COUNT": str(len(settings))}


def _make_environment() -> dict[str, str]:
    """Nothing of the user's configuration, and no questions."""
    return {
        **{name: value for name, value in os.environ.items() if name in _PASSED},
        **_number_settings(_SETTINGS),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_ALLOW_PROTOCOL": "https:http:file",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "HOME": tempfile.gettempdir(),
        "LC_ALL": "C",
    }


_PASSED = frozenset({"PATH", "https_proxy", "http_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"})
