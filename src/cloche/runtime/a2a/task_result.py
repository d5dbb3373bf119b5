"""What is kept of a remote agent's task: its state, what it said, and its artifacts."""

import json
from typing import Any

from cloche.limits import A2A_ARTIFACTS_LIMIT
from cloche.runtime.a2a.updates import ArtifactUpdate, Part, StatusUpdate, TaskUpdate
from cloche.runtime.actions.file_texts import shorten_text

PART_COST = 100
"""Characters that any part counts as at least."""


class KeptArtifact:
    """An artifact so far."""

    def __init__(self, update: ArtifactUpdate) -> None:
        self.name = update.name
        self.description = update.description
        self.parts: list[Part] = []
        self.size = 0
        self.left_out = 0
        """Characters that were too many."""

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(part["text"] for part in self.parts if "text" in part)


class TaskResult:
    """A task as its updates tell it; what is too long is left out."""

    def __init__(self) -> None:
        self.task_id: str | None = None
        self.state = ""
        self.said = ""
        """What the agent said last."""
        self._artifacts: dict[str, KeptArtifact] = {}
        self._size = 0

    def add(self, update: TaskUpdate) -> str:
        """Take in an update; returns the text in it that is new."""
        self.task_id = self.task_id or update.task_id or None
        return self._add_status(update) if isinstance(update, StatusUpdate) else self._add_artifact(update)

    @property
    def artifacts(self) -> list[dict[str, Any]]:
        """The artifacts, their pieces joined."""
        return [_describe_artifact(name, kept) for name, kept in self._artifacts.items()]

    def describe(self) -> str:
        """What the agent said and made, for a reader: shortened if it is long."""
        pieces = [self.said] if self.said else []
        for artifact in self.artifacts:
            left_out = artifact.get("left_out", 0)
            pieces.append(f"[artifact {artifact['name'] or artifact['artifact_id']}]")
            pieces += [_show_part(part) for part in artifact["parts"]]
            pieces += [f"[{left_out} characters are left out]"] if left_out else []
        text = "\n".join(pieces)
        return shorten_text(text, "What the remote agent said is too long: characters are left out here")

    def _add_status(self, update: StatusUpdate) -> str:
        said, self.state = "\n".join(_show_part(part) for part in update.parts), update.state
        if not said or said == self.said:
            return ""
        self.said = said[:A2A_ARTIFACTS_LIMIT]
        return f"{said}\n"

    def _add_artifact(self, update: ArtifactUpdate) -> str:
        kept = self._artifacts.get(update.artifact_id)
        before = ""
        if kept is None or not update.append:
            before = "" if kept is None else kept.text
            self._size -= 0 if kept is None else kept.size
            if kept is None and not self._has_room(PART_COST):
                return ""
            kept = self._artifacts[update.artifact_id] = KeptArtifact(update)
            self._count(kept, PART_COST)
        told = "".join([self._add_part(kept, part) for part in update.parts])
        return told[len(before) :] if told.startswith(before) else told

    def _add_part(self, kept: KeptArtifact, part: Part) -> str:
        text = part.get("text", "")
        size = PART_COST + (len(text) or len(json.dumps(part, ensure_ascii=False)))
        if not self._has_room(size):
            kept.left_out += size - PART_COST
        else:
            self._count(kept, size)
            kept.parts.append(part)
        return text

    def _has_room(self, size: int) -> bool:
        return self._size + size <= A2A_ARTIFACTS_LIMIT

    def _count(self, kept: KeptArtifact, size: int) -> None:
        kept.size += size
        self._size += size


def _describe_artifact(artifact_id: str, kept: KeptArtifact) -> dict[str, Any]:
    told = {"artifact_id": artifact_id, "name": kept.name, "parts": _join_texts(kept.parts)}
    more = {"description": kept.description, "left_out": kept.left_out}
    return {**told, **{name: value for name, value in more.items() if value}}


def _join_texts(parts: list[Part]) -> list[Part]:
    """The parts, with texts that follow each other as one."""
    joined: list[Part] = []
    texts: list[str] = []
    for part in [*parts, {}]:
        if "text" in part:
            texts.append(part["text"])
            continue
        joined += [{"text": "".join(texts)}] if texts else []
        texts = []
        joined += [part] if part else []
    return joined


def _show_part(part: Part) -> str:
    """A part as text; of a file only its name and size."""
    if "text" in part:
        return part["text"]
    if "data" in part:
        return json.dumps(part["data"], ensure_ascii=True)
    url = part.get("url", "")
    name = part.get("filename") or "file"
    if not url.startswith("data:"):
        return f"[{name}: {url}]"
    size = len(url.partition(",")[2]) * 3 // 4
    return f"[{name}, {part.get('media_type') or 'application/octet-stream'}, {size} bytes]"
