"""Functions for agents that work with files and documents; each prints its result."""

from agentskills.documents import (
    parse_audio,
    parse_docx,
    parse_image,
    parse_latex,
    parse_pdf,
    parse_pptx,
    parse_video,
)
from agentskills.editing import edit_file, file_editor
from agentskills.search import find_file, search_dir, search_file
from agentskills.window import goto_line, open_file, scroll_down, scroll_up

__all__ = [
    "edit_file",
    "file_editor",
    "find_file",
    "goto_line",
    "open_file",
    "parse_audio",
    "parse_docx",
    "parse_image",
    "parse_latex",
    "parse_pdf",
    "parse_pptx",
    "parse_video",
    "scroll_down",
    "scroll_up",
    "search_dir",
    "search_file",
]
