"""The packages of a session: list, install."""

from typing import Annotated

from fastapi import APIRouter, Depends
from msgspec import Meta, Struct
from starlette.responses import Response

from cloche.errors import ClocheError
from cloche.events import Status
from cloche.runtime import RuntimeStatus
from cloche.sandbox.languages import languages
from cloche.sandbox.packages.package import Package
from cloche.server.access.callers import Wanted
from cloche.server.embedded import use_sandbox
from cloche.server.wire import answer, body_of, describe
from cloche.session import HostedSession

router = APIRouter(prefix="/sessions/{sid}/packages", tags=["packages"])

PackagedLanguage = Annotated[
    str, Meta(extra_json_schema={"enum": [each.name for each in languages().values() if each.packages]})
]
Requirement = Annotated[str, Meta(min_length=1, max_length=1000)]


class PackageView(Struct, frozen=True):
    """An installed package."""

    name: str
    version: str
    language: str


class PackageList(Struct, frozen=True):
    """Some packages."""

    packages: list[PackageView]


class Installation(Struct, frozen=True, forbid_unknown_fields=True):
    """What to install, as the language's own tool names it: `rich`, `attrs>=23`, `lodash@4`."""

    packages: Annotated[list[Requirement], Meta(min_length=1, max_length=100)]
    language: PackagedLanguage = "python"
    upgrade: bool = False


@router.get("", **describe(told=PackageList, problems=(404, 409, 501)))
async def list_packages(wanted: Wanted) -> Response:
    """What is installed, besides what every sandbox has."""
    async with use_sandbox(wanted) as box:
        return answer(_view(box.packages))


@router.post("", **describe(Installation, PackageList, problems=(404, 409, 501, 502)))
async def install_packages(wanted: Wanted, given: Annotated[Installation, Depends(body_of(Installation))]) -> Response:
    """Install packages; the answer is what is new, with what they require. Status events say how it goes."""
    async with use_sandbox(wanted) as box:
        names = ", ".join(given.packages)
        await _tell(wanted, f"Installing {names} for {given.language}...")
        try:
            new = await box.install(*given.packages, language=given.language, upgrade=given.upgrade, guest=True)
        except ClocheError as error:
            await _tell(wanted, f"{names} could not be installed: {error}", level="error")
            raise
        found = _view(new)
        told = ", ".join(f"{each.name} {each.version}" for each in found.packages)
        await _tell(wanted, f"Installed {told}." if told else f"{names}: it was installed already.")
    return answer(found)


def _view(packages: list[Package]) -> PackageList:
    return PackageList([PackageView(each.name, each.version, each.language) for each in packages])


async def _tell(wanted: HostedSession, text: str, *, level: str = "info") -> None:
    await wanted.send(Status(RuntimeStatus.SETTING_UP_WORKSPACE, text, level), "environment")
