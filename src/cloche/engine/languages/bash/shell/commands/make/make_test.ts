import { Bench } from "../../../harness_test.ts";

/** Each script prints what it prints with GNU make 4.3; the code and messages are in its output. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(`exec 2>&1; ${script}`);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}

/** A makefile, and what is run in its folder. */
function makefile(text: string, script: string): string {
  return `cat > Makefile <<'END'\n${text}\nEND\n${script}`;
}

Deno.test("make makes what is older than what it needs", () =>
  compare([
    [
      makefile("all: b\n\t@echo all\nb: a\n\tcp a b\na:\n\techo 1 > a\n.PHONY: all", "make; make b; rm b; make b"),
      "echo 1 > a\ncp a b\nall\nmake: 'b' is up to date.\ncp a b\n",
    ],
    [
      makefile("out: in | dir\n\tcp in out\ndir:\n\tmkdir dir", "touch in; make; make"),
      "mkdir dir\ncp in out\nmake: 'out' is up to date.\n",
    ],
    [makefile("all:", "make"), "make: Nothing to be done for 'all'.\n"],
    [
      makefile("a b &: c\n\t@echo making; touch a b\nc:\n\ttouch c\nall: a b", "make all; make all"),
      "touch c\nmaking\nmake: Nothing to be done for 'all'.\n",
    ],
  ]));

Deno.test("make finds rules by patterns, suffixes and search paths", () =>
  compare([
    [
      makefile("all: a.z\n%.y: %.x\n\tcp $< $@\n%.z: %.y\n\tcp $< $@", "touch a.x; make; make"),
      "cp a.x a.y\ncp a.y a.z\nrm a.y\nmake: Nothing to be done for 'all'.\n",
    ],
    [
      makefile("O = a.o b.o\nall: $(O)\n$(O): %.o: %.c\n\t@echo $* $< $@", "touch a.c b.c; make"),
      "a a.c a.o\nb b.c b.o\n",
    ],
    [makefile(".SUFFIXES: .md .html\n.md.html:\n\t@echo $< $@", "touch x.md; make x.html"), "x.md x.html\n"],
    // A rule for any name is not for names with a known suffix.
    [
      makefile("%: %.in\n\t@echo $< $@", "touch f.in f.h.in; make f; make f.h"),
      "f.in f\nmake: *** No rule to make target 'f.h'.  Stop.\n",
    ],
    [makefile("VPATH = src\nall: a.o\n%.o: %.c\n\t@echo $< $@", "mkdir src; touch src/a.c; make"), "src/a.c a.o\n"],
  ]));

Deno.test("make's variables keep their flavour and their origin", () =>
  compare([
    [
      makefile(
        "X = 1\nY := $(X)\nX = 2\nZ ?= z\nL = a\nL += b\nS != echo hi\nall:\n\t@echo $(X) $(Y) $(Z) $(L) $(S) $(L:a=q)",
        "make; make X=5; Z=env make",
      ),
      "2 1 z a b hi q b\n5 5 z a b hi q b\n2 1 env a b hi q b\n",
    ],
    [makefile("all: a b\na: V = 1\na b:\n\t@echo $@ $(V)\nb: V := 2", "make"), "a 1\nb 2\n"],
    [
      makefile("override X = 3\nX = 4\nall:\n\t@echo $(X) $(origin X) $(flavor X) $(origin CC)", "make X=9"),
      "3 override recursive default\n",
    ],
    [
      makefile("A = $(B)\nB = $(A)\nall:\n\techo $(A)", "make; echo $?"),
      "Makefile:1: *** Recursive variable 'A' references itself (eventually).  Stop.\n2\n",
    ],
    [makefile('export X = 5\nZ=7\nall:\n\t@echo $$X "[$$Z]"', "make"), "5 []\n"],
  ]));

Deno.test("make's functions, conditionals, definitions and includes", () =>
  compare([
    [
      makefile(
        "all: ; @echo $(subst a,b,banana) $(patsubst %.c,%.o,x.c z.h) $(filter-out %.c,a.c b.o) $(sort c b a b) $(wordlist 2,3,a b c d) $(dir a/b c) $(suffix a.c e) $(join a b,1 2 3) $(if ,y,n) $(or ,b) $(and a,,b)",
        "make",
      ),
      "bbnbnb x.o z.h b.o a b c b c a/ ./ .c a1 b2 3 n b\n",
    ],
    [
      makefile(
        "define rule\n$(1):\n\t@echo making $(1)\nendef\n$(foreach t,x y,$(eval $(call rule,$(t))))\nall: x y",
        "make all",
      ),
      "making x\nmaking y\n",
    ],
    [
      makefile(
        "ifeq ($(A),1)\nB = one\nelse ifeq ($(A),2)\nB = two\nelse\nB = other\nendif\nall:\n\t@echo $(B)",
        "make; make A=1; make A=2",
      ),
      "other\none\ntwo\n",
    ],
    [
      makefile("gen.mk:\n\techo V=made > gen.mk\ninclude gen.mk\nall:\n\t@echo $(V)", "make all"),
      "echo V=made > gen.mk\nmade\n",
    ],
    [
      makefile("include inc.mk\nall:\n\t@echo $(V)", "make; echo $?"),
      "Makefile:1: inc.mk: No such file or directory\nmake: *** No rule to make target 'inc.mk'.  Stop.\n2\n",
    ],
  ]));

Deno.test("make stops at a failure and says where", () =>
  compare([
    [makefile("a:\n\t@false\n\t@echo no", "make; echo $?"), "make: *** [Makefile:2: a] Error 1\n2\n"],
    [
      makefile("a:\n\t-false\n\t@echo yes", "make; echo $?"),
      "false\nmake: [Makefile:2: a] Error 1 (ignored)\nyes\n0\n",
    ],
    [
      makefile("all: x y\nx:\n\tfalse\ny:\n\techo y", "make -k; echo $?"),
      "false\nmake: *** [Makefile:3: x] Error 1\necho y\ny\nmake: Target 'all' not remade because of errors.\n2\n",
    ],
    [makefile("all: nope", "make; echo $?"), "make: *** No rule to make target 'nope', needed by 'all'.  Stop.\n2\n"],
    [
      makefile("all:\n        echo hi", "make; echo $?"),
      "Makefile:2: *** missing separator (did you mean TAB instead of 8 spaces?).  Stop.\n2\n",
    ],
    ["make; echo $?", "make: *** No targets specified and no makefile found.  Stop.\n2\n"],
    [
      makefile("all:\n\tnosuchcommand", "make; echo $?"),
      "nosuchcommand\nmake: nosuchcommand: No such file or directory\nmake: *** [Makefile:2: all] Error 127\n2\n",
    ],
  ]));

Deno.test("make runs in other folders, and recipes at the same time", () =>
  compare([
    [
      makefile("all:\n\t$(MAKE) -C sub", "mkdir sub; printf 'all:\\n\\t@echo in $(MAKELEVEL)\\n' > sub/Makefile; make"),
      "make -C sub\nmake[1]: Entering directory '/box/sub'\nin 1\nmake[1]: Leaving directory '/box/sub'\n",
    ],
    [makefile("all: a b\na:\n\t@sleep 0.1; echo a\nb:\n\t@echo b", "make -j2"), "b\na\n"],
    [makefile(".ONESHELL:\nall:\n\tx=1\n\techo $$x", "make"), "x=1\necho $x\n1\n"],
    [
      makefile("a: b\n\ttouch a\nb:\n\ttouch b", "make -n; make -t; make -q; echo $?; rm a; make -q; echo $?"),
      "touch b\ntouch a\ntouch b\ntouch a\n0\n1\n",
    ],
  ]));
