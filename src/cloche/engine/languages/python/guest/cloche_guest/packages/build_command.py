"""`python3 -m build`: a project's source archive and wheel, built in the sandbox."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cloche_guest.packages import source_installs
from cloche_guest.packages.build_project import BuildFailed, BuildTools, build_sdist, build_wheel


def run_build(args: Sequence[str]) -> int:
    """Build what the command line asks for, and return the exit status."""
    options = _read_options(args)
    source = Path(options.srcdir).resolve()
    target = Path(options.outdir).resolve() if options.outdir else source / "dist"
    target.mkdir(parents=True, exist_ok=True)
    try:
        with source_installs.open_tools(lambda text: print(text), isolated=not options.no_isolation) as tools:
            names = _build(source, target, tools, options)
    except BuildFailed as error:
        print(f"ERROR {error}", file=sys.stderr)
        return 1
    print(f"Successfully built {' and '.join(names)}")
    return 0


def _read_options(args: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m build", description="Builds a project in the sandbox.")
    parser.add_argument("srcdir", nargs="?", default=".")
    parser.add_argument("-s", "--sdist", action="store_true", help="build a source archive")
    parser.add_argument("-w", "--wheel", action="store_true", help="build a wheel")
    parser.add_argument("-o", "--outdir", help="the folder for what is built (dist)")
    parser.add_argument("-n", "--no-isolation", action="store_true", help="install nothing that the build needs")
    parser.add_argument("-x", "--skip-dependency-check", action="store_true")
    return parser.parse_args(list(args))


def _build(source: Path, target: Path, tools: BuildTools, options: argparse.Namespace) -> list[str]:
    """The names of what was built; without options the wheel is built of the source archive."""
    import tarfile  # Rarely needed, and large.

    both = options.sdist == options.wheel
    names: list[str] = []
    if both or options.sdist:
        print("* Building sdist...")
        names.append(build_sdist(source, target, tools).name)
    if options.sdist and not both:
        return names
    print("* Building wheel...")
    if options.sdist or options.wheel:
        return [*names, build_wheel(source, target, tools).name]
    with tempfile.TemporaryDirectory(prefix="build-") as folder:
        with tarfile.open(target / names[0]) as archive:
            archive.extractall(folder, filter="data")
        return [*names, build_wheel(next(Path(folder).iterdir()), target, tools).name]
