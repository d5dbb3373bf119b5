"""`install_packages`: installs packages from a language's registry."""

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from cloche.mcp.arguments import Arguments, PackagedLanguage
from cloche.mcp.contents import make_answer
from cloche.mcp.tool import Tool, ToolRequest
from cloche.runtime.live_output import Hear


class InstallPackages(Arguments):
    packages: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=100,
            description="Names with optional versions, such as `numpy` or `attrs>=23`.",
        ),
    ]
    language: Annotated[PackagedLanguage, Field(description="The language they are for.")] = "python"


class InstalledPackage(BaseModel):
    name: str
    version: str


class InstallResult(BaseModel):
    language: str
    packages: Annotated[list[InstalledPackage], Field(description="What is new, requirements included.")]


async def install_packages(request: ToolRequest, given: InstallPackages) -> CallToolResult:
    """Install packages and list what is new."""

    async def work(_: Hear) -> CallToolResult:
        async with request.session.box() as box:
            new = await box.install(*given.packages, language=given.language, guest=True)
        packages = [InstalledPackage(name=package.name, version=package.version) for package in new]
        names = ", ".join(f"{each.name} {each.version}" for each in packages)
        text = f"Installed {names}." if names else "Everything was installed already."
        return make_answer(text, InstallResult(language=given.language, packages=packages))

    return await request.call("install_packages", given, work)


TOOL = Tool(
    "install_packages",
    "Install packages",
    "Install packages into the sandbox from the language's registry, also where code has no network.",
    InstallPackages,
    InstallResult,
    install_packages,
    rank=4,
    destroys=False,
    fetches=True,
    repeatable=True,
)
