"""For `--diff`: what one run changed in the folders it could write to."""

from typing import TYPE_CHECKING

from cloche.cli.result_output import write_output

if TYPE_CHECKING:
    from cloche.cli.any_sandbox import AnySandbox
    from cloche.cli.options import RunSettings


async def collect_patch(box: "AnySandbox", settings: "RunSettings") -> str | None:
    """The patch, or None if it was not asked for; the part of each mount starts with a line that names it."""
    if settings.diff is None:
        return None
    parts = [(await box.diff()).patch]
    for folder in box.info.folders:
        if folder.target.startswith("/mnt/") and not folder.read_only and folder.alias_of is None:
            patch = (await box.diff(path=folder.target)).patch
            parts.append(f"# {folder.target}\n{patch}" if patch else "")
    return "".join(parts)


def write_patch(patch: str | None, settings: "RunSettings") -> None:
    """Write the patch where the user wants it; with --json it is part of the object."""
    if settings.diff is None or patch is None:
        return
    if settings.diff.name == "<stdout>":
        if not settings.as_json:
            write_output("stdout", patch)
        return
    settings.diff.write(patch)
    settings.diff.close()
