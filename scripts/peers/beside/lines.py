"""Expected output, counted by lines."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from beside.cases import Case

RECHO = r"""#!/bin/bash
# Prints each argument with what is invisible in it made visible.
number=0
for arg in "$@"; do
  number=$((number + 1))
  case $arg in
    *[$'\001'-$'\037'$'\177']*)
      printf 'argv[%d] = <' $number
      for code in $(printf %s "$arg" | od -An -v -tu1); do
        before=
        test $code -lt 32 && { before=^; code=$((code + 64)); }
        test $code -eq 127 && { before=^; code=63; }
        printf -v octal %03o $code
        printf "$before\\$octal"
      done
      printf '>\n' ;;
    *) printf 'argv[%d] = <%s>\n' $number "$arg" ;;
  esac
done
"""
XCASE = """#!/bin/bash
case $* in
  *-u*|*-nu*) tr a-z A-Z ;;
  *-l*|*-nl*) tr A-Z a-z ;;
  *) cat ;;
esac
"""
TOOLS = {"recho": RECHO, "zecho": '#!/bin/bash\nprintf "%s\\n" "$*"\n', "xcase": XCASE}
"""The suites of both shells have these as programs in C."""


def match_lines(case: Case, expected: Sequence[str], text: str) -> list[str]:
    """The expected lines that are in the text, in their order, as names with their numbers."""
    matcher = SequenceMatcher(None, expected, text.splitlines(), autojunk=False)
    found = [block.a + offset for block in matcher.get_matching_blocks() for offset in range(block.size)]
    return [f"{case.name}:{number + 1}" for number in found]
