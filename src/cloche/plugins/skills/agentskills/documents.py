"""Reads documents as text."""

import re
from typing import TYPE_CHECKING

from agentskills.file_errors import print_file_errors

if TYPE_CHECKING:
    from xml.etree import ElementTree

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MODEL = "{} needs a model that understands {}, which a sandbox without keys and network does not have."


@print_file_errors
def parse_pdf(file_path: str) -> None:
    """Print the text of a PDF file, page by page."""
    try:
        from pypdf import PdfReader  # pyright: ignore[reportMissingImports] - the user installs it
    except ImportError:
        print("ERROR: parse_pdf needs the package pypdf: run `%pip install pypdf`, then call it again.")
        return
    print(f"[Reading PDF file from {file_path}]")
    for number, page in enumerate(PdfReader(file_path).pages, 1):
        print(f"@@ Page {number} @@\n{page.extract_text()}\n")


@print_file_errors
def parse_docx(file_path: str) -> None:
    """Print the text of a Word document, paragraph by paragraph."""
    import zipfile
    from xml.etree import ElementTree

    print(f"[Reading DOCX file from {file_path}]")
    with zipfile.ZipFile(file_path) as archive:
        body = ElementTree.fromstring(archive.read("word/document.xml"))
    for number, paragraph in enumerate(body.iter(f"{_WORD}p"), 1):
        print(f"@@ Paragraph {number} @@\n{''.join(_word_text(paragraph))}\n")


@print_file_errors
def parse_pptx(file_path: str) -> None:
    """Print the text of a presentation, slide by slide."""
    import zipfile
    from xml.etree import ElementTree

    print(f"[Reading PowerPoint file from {file_path}]")
    with zipfile.ZipFile(file_path) as archive:
        names = [name for name in archive.namelist() if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)]
        for name in sorted(names, key=lambda name: int("".join(filter(str.isdigit, name)))):
            number = int("".join(filter(str.isdigit, name)))
            slide = ElementTree.fromstring(archive.read(name))
            paragraphs = [
                "".join(run.text or "" for run in each.iter(f"{_DRAWING}t")) for each in slide.iter(f"{_DRAWING}p")
            ]
            print(f"@@ Slide {number} @@\n" + "\n".join(text for text in paragraphs if text) + "\n")


@print_file_errors
def parse_latex(file_path: str) -> None:
    """Print a LaTeX file without its commands."""
    print(f"[Reading LaTex file from {file_path}]")
    with open(file_path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    text = re.sub(r"(?<!\\)%.*", "", text)
    found = re.search(r"\\begin\{document\}(.*)\\end\{document\}", text, re.DOTALL)
    text = found[1] if found else text
    text = re.sub(r"\\(?:begin|end)\{[^}]*\}(?:\[[^]]*\])?", "", text)
    text = re.sub(r"\\item\b", "-", text)
    while (plainer := re.sub(r"\\[A-Za-z]+\*?(?:\[[^]]*\])*\{([^{}]*)\}", r"\1", text)) != text:
        text = plainer
    text = re.sub(r"\\([%&_#${}])", r"\1", re.sub(r"\\[A-Za-z]+\*?", "", text))
    print(re.sub(r"\n{3,}", "\n\n", text).strip())


def parse_audio(file_path: str, model: str = "") -> None:
    """Says why it cannot be done here."""
    print("ERROR: " + _MODEL.format("parse_audio", "speech"))


def parse_image(file_path: str, task: str = "") -> None:
    """Says why it cannot be done here."""
    print("ERROR: " + _MODEL.format("parse_image", "pictures"))


def parse_video(file_path: str, task: str = "", frame_interval: int = 30) -> None:
    """Says why it cannot be done here."""
    print("ERROR: " + _MODEL.format("parse_video", "films"))


def _word_text(paragraph: "ElementTree.Element") -> list[str]:
    tags = {f"{_WORD}t": None, f"{_WORD}tab": "\t", f"{_WORD}br": "\n"}
    return [tags[part.tag] or part.text or "" for part in paragraph.iter() if part.tag in tags]
