"""Finds what looks like a key or a password in a text, so that it can be masked."""

import math
import re
from collections import Counter

from msgspec import Struct

SEARCHED = 1 << 20
"""Characters of a text that are searched: its head and its tail, if it is longer."""
FOUND = 100
"""The most secrets of one text."""
ENTROPY = 3.2
"""Bits of each character from which on a value counts as random; words of a language have fewer."""


class FoundSecret(Struct, frozen=True):
    """What looks like a secret."""

    kind: str
    """A stable name, such as `github`."""
    title: str
    """What it is, for a reader."""
    value: str
    """The part that must not be shown."""


class _Pattern(Struct, frozen=True):
    kind: str
    title: str
    regex: re.Pattern[str]
    random: bool = False
    """Whether the value has to look random."""


def _pattern(kind: str, title: str, regex: str, *, random: bool = False) -> _Pattern:
    return _Pattern(kind, title, re.compile(regex), random)


_EDGE = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"

_PATTERNS = (
    _pattern("aws-id", "an AWS access key id", rf"{_EDGE}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_END}"),
    _pattern("github", "a GitHub token", rf"{_EDGE}gh[pousr]_[A-Za-z0-9]{{36,255}}{_END}"),
    _pattern("github-fine", "a GitHub token", rf"{_EDGE}github_pat_[A-Za-z0-9_]{{60,255}}{_END}"),
    _pattern("gitlab", "a GitLab token", rf"{_EDGE}gl(?:pat|ptt|rt|dt|cbt|ft|soat|oas)-[A-Za-z0-9_.=-]{{20,255}}"),
    _pattern("slack", "a Slack token", rf"{_EDGE}xox[abeoprs]-[A-Za-z0-9-]{{10,255}}"),
    _pattern("slack-hook", "a Slack webhook", r"https://hooks\.slack\.com/services/(T\w{6,20}/B\w{6,20}/\w{16,40})"),
    _pattern("anthropic", "an Anthropic key", rf"{_EDGE}sk-ant-[A-Za-z0-9_-]{{20,255}}"),
    _pattern("openai", "an OpenAI key", rf"{_EDGE}sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{{20,255}}", random=True),
    _pattern("google", "a Google API key", rf"{_EDGE}AIza[A-Za-z0-9_-]{{35}}{_END}"),
    _pattern("google-oauth", "a Google OAuth token", rf"{_EDGE}ya29\.[A-Za-z0-9_-]{{20,1000}}"),
    _pattern("stripe", "a Stripe key", rf"{_EDGE}(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{{16,255}}{_END}"),
    _pattern("twilio", "a Twilio key", rf"{_EDGE}SK[0-9a-f]{{32}}{_END}"),
    _pattern("sendgrid", "a SendGrid key", rf"{_EDGE}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{16,64}}"),
    _pattern("npm", "an npm token", rf"{_EDGE}npm_[A-Za-z0-9]{{36}}{_END}"),
    _pattern("pypi", "a PyPI token", rf"{_EDGE}pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{{50,1000}}"),
    _pattern("huggingface", "a Hugging Face token", rf"{_EDGE}hf_[A-Za-z0-9]{{30,80}}{_END}"),
    _pattern(
        "jwt",
        "a signed web token",
        rf"{_EDGE}eyJ[A-Za-z0-9_-]{{8,2000}}\.eyJ[A-Za-z0-9_-]{{8,4000}}\.[A-Za-z0-9_-]{{8,1000}}",
    ),
    _pattern(
        "private-key",
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\\nr]{1,4}"
        r"((?:[A-Za-z0-9+/=\s\\:,.]|-(?!-)){20,20000})-----END",
    ),
    _pattern(
        "url-password",
        "a password in an address",
        r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"]{0,100}:([^\s/:@'\"]{4,200})@",
    ),
    _pattern(
        "bearer",
        "a bearer token",
        r"(?i:authorization)['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?i:bearer|basic|token)\s{1,3}([A-Za-z0-9._~+/=-]{16,4000})",
    ),
    _pattern(
        "assigned",
        "a key or a password",
        r"(?i:(?:secret|token|passwd|password|api_?key|apikey|access_?key|private_?key|credential)[\w.-]{0,20})"
        r"['\"]?\s{0,3}(?::|=|=>)\s{0,3}['\"]?([A-Za-z0-9_~+/=.@!#%^&*-]{12,500})",
        random=True,
    ),
)

_HINTS = re.compile(
    r"AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat|gl\w{2,4}-|xox|hooks\.slack|sk-|AIza|ya29|k_live|k_test|SK[0-9a-f]|SG\.|npm_|"
    r"pypi-|hf_|eyJ|PRIVATE KEY|://|(?i:authorization|secret|token|passw|key|credential)"
)
"""None of the patterns matches a text without one of these."""
_PLACEHOLDERS = re.compile(
    r"(?i)example|placeholder|changeme|your[_-]|xxxx|<[^>]*>|\*{4}|secret_hidden|dummy|\$\{|\{\{|os\.environ|getenv|"
    r"process\.env"
)


def find_secrets(text: str) -> list[FoundSecret]:
    """What looks like a secret, each value once, in the order of the patterns."""
    if len(text) > SEARCHED:
        text = f"{text[: SEARCHED // 2]}\n{text[-SEARCHED // 2 :]}"
    if _HINTS.search(text) is None:
        return []
    found: dict[str, FoundSecret] = {}
    for pattern in _PATTERNS:
        for match in pattern.regex.finditer(text):
            value = match[match.lastindex or 0].strip()
            if value not in found and _is_secret(value, pattern):
                found[value] = FoundSecret(pattern.kind, pattern.title, value)
            if len(found) >= FOUND:
                return list(found.values())
    return list(found.values())


def _is_secret(value: str, pattern: _Pattern) -> bool:
    if len(value) < 4 or _PLACEHOLDERS.search(value):
        return False
    return not pattern.random or _looks_random(value)


def _looks_random(value: str) -> bool:
    """Whether a value is no word or path: digits and letters, many of them different."""
    if not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value)):
        return False
    if value.count("/") > len(value) / 8 or value.count(".") > 3:
        return False
    return measure_entropy(value) >= ENTROPY


def measure_entropy(text: str) -> float:
    """Bits of information in each character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
