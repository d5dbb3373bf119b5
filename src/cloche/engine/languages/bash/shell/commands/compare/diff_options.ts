/** The options of diff. */
import type { Usage } from "../tool/options.ts";

export const DIFF_USAGE: Usage = {
  letters: "abBcC:dD:eEF:fiI:lL:nNpPqrsS:tTuU:wW:x:X:yZ",
  long: {
    text: "a",
    "ignore-space-change": "b",
    "ignore-blank-lines": "B",
    "context?": "C",
    minimal: "d",
    "ifdef=": "D",
    ed: "e",
    "ignore-tab-expansion": "E",
    "show-function-line=": "F",
    "forward-ed": "f",
    "ignore-case": "i",
    "ignore-matching-lines=": "I",
    paginate: "l",
    "label=": "L",
    rcs: "n",
    "new-file": "N",
    "show-c-function": "p",
    "unidirectional-new-file": "unidirectional",
    brief: "q",
    recursive: "r",
    "report-identical-files": "s",
    "starting-file=": "S",
    "expand-tabs": "t",
    "initial-tab": "T",
    "unified?": "U",
    "ignore-all-space": "w",
    "width=": "W",
    "exclude=": "x",
    "exclude-from=": "X",
    "side-by-side": "y",
    "ignore-trailing-space": "Z",
    "strip-trailing-cr": "cr",
    "color?": "color",
    normal: "normal",
    "no-dereference": "no-dereference",
    "suppress-common-lines": "suppress",
    "left-column": "left",
    "from-file=": "from-file",
    "to-file=": "to-file",
    "tabsize=": "tabsize",
    "old-line-format=": "old-line",
    "new-line-format=": "new-line",
    "unchanged-line-format=": "unchanged-line",
    "line-format=": "line",
    "speed-large-files": "speed",
    "horizon-lines=": "horizon",
  },
  code: 2,
  hintNamed: true,
  synopsis: "[OPTION]... FILES",
};

/** `-5` and `-u5` give the lines around a change. */
export function nameContext(args: string[]): string[] {
  const style = args.some((arg) => /^-[a-zA-Z]*c/.test(arg) && !arg.startsWith("--")) ? "C" : "U";
  return args.map((arg) => {
    const [, first, rest] = /^-(\d+)([a-zA-Z]+)$/.exec(arg) ?? [];
    if (first !== undefined) return `-${rest}${style}${first}`;
    const [, letters, digits] = /^-([a-zA-Z]*?)(\d+)$/.exec(arg) ?? [];
    if (digits === undefined || /[CDFILSUWxX]/.test(letters)) return arg;
    return letters === ""
      ? `-${style}${digits}`
      : `-${letters.replace(/[uc]$/, "")}${letters.endsWith("c") ? "C" : "U"}${digits}`;
  });
}
