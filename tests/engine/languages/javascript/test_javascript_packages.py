"""Well-known packages of npm, unchanged."""

import anyio
import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.network, pytest.mark.slow, pytest.mark.timeout(300)]

USES = {
    "lodash@4.17.21": ("require('lodash').chunk([1, 2, 3], 2)", "[ [ 1, 2 ], [ 3 ] ]"),
    "date-fns@4.1.0": ("import { format } from 'date-fns'; format(new Date(0), 'yyyy-MM-dd')", "'1970-01-01'"),
    "chalk@5.4.1": ("import { Chalk } from 'chalk'; new Chalk({ level: 1 }).red('x')", r"'\x1B[31mx\x1B[39m'"),
    "uuid@11.0.3": ("import { v4, validate } from 'uuid'; validate(v4())", "true"),
    "yaml@2.6.1": ("require('yaml').parse('a: [1, {b: c}]')", "{ a: [ 1, { b: 'c' } ] }"),
    "zod@3.24.1": ("import { z } from 'zod'; z.object({ a: z.number() }).safeParse({ a: 'x' }).success", "false"),
    "papaparse@5.4.1": ("require('papaparse').parse('a,b\\n1,2', { header: true }).data", "[ { a: '1', b: '2' } ]"),
    "ms@2.1.3": ("require('ms')('2 days')", "172800000"),
    "nanoid@5.0.9": ("import { nanoid } from 'nanoid'; nanoid().length", "21"),
    "mustache@4.2.0": ("require('mustache').render('Hi {{x}}', { x: 'Bob' })", "'Hi Bob'"),
    "commander@12.1.0": (
        "require('commander').program.option('-n <n>').parse(['-n', '3'], { from: 'user' }).opts()",
        "{ n: '3' }",
    ),
    "rxjs@7.8.1": ("const { of, map } = require('rxjs'); of(2).pipe(map((x) => x * 2)).forEach(console.log)", None),
    "winston@3.17.0": ("typeof require('winston').createLogger({}).info", "'function'"),
    "csv-parse@5.6.0": ("import { parse } from 'csv-parse/sync'; parse('a,b')", "[ [ 'a', 'b' ] ]"),
}


async def test_they_are_installed_and_do_their_work() -> None:
    with anyio.fail_after(280):
        async with Sandbox() as box:
            await box.install(*USES, language="javascript")
            for name, (code, value) in USES.items():
                result = await box.run(code, language="javascript")
                assert result.error is None, name
                if value is not None:
                    assert result.value == value, name
