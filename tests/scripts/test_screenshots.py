"""The pictures of the page."""

from pathlib import Path

import pytest

from cloche.server.page import BUILT, INDEX, MISSING
from scripts import screenshots

pytestmark = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.timeout(300), pytest.mark.usefixtures("prepared")]


async def test_every_page_is_taken_and_the_pictures_of_readme_are_small(tmp_path: Path) -> None:
    assert (BUILT / INDEX).is_file(), MISSING
    await screenshots.take_all(tmp_path)
    taken = {each.stem for each in tmp_path.glob("*.png")}
    wanted = {f"{page}-{look}" for page in (*screenshots.PAGES, "session") for look in screenshots.LOOKS}
    assert wanted <= taken
    pictures = await screenshots.read_pictures(tmp_path)
    assert set(pictures) == {"session-light.webp", "session-dark.webp"}
    assert all(data[8:12] == b"WEBP" and len(data) <= screenshots.LIMIT for data in pictures.values())
