"""Makes packages of every kind, as their tools would, and puts them into a registry."""

import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

from tests.registries.site import Site

Files = Mapping[str, str | bytes]


def tarball(files: Files, *, packed: str = "gz", links: Mapping[str, str] | None = None) -> bytes:
    """A tar archive."""
    out = io.BytesIO()
    with tarfile.TarFile(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}.get(packed, bytes)
    return pack(out.getvalue())


def zipped(files: Files) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


class NpmShelf:
    """An npm registry."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._known: dict[str, dict[str, object]] = {}

    def add(self, name: str, version: str = "1.0.0", files: Files | None = None, **fields: object) -> bytes:
        """Publish a version; `fields` go into its package.json."""
        about = {"name": name, "version": version, **fields}
        inside = {
            "package/package.json": json.dumps(about),
            "package/index.js": f"module.exports = '{name} {version}';\n",
        }
        data = tarball({**inside, **{f"package/{path}": text for path, text in (files or {}).items()}})
        self.publish(about, data)
        return data

    def publish(self, about: Mapping[str, object], data: bytes, integrity: str = "") -> None:
        """Put an archive there."""
        name, version = str(about["name"]), str(about["version"])
        path = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self.site.put(path, data)
        digest = integrity or "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
        dist = {"tarball": self.site.address + path, "integrity": digest, "shasum": hashlib.sha1(data).hexdigest()}
        known = self._known.setdefault(name, {"name": name, "versions": {}, "dist-tags": {}})
        versions = known["versions"]
        assert isinstance(versions, dict)
        versions[version] = {**about, "dist": dist}
        if "-" not in version:
            self.tag(name, "latest", version)
        self.site.put(f"/{name.replace('/', '%2F')}", json.dumps(known))

    def tag(self, name: str, tag: str, version: str) -> None:
        """Give a version a name."""
        tags = self._known[name]["dist-tags"]
        assert isinstance(tags, dict)
        tags[tag] = version
        self.site.put(f"/{name.replace('/', '%2F')}", json.dumps(self._known[name]))


class GemShelf:
    """A server of gems with a compact index."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._lines: dict[str, list[str]] = {}

    def add(
        self,
        name: str,
        version: str = "1.0.0",
        files: Files | None = None,
        *,
        needs: str = "",
        ruby: str = ">= 0",
        extensions: Sequence[str] = (),
    ) -> bytes:
        """Publish a version; `needs` as the index has it: `dep:>= 1&< 2,other:~> 3.0`."""
        data = gem(name, version, files or {f"lib/{name}.rb": f"{name.upper()} = '{version}'\n"}, extensions)
        self.publish(f"{name}-{version}", data)
        checksum = hashlib.sha256(data).hexdigest()
        self.line(name, f"{version} {needs}|checksum:{checksum},ruby:{ruby}")
        return data

    def publish(self, full: str, data: bytes) -> None:
        self.site.put(f"/gems/{full}.gem", data)

    def line(self, name: str, line: str) -> None:
        """Add a line to the index."""
        self._lines.setdefault(name, []).append(line)
        self.site.put(f"/info/{name}", "---\n" + "\n".join(self._lines[name]) + "\n")


def gem(name: str, version: str, files: Files, extensions: Sequence[str] = ()) -> bytes:
    """A .gem file."""
    listed = "".join(f"- {each}\n" for each in extensions)
    about = (
        f"--- !ruby/object:Gem::Specification\nname: {name}\nversion: !ruby/object:Gem::Version\n"
        f"  version: {version}\nplatform: ruby\nauthors:\n- somebody\nbindir: exe\ncert_chain: []\ndate: 2026-01-01\n"
        f"dependencies: []\nexecutables: []\nextensions:{' []' if not extensions else ''}\n{listed}"
        f"extra_rdoc_files: []\nfiles:\n{''.join(f'- {each}{chr(10)}' for each in files)}"
        "homepage: \nlicenses:\n- MIT\nmetadata: {}\nrequire_paths:\n- lib\nrubygems_version: 4.0.3\n"
    )
    parts = {"metadata.gz": gzip.compress(about.encode()), "data.tar.gz": tarball(files)}
    return tarball(parts, packed="")
