"""What each language offers for code that is being written: names, members, words, modules."""

from collections.abc import Sequence

import anyio
import msgspec
import pytest

from cloche import Sandbox

pytestmark = pytest.mark.timeout(90)

FILES = {
    "cmod.py": "x = 1",
    "cmod.lua": "return {}",
    "cmod.rb": "",
    "cmod.js": "",
    "cmod.php": "<?php",
    "cmod.pm": "1;",
    "clib/tools.sld": "",
    "node_modules/cleaf/index.js": "",
    "cdata.sql": "",
}


class Prompt(msgspec.Struct, frozen=True):
    """One language, what was run before, and what text brings which matches."""

    language: str
    before: str
    offers: dict[str, Sequence[str]]
    """Some of the matches."""
    refuses: tuple[str, ...] = ()
    """Text that nothing follows."""


PROMPTS = [
    Prompt(
        "python",
        "c_value = 1",
        {
            "import jso": ["json"],
            "from coll": ["collections"],
            "import json, itert": ["itertools"],
            "import xml.et": ["etree"],
            "import os.pa": ["path"],
            "import cmo": ["cmod"],
            "from xml import et": ["etree"],
            "from collections im": ["import"],
            "from collections import Ord": ["OrderedDict"],
            "from collections import (Counter,\n    Ord": ["OrderedDict"],
            "if 1:\n    import itert": ["itertools"],
            "import json; import itert": ["itertools"],
            "c_va": ["c_value"],
            "'a'.upp": ["upper"],
            "impor": ["import"],
        },
        ("import no_such_mod", "from . import j", "import cloche_gu"),
    ),
    Prompt(
        "bash",
        "c_function() { :; }",
        {"ech": ["echo"], "cat cmo": ["cmod.py"], "echo $HO": ["HOME"], "c_fu": ["c_function"], "whil": ["while"]},
        ("no_such_comm",),
    ),
    Prompt(
        "javascript",
        "let c_value = { deep: 1 }",
        {
            "require('pat": ["path"],
            "import x from 'pat": ["path"],
            'import fs from "node:f': ["fs", "fs/promises"],
            "await import('cle": ["cleaf"],
            "require('./cmo": ["cmod.js"],
            "c_va": ["c_value"],
            "c_value.de": ["deep"],
            "'a'.toUp": ["toUpperCase"],
            "[1, 2].ma": ["map"],
            "/a/.te": ["test"],
            "whil": ["while"],
        },
        ("c_value[0].ma", "'con", "f().ma", "require('intern"),
    ),
    Prompt(
        "typescript",
        "let c_value: number = 1",
        {"require('pat": ["path"], "interf": ["interface"], "c_va": ["c_value"], "Math.fl": ["floor"]},
    ),
    Prompt(
        "ruby",
        "c_value = 1; @c_inner = 2",
        {
            "require 'js": ["json", "json/"],
            "require 'net/ht": ["http"],
            "require_relative 'cmo": ["cmod"],
            "c_va": ["c_value"],
            "@c_in": ["@c_inner"],
            "'a'.upc": ["upcase"],
            "[1, 2].ma": ["map"],
            "x = [1].ma": ["map"],
            "whil": ["while"],
            "Arr": ["Array"],
        },
        ("require 'no_such_li",),
    ),
    Prompt(
        "php",
        "$c_value = new DateTime();",
        {
            "require 'cmo": ["cmod.php"],
            "require_once __DIR__ . '/cmo": ["cmod.php"],
            "use DateTi": ["DateTime"],
            "$c_va": ["$c_value"],
            "$c_value->form": ["$c_value->format"],
            "str_rep": ["str_replace"],
            "whil": ["while"],
        },
        ("use str_rep", "no_such_func"),
    ),
    Prompt(
        "lua",
        "c_value = 1",
        {
            "require 'cmo": ["cmod"],
            'local m = require("cmo': ["cmod"],
            "string.fo": ["format"],
            "('a'):up": ["upper"],
            "c_va": ["c_value"],
            "whil": ["while"],
        },
        ("require 'no_such",),
    ),
    Prompt(
        "r",
        "c_value <- data.frame(abc = 1)",
        {
            "library(sta": ["stats", "stats4"],
            'requireNamespace("uti': ["utils"],
            "c_va": ["c_value"],
            "c_value$a": ["c_value$abc"],
            "stats::medi": ["stats::median"],
            "whil": ["while"],
        },
        ("library(no_such",),
    ),
    Prompt(
        "perl",
        "my $c_value = 1; package Bird { sub new { bless {}, shift } sub sing { 1 } }"
        " package Duck { our @ISA = ('Bird') } my $c_duck = Duck->new;",
        {
            "use List::U": ["Util"],
            "use stri": ["strict"],
            "my $x = 1; require Fil": ["File::", "FileHandle"],
            "use JSON::": ["PP"],
            "use cmo": ["cmod"],
            "$c_va": ["c_value"],
            "$c_duck->si": ["sing"],
            "Bird->": ["new", "sing"],
            "pri": ["print", "printf"],
            "whil": ["while"],
        },
        ("use No_such", "$h{", "use List::Util qw(su", "$c_nobody->"),
    ),
    Prompt(
        "scheme",
        "(define c-value 1)",
        {
            "(import (sche": ["scheme"],
            "(import (scheme ba": ["base"],
            "(import (scheme base) (srfi ": ["1", "69"],
            "(import (only (scheme wr": ["write"],
            "(import (clib to": ["tools"],
            "c-va": ["c-value"],
            "(string-ap": ["string-append"],
        },
        ("(import (no-such",),
    ),
    Prompt(
        "sql",
        "CREATE TABLE c_table(first, second)",
        {
            "SEL": ["SELECT"],
            "select * from c_ta": ["c_table"],
            "select c_table.fi": ["first"],
            "select upp": ["upper"],
            "pragma table_in": ["table_info"],
            ".tab": ["tables"],
            ".read cda": ["cdata.sql"],
        },
        ("select no_such",),
    ),
]


@pytest.mark.parametrize("prompt", PROMPTS, ids=[each.language for each in PROMPTS])
async def test_what_could_follow_is_offered(box: Sandbox, prompt: Prompt) -> None:
    with anyio.fail_after(80):
        for path, text in FILES.items():
            await box.write(path, text)
        assert (await box.run(prompt.before, language=prompt.language)).error is None
        for text, expected in prompt.offers.items():
            found = await box.complete(text, language=prompt.language)
            assert [each for each in expected if each not in found.matches] == [], (text, found)
            assert all(each.lower().startswith(text[found.start :].lower()) for each in found.matches), (text, found)
            assert found.end == len(text)
        for text in prompt.refuses:
            assert (await box.complete(text, language=prompt.language)).matches == [], text
        # Asking has left nothing behind.
        assert (await box.run(prompt.before, language=prompt.language)).error is None or prompt.language == "sql"


async def test_completing_imports_nothing(box: Sandbox) -> None:
    await box.write("cloud/__init__.py", "print('imported')")
    await box.write("cloud/inner.py", "")
    found = await box.complete("import cloud.in")
    assert found.matches == ["inner"]
    assert (await box.run("import sys; 'cloud' in sys.modules")).value == "False"


async def test_a_long_list_of_imports_is_answered_at_once(box: Sandbox) -> None:
    await box.run("kept = 1")
    with anyio.fail_after(8):
        assert (await box.complete("import " + "a, " * 60 + "(no_such_na")).matches == []
    assert (await box.run("kept")).value == "1"
