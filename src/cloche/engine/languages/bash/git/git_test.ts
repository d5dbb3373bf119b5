import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { Bench } from "../harness_test.ts";
import { parseArgs } from "./options.ts";
import { changeConfig, parseConfig, removeSection } from "./repository/configuration.ts";
import { globToRegExp } from "./repository/glob.ts";
import { Ignore } from "./repository/ignore.ts";
import { Index, type IndexEntry, parseIndex, renderIndex } from "./repository/index_file.ts";
import { mergeTexts } from "./text/merge_text.ts";
import { parseTree } from "./repository/objects.ts";
import { byBytes, checkPath, isSafeName, quotePath, relativePath } from "./repository/paths.ts";
import { patchGit } from "./isomorphic_patch.ts";

const ME = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ";

Deno.test("git works over files in memory as well", async () => {
  await using bench = new Bench();
  const { out, err, code } = await bench.run(
    `${ME}git init -q r && cd r && echo a > f && git add f && git commit -qm x && echo b >> f && git status -s && ` +
      "git stash -q && git log --oneline | wc -l && git stash pop -q && git diff --numstat",
  );
  deepStrictEqual([out, err, code], [" M f\n1\n1\t0\tf\n", "", 0]);
});

Deno.test("a reader that has left ends the walk along the history", async () => {
  await using bench = new Bench();
  await bench.run(`${ME}git init -q r; cd r; for i in $(seq 30); do git commit -q --allow-empty -m c$i; done`);
  strictEqual(await bench.out("git log --format=%s | head -n 2"), "c30\nc29\n");
});

Deno.test("an interrupt ends git at once, and nothing is locked afterwards", async () => {
  await using bench = new Bench();
  await bench.run("mkdir r; cd r; git init -q; for i in $(seq 300); do echo $i > f$i; done");
  const { ms, code } = await bench.run("while :; do git add .; git status > /dev/null; rm .git/index; done", {
    limit: 300,
  });
  strictEqual(code, 130);
  ok(ms < 2000);
  strictEqual((await bench.run("git status -s > /dev/null")).code, 0);
});

Deno.test("without a host there is no network, and other ways are refused", async () => {
  await using bench = new Bench();
  match((await bench.run("git clone https://example.com/x.git")).err, /there is no network here/);
  for (const address of ["ext::sh", "ssh://h/x", "git@h:x", "git://h/x", "file:///x", "foo::x"]) {
    match((await bench.run(`git clone '${address}' y`)).err, /^fatal: transport '\w+' not allowed/m);
  }
  strictEqual(await bench.out("ls -d x y 2>/dev/null"), "");
});

Deno.test("options are read as git reads them", () => {
  const args = parseArgs(
    ["-qm", "text", "--unified=5", "-3", "word", "--stat", "--", "-x"],
    "quiet,q message,m= unified,U= max,count= stat=?",
  );
  deepStrictEqual([args.has("quiet"), args.get("message"), args.get("unified"), args.get("max")], [
    true,
    "text",
    "5",
    "3",
  ]);
  deepStrictEqual([args.words, args.after, args.get("stat")], [["word"], ["-x"], ""]);
  throws(() => parseArgs(["--nope"], "quiet"), { message: "unknown option `nope'" });
  throws(() => parseArgs(["-m"], "message,m="), { message: "switch `m' requires a value" });
});

function entry(path: string, more: Partial<IndexEntry> = {}): IndexEntry {
  const known = { mode: 0o100644, oid: "ab".repeat(20), stage: 0, mtime: 1_700_000_000_123, precise: true };
  return { path, ...known, ino: 7, size: 3, extended: 0, ...more };
}

Deno.test("the index is read as it was written", async () => {
  const index = new Index();
  const entries = [entry("b"), entry("a/ü"), entry("a-"), entry("long".repeat(300)), entry("n", { extended: 0x2000 })];
  for (const each of entries) index.set(each);
  index.put("c", { mode: 0o100755, oid: "cd".repeat(20) }, 2);
  const read = parseIndex(await renderIndex(index));
  deepStrictEqual(read.all(), index.all());
  deepStrictEqual(read.all().slice(0, 3).map(({ path }) => path), ["a-", "a/ü", "b"]);
});

Deno.test("a broken index is an error", async () => {
  const data = await renderIndex(Object.assign(new Index(), {}));
  for (const broken of [data.slice(1), new Uint8Array(5), data.map((byte, i) => i === 11 ? 9 : byte)]) {
    throws(() => parseIndex(broken), { message: "index file corrupt" });
  }
});

Deno.test("files are ignored by the last rule that names them, the nearest first", async () => {
  const files: Record<string, string> = {
    ".gitignore": "*.o\n!keep.o\n/top\nbuild/\na/**/z\n# no\n\\#yes\ntrail \n",
    "d/.gitignore": "!x.o\n/only\n",
  };
  const ignore = new Ignore((path) => Promise.resolve(files[path]), ["*.tmp\n"]);
  const cases: [string, boolean, boolean][] = [
    ["f.o", false, true],
    ["d/f.o", false, true],
    ["d/x.o", false, false],
    ["keep.o", false, false],
    ["top", false, true],
    ["d/top", false, false],
    ["build", true, true],
    ["build", false, false],
    ["d/build/f", false, true],
    ["a/z", false, true],
    ["a/b/c/z", false, true],
    ["#yes", false, true],
    ["trail", false, true],
    ["d/only", false, true],
    ["d/e/only", false, false],
    ["x.tmp", false, true],
  ];
  for (const [path, isFolder, wanted] of cases) strictEqual(await ignore.ignores(path, isFolder), wanted, path);
});

Deno.test("patterns match as git's do", () => {
  const cases: [string, string, boolean][] = [
    ["*.c", "a.c", true],
    ["*.c", "d/a.c", false],
    ["**/a", "x/y/a", true],
    ["a/**", "a/b/c", true],
    ["a/**", "a", false],
    ["[a-c]?", "bz", true],
    ["[!a-c]", "b", false],
    ["[[:digit:]]x", "5x", true],
    ["a\\*", "a*", true],
    ["a\\*", "ab", false],
    ["[", "[", true],
    ["{a,b}", "{a,b}", true],
  ];
  for (const [pattern, path, wanted] of cases) {
    strictEqual(globToRegExp(pattern).test(path), wanted, `${pattern} ${path}`);
  }
  ok(globToRegExp("*.c", true).test("d/a.c"));
});

Deno.test("names that lead elsewhere are not safe", () => {
  for (
    const name of ["", ".", "..", ".git", ".GIT", ".Git ", ".git.", "git~1", "a/b", "a\\b", ".g\u200cit", ".git::$DATA"]
  ) {
    strictEqual(isSafeName(name), false, name);
  }
  for (const name of [".gitignore", "git", "...", "a.git", ".gitx"]) strictEqual(isSafeName(name), true, name);
  throws(() => checkPath("a/../b"), { message: "invalid path 'a/../b'" });
  throws(() => checkPath("a/".repeat(600) + "b"), /too deep/);
  throws(() => parseTree(new TextEncoder().encode("100644 f\0short")), { message: "malformed tree object" });
});

Deno.test("paths are ordered, quoted and seen as git does", () => {
  deepStrictEqual(["b", "a/b", "a-b", "a", "\u{1f600}", "\uffff"].sort(byBytes), [
    "a",
    "a-b",
    "a/b",
    "b",
    "\uffff",
    "\u{1f600}",
  ]);
  strictEqual(quotePath('tab\t"ü'), '"tab\\t\\"\\303\\274"');
  strictEqual(quotePath("plain name"), "plain name");
  strictEqual(relativePath("a/b", "a/c/d"), "../c/d");
  strictEqual(relativePath("a", "a"), "./");
});

Deno.test("settings are read and changed without touching the rest", () => {
  const text = '# mine\n[core]\n\tbare = false ; why\n[Remote "O.x"]\n\turl = "a # b"\\\n c\n[a]\n\tflag\n';
  const settings = parseConfig(text, "config");
  deepStrictEqual(settings.map(({ key, value }) => `${key}=${value}`), [
    "core.bare=false",
    "remote.O.x.url=a # b c",
    "a.flag=true",
  ]);
  match(changeConfig(text, "core.bare", "true"), /^# mine\n\[core\]\n\tbare = true\n\[Remote/);
  match(changeConfig(text, "new.sub.key", 'q " # x'), /\[new "sub"\]\n\tkey = "q \\" # x"\n$/);
  strictEqual(removeSection("[a]\n\tb = 1\n[c]\n\td = 2\n", "a"), "[c]\n\td = 2\n");
  throws(() => parseConfig("[core\nx", "config"), { message: "bad config line 1 in file config" });
});

Deno.test("texts are merged where they changed apart, and marked where together", () => {
  const base = "1\n2\n3\n4\n5\n6\n7\n";
  deepStrictEqual(mergeTexts(base, base.replace("1", "one"), base.replace("7", "seven"), ["a", "b"]), {
    text: "one\n2\n3\n4\n5\n6\nseven\n",
    conflicts: 0,
  });
  deepStrictEqual(mergeTexts("x\ny\n", "x\nours\n", "x\ntheirs\n", ["HEAD", "b"]), {
    text: "x\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> b\n",
    conflicts: 1,
  });
  strictEqual(mergeTexts("a\n", "b\n", "b\n", ["", ""]).text, "b\n");
  strictEqual(mergeTexts("", "", "new\n", ["", ""]).text, "new\n");
});

Deno.test("only the library that the patch was written for is patched", () => {
  const source =
    '!function(t,e){"object"==typeof exports?module.exports=e():t.git=e()}(self,()=>(()=>{return{}})());\n//# sourceMappingURL=x\n';
  match(patchGit(source), /^const process=undefined,CompressionStream=undefined;let library;/);
  match(patchGit(source), /export default library;\n$/);
  throws(() => patchGit("module.exports = {}"), /1\.44\.11/);
});

Deno.test("objects that lie about themselves are errors", async () => {
  await using bench = new Bench();
  await bench.run(`${ME}git init -q r; cd r; echo a > f; git add f; git commit -qm x`);
  const path = (await bench.out("git rev-parse HEAD:f | sed 's,^..,.git/objects/&/,'")).trim();
  const file = bench.files.readFile(`/box/r/${path}`);
  bench.writeBytes(`/box/r/${path}`, file.map((byte, i) => i === file.length - 8 ? byte ^ 1 : byte));
  match((await bench.run("git show HEAD:f")).err, /is corrupt/);
  throws(() => bench.files.readFile("/box/r/nope"));
});
