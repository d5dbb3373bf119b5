/** clear, reset, stty and tput, for a terminal of 80 columns that understands ANSI sequences. */
import type { Command } from "../../processes/command.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const CLEAR = "\x1b[H\x1b[2J";

const clear = defineTool("clear", { letters: "xT:V" }, (tool) => {
  tool.print(tool.given.has("x") ? CLEAR : `${CLEAR}\x1b[3J`);
});

const reset = defineTool("reset", { letters: "qIsV" }, (tool) => tool.print("\x1bc"));

function sizeOf({ context: { env } }: Tool): { columns: string; lines: string } {
  return { columns: env.COLUMNS || "80", lines: env.LINES || "24" };
}

const stty = defineTool("stty", { letters: "agF:", long: { all: "a", save: "g", "file=": "F" } }, (tool) => {
  const { columns, lines } = sizeOf(tool);
  if (tool.context.fds.find(0)?.kind !== "terminal") {
    throw new CommandError("'standard input': Inappropriate ioctl for device");
  }
  if (tool.operands[0] === "size") tool.print(`${lines} ${columns}\n`);
  else if (tool.operands.length === 0) tool.print(`speed 38400 baud; line = 0;\nrows ${lines}; columns ${columns};\n`);
}, (args) => args.map((arg) => /^-(?![agF]$|-)./.test(arg) && !arg.startsWith("-F") ? arg.slice(1) : arg));

/** Capabilities that are only text. */
const TEXTS: Record<string, string> = {
  bold: "\x1b[1m",
  dim: "\x1b[2m",
  sitm: "\x1b[3m",
  ritm: "\x1b[23m",
  smul: "\x1b[4m",
  rmul: "\x1b[24m",
  blink: "\x1b[5m",
  rev: "\x1b[7m",
  smso: "\x1b[7m",
  rmso: "\x1b[27m",
  invis: "\x1b[8m",
  sgr0: "\x1b(B\x1b[m",
  op: "\x1b[39;49m",
  clear: CLEAR,
  home: "\x1b[H",
  el: "\x1b[K",
  el1: "\x1b[1K",
  ed: "\x1b[J",
  cuu1: "\x1b[A",
  cud1: "\n",
  cuf1: "\x1b[C",
  cub1: "\b",
  sc: "\x1b7",
  rc: "\x1b8",
  civis: "\x1b[?25l",
  cnorm: "\x1b[?12l\x1b[?25h",
  smcup: "\x1b[?1049h",
  rmcup: "\x1b[?1049l",
  bel: "\x07",
  cr: "\r",
};

/** Those that take numbers. */
const TEMPLATES: Record<string, (a: number, b: number) => string> = {
  setaf: (color) => `\x1b[${colorCode(color, 30)}m`,
  setab: (color) => `\x1b[${colorCode(color, 40)}m`,
  cup: (row, column) => `\x1b[${row + 1};${column + 1}H`,
  hpa: (column) => `\x1b[${column + 1}G`,
  cuu: (count) => `\x1b[${count}A`,
  cud: (count) => `\x1b[${count}B`,
  cuf: (count) => `\x1b[${count}C`,
  cub: (count) => `\x1b[${count}D`,
};

function colorCode(color: number, base: number): string {
  if (color < 8) return String(base + color);
  return color < 16 ? String(base + 60 + color - 8) : `${base + 8};5;${color}`;
}

const tput = defineTool(
  "tput",
  { letters: "ST:Vx", strict: true, code: 2, synopsis: "[options] [command]" },
  (tool) => {
    const [name, ...words] = tool.operands;
    if (name === undefined) throw new UsageError("a capability is needed");
    const [a = 0, b = 0] = words.map(Number);
    const { columns, lines } = sizeOf(tool);
    const numbers: Record<string, string> = { cols: columns, lines, colors: "256" };
    if (numbers[name] !== undefined) tool.print(`${numbers[name]}\n`);
    else if (TEMPLATES[name]) tool.print(TEMPLATES[name](a, b));
    else if (TEXTS[name] !== undefined) tool.print(TEXTS[name]);
    else if (name === "init" || name === "reset") tool.print("\x1bc");
    else if (name === "longname") tool.print("xterm with 256 colors");
    else throw new CommandError(`unknown terminfo capability '${name}'`, 4);
  },
);

export const commands: Command[] = [clear, reset, stty, tput];
