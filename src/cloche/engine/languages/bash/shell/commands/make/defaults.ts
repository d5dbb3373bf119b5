/** What make knows without a makefile. */
import type { Session } from "./session.ts";

/** The file that messages name as the place of rules which are always there. */
export const BUILTIN = "<builtin>";

const VARIABLES: Record<string, string> = {
  AR: "ar",
  ARFLAGS: "rv",
  AS: "as",
  CC: "cc",
  CXX: "g++",
  CPP: "$(CC) -E",
  FC: "f77",
  LD: "ld",
  LEX: "lex",
  YACC: "yacc",
  M2C: "m2c",
  MAKEINFO: "makeinfo",
  PC: "pc",
  RM: "rm -f",
  TEX: "tex",
  "COMPILE.c": "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
  "COMPILE.cc": "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
  "COMPILE.cpp": "$(COMPILE.cc)",
  "COMPILE.C": "$(COMPILE.cc)",
  "LINK.c": "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
  "LINK.cc": "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
  "LINK.cpp": "$(LINK.cc)",
  "LINK.C": "$(LINK.cc)",
  "LINK.o": "$(CC) $(LDFLAGS) $(TARGET_ARCH)",
  OUTPUT_OPTION: "-o $@",
};

const SUFFIXES =
  ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi .tex .texinfo .texi " +
  ".txinfo .w .ch .web .sh .elc .el";

const RULES: [target: string, prerequisite: string, recipe: string][] = [
  ["%.o", "%.c", "$(COMPILE.c) $(OUTPUT_OPTION) $<"],
  ["%.o", "%.cc", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"],
  ["%.o", "%.C", "$(COMPILE.C) $(OUTPUT_OPTION) $<"],
  ["%.o", "%.cpp", "$(COMPILE.cpp) $(OUTPUT_OPTION) $<"],
  ["%", "%.o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"],
  ["%", "%.c", "$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"],
  ["%", "%.cc", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"],
  ["%", "%.C", "$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@"],
  ["%", "%.cpp", "$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@"],
  ["%", "%.sh", "cat $< >$@ \n\tchmod a+x $@"],
];

export function defineDefaults(make: Session): void {
  const { globals, rules, options } = make;
  if (!options.letters.has("R")) {
    for (const [name, value] of Object.entries(VARIABLES)) {
      globals.set(name, { value, recursive: true, origin: "default" });
    }
  }
  if (options.letters.has("r") || options.letters.has("R")) return;
  rules.suffixes = SUFFIXES.split(" ");
  for (const [target, prerequisite, recipe] of RULES) {
    const lines = recipe.split("\n\t").map((text, i) => ({ text, line: i }));
    rules.addPattern({
      targets: [target],
      prerequisites: [prerequisite],
      orderOnly: [],
      recipe: { file: BUILTIN, lines },
      terminal: false,
      builtin: true,
    });
  }
}
