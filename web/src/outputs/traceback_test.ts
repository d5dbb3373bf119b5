import { readFailure, splitTraceback } from "./traceback.ts";

function expect(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const kinds = (text: string) => splitTraceback(text).map(({ kind, frames }) => `${kind} ${frames}`);

Deno.test("a traceback of Python: own lines, then libraries, then the error", () => {
  const text = `Traceback (most recent call last):
  File "Cell In[1]", line 4, in <module>
    f('{bad')
    ~^^^^^^^^
  File "Cell In[1]", line 3, in f
    return json.loads(x)
  File "/lib/python314.zip/json/__init__.py", line 352, in loads
    return _default_decoder.decode(s)
  File "/lib/python314.zip/json/decoder.py", line 345, in decode
    obj, end = self.raw_decode(s, idx=_w(s, 0).end())
json.decoder.JSONDecodeError: Expecting value
`;
  expect(kinds(text), ["words 0", "own 2", "library 2", "words 0"]);
  expect(splitTraceback(text)[3]?.text, "json.decoder.JSONDecodeError: Expecting value");
});

Deno.test("a traceback of IPython with colours keeps them", () => {
  const text = "\x1b[0;31m-----\x1b[0m\n\x1b[0;31mValueError\x1b[0m   Traceback (most recent call last)\n" +
    "Cell \x1b[0;32mIn[3], line 2\x1b[0m\n      1 x\n\x1b[0;32m----> 2 y\x1b[0m\n\n" +
    "File \x1b[0;32m/usr/lib/python3/json.py:12\x1b[0m, in loads(s)\n     11 a\n---> 12 b\n\nValueError: no";
  expect(kinds(text), ["words 0", "own 1", "library 1", "words 0"]);
  if (!splitTraceback(text)[1]?.text.includes("\x1b[0;32m")) throw new Error("the colours are gone");
});

Deno.test("the other languages", () => {
  expect(kinds("TypeError: no\n    at f (<cell>:1:25)\n    at g (node:internal:3:1)\n    at <cell>:2:1"), [
    "words 0",
    "own 1",
    "library 1",
    "own 1",
  ]);
  expect(kinds("<cell>:2:in 'Integer#/': divided by 0 (ZeroDivisionError)\n\tfrom <cell>:2:in 'Object#f'"), ["own 2"]);
  expect(kinds("lua: <cell>:1: no\nstack traceback:\n\t[C]: in function 'error'\n\t<cell>:2: in main chunk"), [
    "words 0",
    "library 1",
    "own 1",
  ]);
  expect(kinds("Fatal error: no\nStack trace:\n#0 <cell>(2): f()\n#1 {main}"), ["words 0", "own 2"]);
  expect(kinds("no at <cell> line 1.\n\tmain::f called at <cell> line 2"), ["words 0", "own 1"]);
  expect(kinds('Traceback:\n1. f()  at <cell>:2:1\n2. stop("no")  at <cell>:1:6\nError in f() : no'), [
    "words 0",
    "own 2",
    "words 0",
  ]);
  expect(kinds("just words"), ["words 0"]);
});

Deno.test("a failure is read from data", () => {
  expect(readFailure({ type: "E", message: "no", line: 3, column: null, traceback: "t" }), {
    type: "E",
    message: "no",
    line: 3,
    traceback: "t",
  });
  expect(readFailure({ message: "no" }), undefined);
  expect(readFailure("E"), undefined);
});
