"""Code of a language: Python is parsed, in others only commands in literal strings are found."""

import re
from collections.abc import Iterator

from cloche.security.facts.operands import find_urls
from cloche.security.facts.python_facts import read_python
from cloche.security.facts.quoting import decode_ansi
from cloche.security.facts.reading import At, Reading, TextReader
from cloche.security.facts.spelling import shorten_names

SIZE = 64 * 1024
"""Characters of code that are searched; longer code is not analysed."""
COMMANDS = 100
"""The most commands that are looked for in one code."""

_STRING = r"""(?P<quote>['"`])(?P<text>(?:\\.|(?!(?P=quote))[^\\\n]){0,1000})(?P=quote)\s*(?P<after>.)?"""
_STARTERS = {
    "javascript": r"(?:\b(?:exec|execSync|spawn|spawnSync|execFile|execFileSync|system)\s*\(|\$)\s*",
    "ruby": r"\b(?:system|exec|spawn|popen|popen3|capture2e?|capture3|sh)\b[ \t]*\(?\s*",
    "perl": r"\b(?:system|exec|readpipe)\b[ \t]*\(?\s*",
    "php": r"\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(\s*",
    "lua": r"\b(?:execute|popen)\s*\(?\s*",
    "r": r"\b(?:system2?|shell|pipe)\s*\(\s*",
    "scheme": r"\((?:system\*?|open-input-pipe|process)\s+",
    "awk": r"(?:\bsystem\s*\(\s*|\|\s*(?:getline\s*)?)",
}
_STARTERS["typescript"] = _STARTERS["javascript"]
_CALL = {name: re.compile(pattern + _STRING) for name, pattern in _STARTERS.items()}
_INSERTED = re.compile(r"#\{|\$\{|(?<!\\)\$\w")
_BACKTICKS = re.compile(r"`([^`\n]{1,1000})`|%x\{([^}\n]{1,1000})\}|\bqx[/{(]([^/})\n]{1,1000})[/})]")
_AWK_SOCKET = re.compile(r"/inet[46]?/(?:tcp|udp)/\w+/([^/\"\s]+)/(\w+)")
_EVALUATED = {
    "javascript": r"(?<![.\w])(?:eval|Function|vm\.run\w+)\s*\(",
    "ruby": r"(?<![.\w])(?:eval|instance_eval|class_eval)\b(?!:)",
    "perl": r"(?<![\w>])eval\b(?!\s*\{)",
    "php": r"(?<![>\w])(?:eval|assert|create_function)\s*\(",
    "lua": r"(?<![.\w])(?:load|loadstring)\s*\(",
    "r": r"(?<![.\w])eval\s*\(\s*(?:parse|str2lang)\b",
    "scheme": r"\((?:eval|eval-string)\s",
    "awk": r"@load\b",
}
_EVALUATED["typescript"] = _EVALUATED["javascript"]
_EVALUATION = {name: re.compile(pattern) for name, pattern in _EVALUATED.items()}
_DECODED = re.compile(
    r"decode_base64|base64_decode|decode64|\batob\b|fromCharCode|hex2bin|gzinflate|str_rot13"
    r"|from\([^()]*,\s*['\"](?:base64|hex)|\bunpack\b|\.pack\b|\bpack\s*\("
)
"""What makes code of text that nobody can read."""
_TICKED = frozenset({"ruby", "perl", "php"})
_JOINED = {"php": ".", "perl": ".", "lua": ".", "javascript": "+", "typescript": "+", "ruby": "+", "r": ""}


def read_code(language: str, code: str, reading: Reading, at: At, run: TextReader) -> None:
    """Add the facts of code in a language; `run` reads the commands that it starts."""
    plain = shorten_names(language)
    if plain == "python":
        return read_python(code, reading, at, run)
    if plain in ("bash", "sh"):
        run(code, reading, at, None)
        return None
    if len(code) > SIZE:
        return reading.add_construct("too_large", code, f"it is longer than {SIZE // 1024} KB", language=plain)
    # Not a finding: it says only that nothing else was looked for.
    reading.add_construct("not_analysed", code, f"{language} is searched for literal commands only", language=plain)
    for text, certain in _find_commands(plain, code):
        if not certain:
            reading.add_construct("computed_code", text, "a command is put together while it runs", language=plain)
        run(text, reading, At(place=at.place, via=(*at.via, plain)), None)
    if (evaluated := _EVALUATION.get(plain)) and (found := evaluated.search(code)):
        reading.add_construct("computed_code", code, f"{found[0].strip()} executes text", language=plain)
        if _DECODED.search(code):
            reading.add_code("decoded", code, language=plain)
    for match in _AWK_SOCKET.finditer(code) if plain == "awk" else ():
        reading.add_construct("network_redirect", match[0], language=plain)
    for host in dict.fromkeys(find_urls(code)):
        reading.add_host(host, code, language=plain)
    return None


def _find_commands(language: str, code: str) -> Iterator[tuple[str, bool]]:
    """Literal commands, and whether nothing is added to them."""
    pattern = _CALL.get(language)
    for number, match in enumerate(pattern.finditer(code) if pattern else ()):
        if number >= COMMANDS:
            return
        text = match["text"]
        joined = bool(match["after"]) and match["after"] == _JOINED.get(language, "")
        single = match["quote"] == "'"
        inserts = not single and _INSERTED.search(text) is not None
        yield text if single else decode_ansi(text), not (joined or inserts)
    for number, match in enumerate(_BACKTICKS.finditer(code) if language in _TICKED else ()):
        if number >= COMMANDS:
            return
        yield match[1] or match[2] or match[3], True
