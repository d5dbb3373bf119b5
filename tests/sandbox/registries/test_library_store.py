from pathlib import Path

from anyio import to_thread

from cloche.sandbox.cache import inventory as cache_module
from cloche.sandbox.cache.verify import describe_fault
from cloche.sandbox.registries.libraries import InstalledLibraries, LibraryOrder
from cloche.sandbox.registries.library_store import describe_library
from tests.sandbox.registries.makers import NpmIndex


async def test_what_is_stored_is_listed_by_name_and_can_be_pruned(
    libraries: InstalledLibraries, npm: NpmIndex, cache: Path
) -> None:
    npm.add("@mine/leaf", "1.0.0")
    await libraries.install("javascript", ["@mine/leaf"], LibraryOrder())
    (blob,) = [each.blob for each in libraries.packages]
    assert describe_library(blob) == "mine/leaf-1.0.0 (javascript)"
    found = {
        each.kind: each
        for each in await to_thread.run_sync(cache_module.list_entries)
        if each.kind in ("package", "index")
    }
    assert (found["package"].path, found["package"].current) == (blob, True)
    assert found["index"].path.parent == cache / "packages" / "answers"
    assert [await to_thread.run_sync(describe_fault, each) for each in found.values()] == [None, None]
    assert cache_module.find_prunable(list(found.values()), older_than=0.0, everything=True) == []


def test_blobs_of_python_are_distinguished() -> None:
    assert describe_library(Path("0" * 64 + "-3.zip")) is None
