"""Projects for the tests, whose build backends are part of them, and their source archives."""

import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SYSTEM = '[build-system]\nrequires = {requires}\nbuild-backend = "tiny"\nbackend-path = ["."]\n'

BACKEND = """\
import pathlib, subprocess, sys, zipfile

NAME, VERSION, TAG = {name!r}, {version!r}, {tag!r}
BEFORE = {before!r}

def _write(target, files, tag):
    info = f"{{NAME}}-{{VERSION}}.dist-info"
    name = f"{{NAME}}-{{VERSION}}-{{tag}}.whl"
    files |= {{
        f"{{info}}/METADATA": f"Metadata-Version: 2.1\\nName: {{NAME}}\\nVersion: {{VERSION}}\\n" + {lines!r} + "\\n",
        f"{{info}}/WHEEL": f"Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: {{tag}}\\n",
        f"{{info}}/entry_points.txt": {entries!r},
    }}
    files[f"{{info}}/RECORD"] = "".join(f"{{each}},,\\n" for each in files)
    with zipfile.ZipFile(f"{{target}}/{{name}}", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return name

def build_wheel(target, settings=None, metadata=None):
    print("building", NAME)
    exec(BEFORE)
    files = {{path.name: path.read_text() for path in pathlib.Path(".").glob("*.py") if path.name != "tiny.py"}}
    return _write(target, files, TAG)

def build_editable(target, settings=None, metadata=None):
    return _write(target, {{f"__editable__{{NAME}}.pth": f"{{pathlib.Path.cwd()}}\\n"}}, "py3-none-any")

def build_sdist(target, settings=None):
    import tarfile
    with tarfile.open(f"{{target}}/{{NAME}}-{{VERSION}}.tar.gz", "w:gz") as archive:
        archive.add(".", f"{{NAME}}-{{VERSION}}")
    return f"{{NAME}}-{{VERSION}}.tar.gz"
"""


def project_files(
    name: str,
    version: str = "1.0",
    *,
    requires: Sequence[str] = (),
    needs: Sequence[str] = (),
    extras: Mapping[str, str] | None = None,
    tag: str = "py3-none-any",
    before: str = "",
) -> dict[str, str]:
    """A project with one module, which `before` may keep from being built; `needs` are what its build requires."""
    lines = "".join(f"Requires-Dist: {each}\n" for each in requires)
    lines += "".join(f"Provides-Extra: {e}\nRequires-Dist: {r}; extra == '{e}'\n" for e, r in (extras or {}).items())
    entries = f"[console_scripts]\n{name}-cli = {name}:main\n"
    backend = BACKEND.format(name=name, version=version, tag=tag, before=before, lines=lines, entries=entries)
    module = f"version = {version!r}\n\ndef main():\n    print('from {name}', version)\n"
    return {"pyproject.toml": SYSTEM.format(requires=list(needs)), "tiny.py": backend, f"{name}.py": module}


def make_sdist(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Write a source archive."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for each, text in files.items():
            entry = tarfile.TarInfo(f"{name}-{version}/{each}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path
