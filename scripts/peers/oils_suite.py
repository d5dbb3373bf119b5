"""Oils' spec tests, of which those count that the bash of this machine passes."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from beside.cases import FOLDER as CASE_FOLDER
from beside.cases import SUITE, Case, Outcome

NAME = "oils"
FOLDER = "spec/alias.test.sh"
FRESH = True
ENV: Mapping[str, str] = {"SH": "bash", "REPO_ROOT": SUITE, "TMP": CASE_FOLDER}

ARGV = r"""#!/bin/bash
# Prints its arguments as Python 2 writes a list of strings.
list=
for arg in "$@"; do
  case $arg in
    *[!a-zA-Z0-9\ _./:,=+@%*?-]*)
      quote="'"
      case $arg in *\"*) ;; *\'*) quote='"' ;; esac
      text=
      for code in $(printf %s "$arg" | od -An -v -tu1); do
        case $code in
          9) part='\t' ;; 10) part='\n' ;; 13) part='\r' ;; 92) part='\\' ;;
          39) part="'"; test "$quote" = "'" && part="\\'" ;;
          *)
            if test $code -ge 32 && test $code -lt 127; then
              printf -v octal %03o $code; printf -v part "\\$octal"
            else
              printf -v part '\\x%02x' $code
            fi ;;
        esac
        text=$text$part
      done
      text=$quote$text$quote ;;
    *) text="'$arg'" ;;
  esac
  list="$list, $text"
done
printf '%s\n' "[${list#, }]"
"""
PRINTENV = """#!/bin/bash
for name in "$@"; do printenv "$name" || echo None; done
"""
BOTH = """#!/bin/bash
echo "${1-STDOUT}"
echo "${2-STDERR}" >&2
exit "${3-0}"
"""
READ = """#!/bin/bash
for fd in "$@"; do
  { true <&"$fd"; } 2> /dev/null || { echo "FATAL: Error reading from fd $fd" >&2; exit 1; }
  printf '%s: ' "$fd"
  head -c 1024 <&"$fd"
done
"""
TOOLS: Mapping[str, str] = {
    "argv.py": ARGV,
    "printenv.py": PRINTENV,
    "stdout_stderr.py": BOTH,
    "read_from_fd.py": READ,
    "foo=bar": "#!/bin/sh\necho HI\n",
}
"""Theirs are written in Python 2."""

LABEL = re.compile(r"##\s+(?:((?:OK|BUG|N-I)(?:-\d)?)\s+([\w+/]+)\s+)?([\w-]+):\s*(.*)")
COMMENT = re.compile(r"\s*#")
COMPARED = re.compile(r"^## compare_shells:.*\bbash\b", re.MULTILINE)
OLD_FOLDER = re.compile(r"^## legacy_tmp_dir:\s*yes", re.MULTILINE)


def list_cases(checkout: Path) -> list[Case]:
    """The cases of all files that are meant for bash too."""
    cases: list[Case] = []
    for path in sorted((checkout / "spec").glob("*.test.sh")):
        text = path.read_text(errors="surrogateescape")
        if COMPARED.search(text):
            folders = ("_tmp",) if OLD_FOLDER.search(text) else ()
            cases += [
                Case(name=f"{path.name}:{number}", group=path.name, folders=folders, code=code, expected=expected)
                for number, (code, expected) in enumerate(read_cases(text))
            ]
    return cases


def read_cases(text: str) -> list[tuple[str, dict[str, str]]]:
    """The code of each case of a file, and what bash is expected to do."""
    parts = re.split(r"^####.*\n", text, flags=re.MULTILINE)[1:]
    return [read_case(part.splitlines(keepends=True)) for part in parts]


def read_case(lines: Sequence[str]) -> tuple[str, dict[str, str]]:
    """One case: its lines of code, and the labelled values around them, of which bash's own count first."""
    code: list[str] = []
    general: dict[str, list[str]] = {}
    own: dict[str, list[str]] = {}
    block = code
    for line in lines:
        if label := LABEL.match(line):
            qualifier, shells, key, value = label.groups()
            chosen = general if qualifier is None else own if "bash" in shells.split("/") else {}
            chosen[key.lower()] = kept = [f"{value}\n"] if key.islower() else []
            block = kept if key.isupper() else [] if code else code
        elif line.startswith("##"):
            block = []
        elif not COMMENT.match(line) and (block is not code or code or line.strip()):
            block.append(line)
    given = "".join(general.pop("code", code))
    return given, settle({name: "".join(text) for name, text in general.items()}, own)


def settle(general: dict[str, str], own: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What is expected on each stream, and the status: what is said of bash takes the place of the rest."""
    for name, text in own.items():
        plain = name.removesuffix("-json")
        general.pop(plain, None)
        general.pop(f"{plain}-json", None)
        general[name] = "".join(text)
    expected = {"status": general.get("status", "0").strip()}
    for name in ("stdout", "stderr"):
        if name in general:
            expected[name] = general[name]
        elif f"{name}-json" in general:
            expected[name] = json.loads(general[f"{name}-json"])
    return expected


def find_points(case: Case, outcome: Outcome) -> Sequence[str]:
    """Its name, if the streams and the status that are named are as expected."""
    found = {"status": str(outcome.status), "stdout": outcome.stdout, "stderr": outcome.stderr}
    same = all(found[name] == _readable(text) for name, text in case.expected.items())
    return [case.name] if same and not outcome.late else []


def _readable(text: str) -> str:
    """As both sides give what is no text."""
    return text.encode(errors="surrogateescape").decode(errors="replace")
