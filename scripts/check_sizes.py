"""Fails when a source file has grown past the size one can read in one go."""

import sys
from pathlib import Path

LIMIT = 600
"""Lines a source file may have."""

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "web/src", "tests", "benchmarks", "examples", "scripts")
BUILT = "built"
"""A folder whose files are made from others."""
SUFFIXES = {".py", ".ts", ".tsx", ".js", ".mjs", ".css"}


def oversized(root: Path) -> dict[str, int]:
    """Gives the files with too many lines, and how many they have."""
    found = (path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES)
    files = [path for path in found if BUILT not in path.parts]
    sizes = {str(path.relative_to(root)): len(path.read_text().splitlines()) for path in files}
    return {name: size for name, size in sizes.items() if size > LIMIT}


def main() -> int:
    """Names each file that is too long; the exit code says whether there was one."""
    found = oversized(ROOT)
    for name, size in found.items():
        print(f"{name}: {size} lines, the limit is {LIMIT}: split it", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
