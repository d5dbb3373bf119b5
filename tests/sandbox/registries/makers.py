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
from functools import partial

from tests.sandbox.registries.index_server import Site

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
    # The same files make the same archive, whatever the time.
    pack = {"gz": partial(gzip.compress, mtime=0), "bz2": bz2.compress, "xz": lzma.compress}.get(packed, bytes)
    return pack(out.getvalue())


def zipped(files: Files) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


class NpmIndex:
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


class GemIndex:
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
    programs = "".join(f"\n- {each.removeprefix('exe/')}" for each in files if each.startswith("exe/")) or " []"
    about = (
        f"--- !ruby/object:Gem::Specification\nname: {name}\nversion: !ruby/object:Gem::Version\n"
        f"  version: {version}\nplatform: ruby\nauthors:\n- somebody\nbindir: exe\ncert_chain: []\ndate: 2026-01-01\n"
        f"dependencies: []\nexecutables:{programs}\nextensions:{' []' if not extensions else ''}\n{listed}"
        f"extra_rdoc_files: []\nfiles:\n{''.join(f'- {each}{chr(10)}' for each in files)}"
        "homepage: \nlicenses:\n- MIT\nmetadata: {}\nrequire_paths:\n- lib\nrubygems_version: 4.0.3\n"
    )
    parts = {"metadata.gz": gzip.compress(about.encode()), "data.tar.gz": tarball(files)}
    return tarball(parts, packed="")


class ComposerIndex:
    """A repository for Composer, whose versions hold only how they differ."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._versions: dict[str, list[dict[str, object]]] = {}

    def add(
        self,
        name: str,
        version: str = "1.0.0",
        files: Files | None = None,
        *,
        require: Mapping[str, str] | None = None,
        autoload: Mapping[str, object] | None = None,
        shasum: str | None = "right",
        **fields: object,
    ) -> bytes:
        """Publish a version; the last that is added is listed first."""
        top = f"{name.replace('/', '-')}-abc123"
        inside = files if files is not None else {"src/Thing.php": "<?php namespace Mine; class Thing {}"}
        data = zipped({f"{top}/composer.json": "{}", **{f"{top}/{path}": text for path, text in inside.items()}})
        path = f"/dist/{name}/{version}.zip"
        self.site.put(path, data)
        digest = hashlib.sha1(data).hexdigest() if shasum == "right" else shasum
        dist = {"type": "zip", "url": self.site.address + path, "reference": "abc123", "shasum": digest}
        entry = {
            "version": version,
            "require": dict(require or {}),
            "dist": dist,
            "autoload": dict(autoload or {}),
            **fields,
        }
        self._versions.setdefault(name, []).insert(0, entry)
        self._write(name)
        return data

    def _write(self, name: str) -> None:
        minified: list[dict[str, object]] = []
        before: dict[str, object] = {}
        for entry in self._versions[name]:
            gone = {key: "__unset" for key in before if key not in entry}
            minified.append({**{key: value for key, value in entry.items() if before.get(key) != value}, **gone})
            before = entry
        page = {"minified": "composer/2.0", "packages": {name: minified}}
        self.site.put(f"/p2/{name}.json", json.dumps(page))


class RockIndex:
    """A server of rocks."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._known: dict[str, dict[str, list[str]]] = {}
        self._write()

    def add(
        self,
        name: str,
        version: str = "1.0-1",
        files: Files | None = None,
        *,
        spec: str = "",
        needs: Sequence[str] = (),
        arch: str = "src",
    ) -> None:
        """Publish a rock; `spec` is the build section of its rockspec."""
        listed = ", ".join(f'"{each}"' for each in needs)
        build = spec or f'build = {{ type = "builtin", modules = {{ ["{name}"] = "src/{name}.lua" }} }}'
        text = (
            f'local number = "{version.partition("-")[0]}"\npackage = "{name}"\nversion = number .. "-1" -- joined\n'
            f'source = {{ url = "https://example.com/{name}.tar.gz" }}\ndependencies = {{ {listed} }}\n{build}\n'
        )
        inside = files if files is not None else {f"src/{name}.lua": f"return {{ version = '{version}' }}\n"}
        full = f"{name}-{version}"
        self.site.put(f"/{full}.rockspec", text)
        if arch == "all":
            rock = zipped({f"{full}.rockspec": text, **inside})
        else:
            sources = tarball({f"{name}-src/{path}": content for path, content in inside.items()})
            rock = zipped({f"{full}.rockspec": text, f"{name}.tar.gz": sources})
        self.site.put(f"/{full}.{arch}.rock", rock)
        self._known.setdefault(name, {})[version] = ["rockspec", arch]
        self._write()

    def _write(self) -> None:
        lines = ["commands = {}", "modules = {}", "repository = {"]
        for name, versions in self._known.items():
            lines.append(f"   [{json.dumps(name)}] = {{" if "-" in name else f"   {name} = {{")
            for version, archs in versions.items():
                kinds = ", ".join(f'{{ arch = "{arch}" }}' for arch in archs)
                lines.append(f'      ["{version}"] = {{ {kinds} }},')
            lines.append("   },")
        self.site.put("/manifest-5.4", "\n".join([*lines, "}"]) + "\n")


class CranIndex:
    """A repository for webR."""

    FOLDER = "/bin/emscripten/contrib/4.6"

    def __init__(self, site: Site) -> None:
        self.site = site
        self._blocks: list[str] = []
        self._write()

    def add(self, name: str, version: str = "1.0.0", files: Files | None = None, **fields: str) -> bytes:
        inside = {f"{name}/DESCRIPTION": f"Package: {name}\nVersion: {version}\n", f"{name}/R/{name}.rdb": "code"}
        data = tarball({**inside, **{f"{name}/{path}": text for path, text in (files or {}).items()}})
        self.site.put(f"{self.FOLDER}/{name}_{version}.tgz", data)
        md5 = hashlib.md5(data).hexdigest()
        lines = [f"Package: {name}", f"Version: {version}", *(f"{key}: {value}" for key, value in fields.items())]
        self._blocks.append("\n".join([*lines, f"MD5sum: {md5}"]))
        self._write()
        return data

    def _write(self) -> None:
        self.site.put(f"{self.FOLDER}/PACKAGES", "\n\n".join(self._blocks) + "\n")


class CpanIndex:
    """A mirror of CPAN."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._lines: list[str] = []
        self._sums: list[str] = []
        self._write()

    def add(
        self,
        dist: str,
        version: str = "1.0",
        files: Files | None = None,
        *,
        requires: Sequence[str] = (),
        path: str = "",
    ) -> bytes:
        """Publish a distribution; its modules are those in lib."""
        module = dist.replace("-", "::")
        inside = dict(files or {f"lib/{dist.replace('-', '/')}.pm": f"package {module};\n1;\n"})
        prereqs = {"runtime": {"requires": dict.fromkeys(("perl", "strict", *requires), "0")}}
        inside.setdefault("META.json", json.dumps({"name": dist, "prereqs": prereqs}))
        data = tarball({f"{dist}-{version}/{name}": text for name, text in inside.items()})
        file = f"{dist}-{version}.tar.gz"
        self.site.put(f"/authors/id/M/ME/ME/{file}", data)
        self._sums.append(f"  '{file}' => {{\n    'sha256' => '{hashlib.sha256(data).hexdigest()}',\n  }},\n")
        self.list(module, version, path or f"M/ME/ME/{file}")
        return data

    def list(self, module: str, version: str, path: str) -> None:
        """Put a module into the index."""
        self._lines.append(f"{module:30} {version:>8}  {path}\n")
        self._write()

    def _write(self) -> None:
        head = "File:         02packages.details.txt\nLines:        1\n\n"
        self.site.put("/modules/02packages.details.txt.gz", gzip.compress((head + "".join(self._lines)).encode()))
        self.site.put("/authors/id/M/ME/ME/CHECKSUMS", "$cksum = {\n" + "".join(self._sums) + "};\n")
