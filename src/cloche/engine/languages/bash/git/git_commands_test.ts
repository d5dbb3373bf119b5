import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { Bench } from "../harness_test.ts";

// What the scripts print is what git 2.39.5 prints with these names and dates.
const ME = "export GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=a@x.org GIT_AUTHOR_DATE='1700000000 +0100' " +
  "GIT_COMMITTER_NAME='C O Mitter' GIT_COMMITTER_EMAIL=c@x.org GIT_COMMITTER_DATE='1700000001 +0200' GIT_EDITOR=true; ";
const FIVE =
  `${ME}git init -q r; cd r; for i in a b c d e; do echo $i > $i; git add $i; git commit -qm "add $i"; done; `;
const TWO = `${ME}git init -q r; cd r; seq 5 > f; git add f; git commit -qm base; git checkout -qb x; ` +
  "sed -i s/3/three/ f; git commit -qam 'x three'; echo g > g; git add g; git commit -qm 'x g'; git checkout -q main; " +
  "sed -i s/3/drei/ f; git commit -qam 'main drei'; git checkout -q x; ";

Deno.test("every move of a ref is in its log, and revisions find it there", async () => {
  await using bench = new Bench();
  const out = await bench.out(
    `${FIVE}git reset -q --hard HEAD~1; git checkout -q -b y; git reflog; git log -1 --format=%s ` +
      "HEAD@{1}; git log -1 --format=%s main@{1}; git rev-parse --abbrev-ref @{-1}; git reflog y",
  );
  deepStrictEqual(out.split("\n"), [
    "8cf2fbc HEAD@{0}: checkout: moving from main to y",
    "8cf2fbc HEAD@{1}: reset: moving to HEAD~1",
    "8f29fbb HEAD@{2}: commit: add e",
    "8cf2fbc HEAD@{3}: commit: add d",
    "983cf27 HEAD@{4}: commit: add c",
    "ad61e94 HEAD@{5}: commit: add b",
    "58f8132 HEAD@{6}: commit (initial): add a",
    "add d",
    "add e",
    "main",
    "8cf2fbc y@{0}: branch: Created from HEAD",
    "",
  ]);
});

Deno.test("a rebase stops at a conflict and goes on when it is resolved", async () => {
  await using bench = new Bench();
  const { err, code } = await bench.run(`${TWO}git rebase main`);
  strictEqual(code, 1);
  match(err, /^error: could not apply 2891c1b\.\.\. x three$/m);
  const out = await bench.out("seq 7 > f; git add f; git rebase --continue; git log --format=%s; git status");
  match(out, /\nx g\nx three\nmain drei\nbase\nOn branch x\nnothing to commit, working tree clean\n$/);
});

Deno.test("a rebase's list is changed by a command of the sandbox", async () => {
  await using bench = new Bench();
  const out = await bench.out(
    `${FIVE}GIT_SEQUENCE_EDITOR="sed -i 2s/pick/fixup/" git rebase -i HEAD~3 2> /dev/null; git log --format='%h %s'`,
  );
  strictEqual(out, "0392322 add e\n8b24e81 add c\nad61e94 add b\n58f8132 add a\n");
  const { err, code } = await bench.run("unset GIT_EDITOR; git rebase -i HEAD~1");
  deepStrictEqual([code, err.includes("set GIT_SEQUENCE_EDITOR")], [1, true]);
});

Deno.test("an editor that the repository names is not run", async () => {
  await using bench = new Bench();
  await bench.run(`${FIVE}git config sequence.editor 'touch /box/ran;'; git config core.editor 'touch /box/ran;'`);
  await bench.run("unset GIT_EDITOR; git rebase -i HEAD~1; git commit --amend");
  strictEqual(await bench.out("ls /box/ran 2> /dev/null"), "");
});

Deno.test("commits go through the mail and come out the same", async () => {
  await using bench = new Bench();
  const out = await bench.out(
    `${FIVE}git format-patch -q -o p HEAD~2; git rev-parse HEAD; git checkout -q -b o HEAD~2; git am -q p/*; git rev-parse HEAD`,
  );
  const [before, after] = out.split("\n");
  strictEqual(after, before);
});

Deno.test("a bisection finds the commit by running a command", async () => {
  await using bench = new Bench();
  const out = await bench.out(
    `${FIVE}git bisect start HEAD HEAD~4 > /dev/null; git bisect run test ! -f c; git bisect reset -q`,
  );
  match(out, /^983cf27\w* is the first bad commit$/m);
});

Deno.test("commits are described by tags near them", async () => {
  await using bench = new Bench();
  const script =
    "git tag -a v1 -m t HEAD~2; git describe; git describe --long HEAD~2; echo x > a; git describe --dirty";
  strictEqual(await bench.out(FIVE + script), "v1-2-g8f29fbb\nv1-0-g983cf27\nv1-2-g8f29fbb-dirty\n");
});

Deno.test("a second work tree shares commits and has its own branch", async () => {
  await using bench = new Bench();
  const out = await bench.out(
    `${FIVE}git worktree add -q ../w; cd ../w; git commit -q --allow-empty -m w; git branch --show-current; cd ../r; ` +
      "git log -1 --format=%s w; git checkout w 2>&1; git worktree remove ../w; git worktree list",
  );
  strictEqual(out, "w\nw\nfatal: 'w' is already checked out at '/box/w'\n/box/r  8f29fbb [main]\n");
});

Deno.test("lines are attributed to the commits that brought them", async () => {
  await using bench = new Bench();
  strictEqual(
    await bench.out(`${TWO}git blame -s f`),
    "^2643d4a 1) 1\n^2643d4a 2) 2\n2891c1b9 3) three\n^2643d4a 4) 4\n^2643d4a 5) 5\n",
  );
});

Deno.test("conflicts are not lost by a switch, a stash or a pull", async () => {
  await using bench = new Bench();
  const { out, err } = await bench.run(
    `${TWO}git checkout -q main; git merge x > /dev/null; git branch y; git stash; echo $?; git checkout y; echo $?; ` +
      "git switch y; echo $?; git pull; echo $?; git checkout -q -b kept; git status -s; git checkout -q -f y; git status -s",
  );
  strictEqual(out, "f: needs merge\n1\nf: needs merge\n1\n128\n128\nUU f\nA  g\n");
  match(err, /^error: you need to resolve your current index first$/m);
  match(err, /^fatal: cannot switch branch while merging$/m);
  match(err, /^error: Pulling is not possible because you have unmerged files\.$/m);
});

Deno.test("an alias stands for another call; one for a command of the shell is not run", async () => {
  await using bench = new Bench();
  const { out, err, code } = await bench.run(
    `${FIVE}git config --global alias.one 'log --format="%s now"'; git -c alias.top='one -1' top; ` +
      "git -c alias.loop=loop loop; git config alias.own log; git own; git config --global alias.sh '!echo hi'; git sh",
  );
  deepStrictEqual([out, code], ["add e now\n", 1]);
  match(err, /'loop' is not a git command here/);
  match(err, /'own' is an alias of this repository/);
  match(err, /'sh' is an alias for a command of the shell: run it yourself: echo hi/);
});

Deno.test("branches are listed by what they contain or are merged into", async () => {
  await using bench = new Bench();
  strictEqual(
    await bench.out(
      `${TWO}git branch old main~1; git branch --merged main; git branch --no-merged main; git branch --contains x~1; ` +
        "git branch --no-contains main; git tag v1 main; git tag --contains old; git tag --merged x",
    ),
    "  main\n  old\n* x\n* x\n  old\n* x\nv1\n",
  );
});

Deno.test("an editor sees what a commit is about", async () => {
  await using bench = new Bench();
  const { out, err } = await bench.run(
    `${TWO}GIT_EDITOR=cat git commit --amend; GIT_EDITOR='echo named >' git tag -a v1; git tag -n1; GIT_EDITOR=: git tag -a v2`,
  );
  strictEqual(
    out.split("\n").slice(0, 12).join("\n"),
    "x g\n\n# Please enter the commit message for your changes. Lines starting\n" +
      "# with '#' will be ignored, and an empty message aborts the commit.\n#\n" +
      "# Date:      Tue Nov 14 23:13:20 2023 +0100\n#\n# On branch x\n# Changes to be committed:\n#\tnew file:   g\n#\n" +
      out.split("\n")[11],
  );
  match(out, /^v1 {14}named$/m);
  match(err, /^fatal: no tag message\?$/m);
});
