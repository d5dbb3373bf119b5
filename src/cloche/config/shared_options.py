"""What config.toml has of a sandbox's options. `make fmt` makes this file from cloche/options.py."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from cloche.config.secret import Secret


class SharedOptions(Struct, frozen=True, kw_only=True):
    """The options that `[sandbox]` shares with Sandbox."""

    languages: tuple[str, ...] = ("python",)
    """Languages to load when the sandbox starts; the others load on first use."""
    mounts: tuple[str, ...] = ()
    """Folders of this machine to show in the sandbox, below /mnt."""
    env: dict[str, str] = {}
    """Environment variables for the code, which can read them: do not put keys here."""
    memory_mb: Annotated[int, Meta(ge=64, le=4096, description="a whole number from 64 to 4096")] = 512
    """Megabytes of memory that Python may allocate."""
    output_limit: Annotated[int, Meta(ge=1, description="a number of bytes, 1 or more")] = 1048576
    """Bytes kept of each output stream of one call, half from its beginning, half from its end."""
    allow_net: tuple[str, ...] = ()
    """Hosts that the code may reach by HTTP, as HOST or HOST:PORT; by default none."""
    secrets: dict[str, Secret] = {}
    """Headers, by host, that are added to requests and that the code does not see: "Name: value"."""
    packages: tuple[str, ...] = ()
    """Packages of Python to install at the start: names, addresses or wheel files."""
    auto_install: bool = False
    """Install missing imports."""
    confinement: Literal["auto", "require", "none"] = "auto"
    """Whether the operating system confines the sandbox too: auto (if it can), require or none."""
