"""Writes every file of pinned requirements anew; run it after a change to the dependencies in pyproject.toml."""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from cloche.sandbox.languages import languages

ROOT = Path(__file__).parent.parent
GUEST = ROOT / "src/cloche/engine/languages/python/requirements.txt"
GUEST_PLATFORM = "--python-platform=wasm32-pyodide2024"
"""The newest that uv knows; the guest's packages are pure Python, so that any will do."""
COMPILE = ["uv", "pip", "compile", "--quiet", "--no-emit-index-url", "--no-header", "--no-annotate"]
UNUSED = ("datasets", "litellm", "numpy", "pandas", "pyarrow")
"""What mini-swe-agent requires for its benchmarks and its models: 400 MB that no test needs."""
PURE = ["--only-binary=:all:", "--implementation=py", "--abi=none", "--platform=any"]


def main() -> None:
    """Pins all that is installed: for development, benchmarks, frameworks, the site, the image, and in the guest."""
    pin_host("--upgrade")
    pin_guest()


def pin_host(upgrade: str) -> None:
    """Pins what is installed on the host; `upgrade` says to uv which of the pinned versions may change."""
    development = [upgrade, "--universal", "--python-version=3.11", "--generate-hashes", "pyproject.toml"]
    compile_pins("requirements/dev.txt", [*development, "--group=dev"])
    peer = [upgrade, "--universal", "--generate-hashes"]
    compile_pins("requirements/bench-ipykernel.txt", [*peer, "--python-version=3.11", "--group=bench-ipykernel"])
    compile_pins("requirements/bench-libtmux.txt", [*peer, "--python-version=3.11", "--group=bench-libtmux"])
    compile_pins("requirements/bench-pyeryx.txt", [*peer, "--python-version=3.12", "--group=bench-pyeryx"])
    # Not with the versions of development, because these frameworks do not allow all of them.
    frameworks = ["--group=frameworks", *(f"--no-emit-package={name}" for name in UNUSED)]
    compile_pins("requirements/frameworks.txt", [*development, *frameworks])
    compile_pins("requirements/docs.txt", [*development, "--group=docs", "--constraints=requirements/dev.txt"])
    image = ["--extra=server", "--group=build", "--constraints=requirements/dev.txt"]
    compile_pins("requirements/image.txt", [*development, *image])


def pin_guest() -> None:
    """Pins what the guest comes with, for its version of Python."""
    python = f"--python-version={languages()['python'].version}"
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder, "guest.txt")
        # Without their dependencies: the guest leaves terminals, colours and jedi out.
        compile_pins(str(pins), ["--upgrade", "--group=guest", "--no-deps", python, GUEST_PLATFORM])
        GUEST.write_text("".join(pin_wheel(line, python, Path(folder)) for line in pins.read_text().splitlines()))


def compile_pins(target: str, options: list[str]) -> None:
    """Resolves with uv and writes the exact versions to `target`."""
    subprocess.run([*COMPILE, *options, "-o", target], cwd=ROOT, check=True)


def pin_wheel(requirement: str, python: str, folder: Path) -> str:
    """Pins a requirement to its pure wheel alone: the guest can load no other, and some projects publish dozens."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *PURE, python]
    target = folder / requirement
    subprocess.run([*download, "--dest", str(target), requirement], check=True)
    (wheel,) = target.glob("*.whl")
    return f"{requirement} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


if __name__ == "__main__":
    main()
