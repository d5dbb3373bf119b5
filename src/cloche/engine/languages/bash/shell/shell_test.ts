import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { Bench } from "../harness_test.ts";

Deno.test("variables, exports, arrays, functions, aliases, options and the directory stack stay", async () => {
  await using bench = new Bench();
  await bench.run(
    'mkdir d; cd d; X=5; export Y=6; a=(1 "2 3"); f() { echo "f:$1"; }; alias hi="echo HI"; shopt -s nullglob',
  );
  strictEqual(
    await bench.out('pwd; echo $X $Y "${a[1]}" $OLDPWD; f z; hi; echo *.none'),
    "/box/d\n5 6 2 3 /box\nf:z\nHI\n\n",
  );
  strictEqual(bench.shell.cwd, "/box/d");
  strictEqual(bench.shell.env().Y, "6");
  await bench.run("pushd /tmp > /dev/null; false");
  strictEqual(await bench.out("echo $?; dirs; popd > /dev/null; pwd"), "1\n/tmp ~/d\n/box/d\n");
});

Deno.test("exit ends the script with its code and keeps the shell", async () => {
  await using bench = new Bench();
  const { code, out } = await bench.run("A=1; echo before; exit 7; echo after");
  deepStrictEqual([code, out], [7, "before\n"]);
  strictEqual(await bench.out("echo $? $A"), "7 1\n");
});

Deno.test("a failure under set -e ends that script only", async () => {
  await using bench = new Bench();
  deepStrictEqual((await bench.run("set -e; false; echo no")).code, 1);
  deepStrictEqual((await bench.run("echo yes; set +e; false; echo on")).out, "yes\non\n");
});

Deno.test("a syntax error leaves the shell usable", async () => {
  await using bench = new Bench();
  const { code, err } = await bench.run("A=1\nif then");
  strictEqual(code, 2);
  match(err, /syntax error/);
  strictEqual(await bench.out("echo ok"), "ok\n");
});

Deno.test("an interrupt inside a function leaves its caller's variables", async () => {
  await using bench = new Bench();
  await bench.run("x=outer; f() { local x=inner; while true; do :; done; }; f", { limit: 100 });
  strictEqual(await bench.out("echo $x; for i in 1 2; do echo $i; done"), "outer\n1\n2\n");
});

Deno.test("a redirection of the shell itself lasts for the script", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("exec > log; echo hidden; echo piped | cat"), "");
  strictEqual(await bench.out("cat log"), "hidden\npiped\n");
});

Deno.test("a child changes nothing of the shell", async () => {
  await using bench = new Bench();
  await bench.run("export A=1; B=2; cd /tmp");
  const child = await bench.shell.exec('echo "$A,$B,$PWD"; export A=9; cd /; exit 3');
  const text = new TextDecoder();
  deepStrictEqual([child.exitCode, text.decode(child.stdout)], [3, "1,,/tmp\n"]);
  strictEqual(await bench.out("echo $A $PWD"), "1 /tmp\n");
  const words = await bench.shell.exec(["printf", "%s|", "a b", "$A", "it's"], { env: { PATH: "/bin" }, cwd: "/box" });
  strictEqual(text.decode(words.stdout), "a b|$A|it's|");
});

Deno.test("traps run at exit, on errors and on interrupts", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("trap 'echo bye $?' EXIT; echo hi; (exit 4)"), "hi\nbye 4\n");
  strictEqual(await bench.out("echo once"), "once\n");
  strictEqual(await bench.out("trap 'echo E' ERR; false; false || true; trap - ERR; false"), "E\n");
  strictEqual((await bench.run("trap 'echo INT' INT; sleep 9", { limit: 50 })).out, "INT\n");
  strictEqual(await bench.out("trap - INT; trap 'x y' EXIT; trap -p EXIT; trap - EXIT"), "trap -- 'x y' EXIT\n");
});

Deno.test("getopts of a function with its own OPTIND leaves that of its caller alone", async () => {
  await using bench = new Bench();
  const script = `f() { local OPTIND=1 o; while getopts :abxyz o; do echo $o; [ $o = y ] && f -ab; done; }; f -xyz`;
  strictEqual(await bench.out(script), "x\ny\na\nb\nz\n");
});

Deno.test("a program after an interrupt is not interrupted too", async () => {
  await using bench = new Bench();
  strictEqual((await bench.run("yes > /dev/null", { limit: 100 })).code, 130);
  strictEqual(await bench.out("sleep 0.05 && echo slept"), "slept\n");
});

Deno.test("the shell at the terminal tells when a job starts, and before the next prompt that it has ended", async () => {
  await using bench = new Bench();
  const first = await bench.run("sleep 0.01 & wait; (exit 3) & wait $!; echo $?");
  deepStrictEqual(first.out, "3\n");
  const told = first.err.replace(/(\] )\d+/g, "$1PID").split("\n");
  const [done, failed] = ["[1]+  Done                    sleep 0.01", "[1]+  Exit 3                  ( exit 3 )"];
  deepStrictEqual(told, ["[1] PID", done, "[1] PID", failed, ""]);
  const { err } = await bench.run("sleep 0.01 & sleep 0.05; :");
  deepStrictEqual(err.split("\n").slice(1), [done, ""]);
  const second = await bench.run("bash -c 'sleep 0.01 & wait'; (sleep 0.01 & wait); echo $(sleep 0.01 & wait; echo x)");
  deepStrictEqual([second.out, second.err], ["x\n", ""]);
});

Deno.test("a mistake in the text of eval, source or a trap does not end the script", async () => {
  await using bench = new Bench();
  const { out, err } = await bench.run('echo \'eval "if"; echo $?; echo ")" > f; . ./f; echo $?\' > s; bash s');
  deepStrictEqual(out, "2\n2\n");
  deepStrictEqual(err.split("\n")[0], "s: eval: line 2: syntax error: unexpected end of file");
});

Deno.test("functions that are exported reach another bash, also through other programs", async () => {
  await using bench = new Bench();
  const script =
    'f() { echo "f $1"; }; export -f f; bash -c "f 1"; echo 2 | xargs -I{} bash -c "f {}"; export -nf f; bash -c f';
  const { out, code } = await bench.run(script);
  deepStrictEqual([out, code], ["f 1\nf 2\n", 127]);
});

Deno.test("a prompt's substitution may wait", async () => {
  await using bench = new Bench();
  const script = `PS4='$(sleep 0.01; echo P) '; x='$(sleep 0.01; echo Q)'; echo "\${x@P}"; set -x; :`;
  const { out, err } = await bench.run(script);
  deepStrictEqual([out, err], ["Q\n", "P :\n"]);
});

Deno.test("bash reads BASH_ENV, refuses unknown options, and in POSIX mode ends where a special builtin fails", async () => {
  await using bench = new Bench();
  const script = "echo v=5 > e; BASH_ENV=./e bash -c 'echo $v'; bash -r -c :; echo $?; bash --nosuch; echo $?";
  deepStrictEqual((await bench.run(script)).out, "5\n2\n2\n");
  const posix = "sh -c '. ./none; echo no'; echo $?; sh -c 'command . ./none; echo on'; bash -c '. ./none; echo on'";
  deepStrictEqual((await bench.run(posix)).out, "1\non\non\n");
});

Deno.test("numbers in the middle are rounded to even digits, and the C locale counts bytes", async () => {
  await using bench = new Bench();
  deepStrictEqual(await bench.out("printf '%.0f %.0f %.1f %.2f' 0.5 1.5 0.25 0.125"), "0 2 0.2 0.12");
  deepStrictEqual(await bench.out("LC_ALL=C; x=aé; echo ${#x} ${x^^}; [[ é == ?? ]] && echo two"), "3 Aé\ntwo\n");
});

Deno.test("a name that ends with a slash is no file to write; a short menu is one below the other", async () => {
  await using bench = new Bench();
  const { out, err } = await bench.run("echo > d/; echo $?; select x in a b; do echo $x; break; done <<< 2; ls d");
  deepStrictEqual([out, err], [
    "1\nb\n",
    "bash: d/: Is a directory\n1) a\n2) b\n#? ls: cannot access 'd': No such file or directory\n",
  ]);
});
