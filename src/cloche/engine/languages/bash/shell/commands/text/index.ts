/** Commands for text; each module is loaded when one of its commands is first called. */
import type { Command } from "../../processes/command.ts";

type LoadModule = () => Promise<{ commands: Command[] }>;

const MODULES: [names: string, load: LoadModule][] = [
  ["sed", () => import("../sed/sed.ts")],
  ["tail", () => import("../lines/tail.ts")],
  ["wc", () => import("../lines/wc.ts")],
  ["tac rev", () => import("../lines/tac.ts")],
  ["nl", () => import("../lines/nl.ts")],
  ["cut", () => import("../lines/cut.ts")],
  ["paste", () => import("../lines/paste.ts")],
  ["comm", () => import("../lines/comm.ts")],
  ["uniq", () => import("../lines/uniq.ts")],
  ["join", () => import("../lines/join.ts")],
  ["sort", () => import("../sort/sort.ts")],
  ["seq", () => import("../numbers/seq.ts")],
  ["md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", () => import("../hash/checksums.ts")],
  ["base32 base64 basenc", () => import("../hash/basenc.ts")],
  ["factor", () => import("../numbers/factor.ts")],
  ["numfmt", () => import("../numbers/numfmt.ts")],
  ["expr", () => import("../numbers/expr.ts")],
  ["dc", () => import("../dc/dc.ts")],
  ["ed", () => import("../ed/ed.ts")],
  ["tsort", () => import("../lines/tsort.ts")],
  ["envsubst", () => import("../lines/envsubst.ts")],
  ["getopt", () => import("../files/getopt.ts")],
  ["iconv", () => import("../files/iconv.ts")],
  ["split", () => import("../files/split.ts")],
  ["csplit", () => import("../files/csplit.ts")],
  ["cmp", () => import("../files/cmp.ts")],
  ["fmt", () => import("../layout/fmt.ts")],
  ["pr", () => import("../layout/pr.ts")],
  ["grep egrep fgrep", () => import("../grep/grep.ts")],
];

export const textCommands: Command[] = MODULES.flatMap(([names, load]) =>
  names.split(" ").map((name) => lazy(name, load))
);

function lazy(name: string, load: LoadModule): Command {
  let command: Command | undefined;
  const find = async () => {
    command ??= (await load()).commands.find((item) => item.name === name);
    if (!command) throw new Error(`the command ${name} is missing from its module`);
    return command;
  };
  return { name, run: (context) => command ? command.run(context) : find().then((found) => found.run(context)) };
}
