"""Pages in a browser."""

from typing import Any, ClassVar

from msgspec import Struct, field

from cloche.events.risk import UNKNOWN_RISK, ActionSecurityRisk

__all__ = ["BrowseInteractiveAction", "BrowseURLAction", "BrowserOutputObservation", "FileDownloadObservation"]


class BrowseURLAction(Struct, frozen=True):
    """Open a page and read it."""

    kind: ClassVar[str] = "browse"
    runnable: ClassVar[bool] = True

    url: str
    thought: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    return_axtree: bool = False

    @property
    def message(self) -> str:
        return f"I am browsing the URL: {self.url}"


class BrowseInteractiveAction(Struct, frozen=True):
    """Act on the open page."""

    kind: ClassVar[str] = "browse_interactive"
    runnable: ClassVar[bool] = True

    browser_actions: str
    thought: str = ""
    browsergym_send_msg_to_user: str = ""
    security_risk: ActionSecurityRisk = UNKNOWN_RISK
    return_axtree: bool = False

    @property
    def message(self) -> str:
        return f"I am interacting with the browser:\n```\n{self.browser_actions}\n```"


class BrowserOutputObservation(Struct, frozen=True):
    """The open page."""

    kind: ClassVar[str] = "browse"

    content: str
    url: str = ""
    trigger_by_action: str = ""
    screenshot: str = ""
    screenshot_path: str | None = None
    set_of_marks: str = ""
    error: bool = False
    goal_image_urls: list[Any] = field(default_factory=list[Any])
    open_pages_urls: list[str] = field(default_factory=list[str])
    active_page_index: int = -1
    dom_object: dict[str, Any] = field(default_factory=dict[str, Any])
    axtree_object: dict[str, Any] = field(default_factory=dict[str, Any])
    extra_element_properties: dict[str, Any] = field(default_factory=dict[str, Any])
    last_browser_action: str = ""
    last_browser_action_error: str = ""
    focused_element_bid: str = ""
    filter_visible_only: bool = False

    @property
    def message(self) -> str:
        return f"Visited {self.url}"


class FileDownloadObservation(Struct, frozen=True):
    """The browser saved a file."""

    kind: ClassVar[str] = "download"

    content: str
    file_path: str = ""

    @property
    def message(self) -> str:
        return f"Downloaded the file at location: {self.file_path}"


BrowsingAction = BrowseURLAction | BrowseInteractiveAction
BrowsingObservation = BrowserOutputObservation | FileDownloadObservation
