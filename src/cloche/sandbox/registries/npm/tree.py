"""Lays packages out as npm does: shared ones at the top, other versions below the packages that need them."""

from collections import deque
from collections.abc import Iterator, Mapping

from cloche.errors import PackageError, PackageNotFound, PackageUnsupported
from cloche.limits import REQUIREMENT_LIMIT
from cloche.sandbox.registries.index_cache import run_together
from cloche.sandbox.registries.npm.packuments import Manifest, PackumentCatalogue, read_spec
from cloche.sandbox.registries.npm.semver import parse_range, parse_version

ROUNDS = 20_000
"""Dependencies that are looked at in one installation."""


class Node:
    """A folder with packages in it: the top, or a package."""

    def __init__(
        self, manifest: Manifest | None = None, parent: "Node | None" = None, *, optional: bool = False
    ) -> None:
        self.manifest = manifest
        self.parent = parent
        self.optional = optional
        self.base = ""
        self.children: dict[str, Node] = {}

    def find(self, name: str) -> "Node | None":
        """What code in this folder gets by a name."""
        at: Node | None = self
        while at is not None:
            if name in at.children:
                return at.children[name]
            at = at.parent
        return None

    def walk(self, path: str = "node_modules") -> Iterator[tuple[str, "Node"]]:
        """Every package below, with its folder."""
        for name, child in self.children.items():
            yield f"{path}/{name}", child
            yield from child.walk(f"{path}/{name}/node_modules")


class Layout:
    """Grows the tree breadth first."""

    def __init__(self, catalogue: PackumentCatalogue, here: Mapping[str, str]) -> None:
        self.top = Node()
        self.warnings: list[str] = []
        self._catalogue = catalogue
        self._here = here
        self._queue: deque[tuple[Node, str, str, bool]] = deque()
        self._count = 0

    async def grow(self, roots: Mapping[str, str]) -> None:
        """Place everything that the roots need; npm takes names in alphabetical order."""
        for name in sorted(roots):
            self._queue.append((self.top, name, roots[name], False))
        left = ROUNDS
        while self._queue:
            await run_together({name for name in map(self._unseen, self._queue) if name}, self._catalogue.find)
            for _ in range(len(self._queue)):
                await self._place(*self._queue.popleft())
            left -= len(self._queue)
            if left < 0:
                raise PackageError(f"These packages have more than {ROUNDS} dependencies: that is too much.")

    def _unseen(self, wanted: tuple[Node, str, str, bool]) -> str | None:
        """The package that has to be asked about, as it seems now."""
        node, name, spec, _ = wanted
        if node.find(name) is not None:
            return None
        try:
            return read_spec(name, spec)[0]
        except PackageError:
            return None

    async def _place(self, node: Node, name: str, spec: str, optional: bool) -> None:
        seen = node.find(name)
        if seen is not None and _suits(seen, name, spec):
            seen.optional &= optional
            return
        try:
            manifest, base = await self._choose(name, spec)
            if misfit := manifest.misfit:
                raise PackageUnsupported(f"{name} {manifest.version} is native: it is for {misfit} only.")
        except (PackageNotFound, PackageUnsupported) as error:
            if optional:
                return
            raise _wanted_by(node, error) from None
        # At the top if nothing is in the way, else where it disturbs nobody.
        home = self.top if seen is None else node
        child = Node(manifest, home, optional=optional)
        child.base = base
        home.children[name] = child
        self._count += 1
        if self._count > REQUIREMENT_LIMIT:
            raise PackageError(f"These are more than {REQUIREMENT_LIMIT} packages: that is too much.")
        self._enqueue(child, manifest)

    async def _choose(self, name: str, spec: str) -> tuple[Manifest, str]:
        real, versions = read_spec(name, spec)
        known = await self._catalogue.find(real)
        if known is None:
            raise PackageNotFound(f"npm's registry has no package {real!r}.")
        return known.choose(versions, self._here.get(name)), known.base

    def _enqueue(self, child: Node, manifest: Manifest) -> None:
        bundled = manifest.bundle_dependencies
        inside = set(manifest.dependencies) if bundled is True else set(bundled or [])
        optional = manifest.optional_dependencies
        for name, spec in sorted({**manifest.dependencies, **optional}.items()):
            if name not in inside:
                self._queue.append((child, name, spec, name in optional or child.optional))
        for name, spec in sorted(manifest.peer_dependencies.items()):
            meta = manifest.peer_dependencies_meta.get(name)
            if not (meta and meta.optional):
                self._enqueue_peer(child, name, spec)

    def _enqueue_peer(self, child: Node, name: str, spec: str) -> None:
        """A peer is found from beside the package, or comes beside it; one that does not fit is only mentioned."""
        beside = child.parent or self.top
        seen = beside.find(name)
        if seen is None:
            self._queue.append((beside, name, spec, True))
        elif not _suits(seen, name, spec):
            owner = child.manifest.name if child.manifest else "?"
            there = seen.manifest.version if seen.manifest else "?"
            self.warnings.append(f"{owner} wants {name} {spec} beside it, and there is {there}")


def _suits(node: Node, name: str, spec: str) -> bool:
    manifest = node.manifest
    if manifest is None:
        return False
    if spec.startswith("npm:"):
        try:
            real, spec = read_spec(name, spec)
        except (PackageNotFound, PackageUnsupported):
            return False
        if real != manifest.name:
            return False
    version, wanted = parse_version(manifest.version), parse_range(spec)
    # A tag keeps meaning what it meant for the first package that asked.
    return wanted is None or (version is not None and wanted.allows(version))


def _wanted_by(node: Node, error: PackageError) -> PackageError:
    if node.manifest is None:
        return error
    return type(error)(f"{node.manifest.name} {node.manifest.version} needs it: {error}")
