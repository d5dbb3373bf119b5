/** df and free: how much the sandbox may store and how much memory Python may have, and what of it is used. */
import type { Command } from "../../processes/command.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import type { Tool } from "../tool/tool.ts";

/** What is used, and how much there may be. */
export interface Amount {
  used: number;
  total: number;
}

/** What the two commands report. */
export interface Usage {
  bytes(): Amount;
  /** Files, folders and links. */
  names(): Amount;
  /** Bytes of Python's memory, which is the one that a sandbox is given a limit for. */
  memory(): Promise<Amount>;
  /** Paths of the folders that files are stored in. */
  folders: string[];
}

const DF = {
  letters: "hkmTaPilHB:t:x:",
  long: { "human-readable": "h", "print-type": "T", all: "a", portability: "P", inodes: "i" },
};
const FREE = {
  letters: "hmgkbs:c:tw",
  long: { human: "h", bytes: "b", kibi: "k", mebi: "m", mega: "m", gibi: "g", giga: "g" },
  synopsis: "[OPTION]...",
};
const UNITS: [letter: string, bytes: number, name: string][] = [
  ["m", 1 << 20, "1M-blocks"],
  ["g", 1 << 30, "1G-blocks"],
  ["b", 1, "1B-blocks"],
  ["k", 1 << 10, "1K-blocks"],
];
const MEMORY_COLUMNS = ["total", "used", "free", "shared", "buff/cache", "available"];

export function usageCommands(usage: Usage): Command[] {
  return [
    defineTool("df", DF, (tool) => {
      const folders = tool.operands.map((path) => findFolder(path, tool, usage.folders));
      const { head, cells } = tool.given.has("i") ? describeNames(usage) : describeBytes(usage, tool.given);
      tool.print(formatLine("Filesystem", head, "Mounted on"));
      for (const folder of folders.length > 0 ? folders : ["/workspace"]) {
        tool.print(formatLine("sandbox", cells, folder));
      }
    }),
    defineTool("free", FREE, async (tool) => {
      const { given } = tool;
      const { used, total } = await usage.memory();
      const [, unit] = findUnit(given);
      const size = (bytes: number) => given.has("h") ? `${formatSize(bytes)}i` : String(Math.floor(bytes / unit));
      const row = (name: string, cells: string[]) => name.padEnd(8) + padCells(cells, 12).join("") + "\n";
      const memory = row("Mem:", [total, used, total - used, 0, 0, total - used].map(size));
      tool.print(row("", MEMORY_COLUMNS) + memory + row("Swap:", [0, 0, 0].map(size)));
    }),
  ];
}

/** The folder that a path is in; `/` if nothing can be stored there. */
function findFolder(path: string, { context }: Tool, folders: string[]): string {
  const whole = context.files.resolve(context.cwd, path);
  if (!context.files.exists(whole)) throw new CommandError(`${path}: No such file or directory`);
  const around = folders.filter((folder) => `${whole}/`.startsWith(`${folder}/`));
  return around.sort((a, b) => b.length - a.length)[0] ?? "/";
}

function describeBytes(usage: Usage, given: Given): { head: string[]; cells: string[] } {
  const { used, total } = usage.bytes();
  const [, unit, name] = findUnit(given);
  const short = given.has("h") || given.has("H");
  const size = (bytes: number) => short ? formatSize(bytes) : String(Math.ceil(bytes / unit));
  return {
    head: [short ? "Size" : name, "Used", "Available", "Use%"],
    cells: [...[total, used, total - used].map(size), formatShare(used, total)],
  };
}

function describeNames(usage: Usage): { head: string[]; cells: string[] } {
  const { used, total } = usage.names();
  return {
    head: ["Inodes", "IUsed", "IFree", "IUse%"],
    cells: [...[total, used, total - used].map(String), formatShare(used, total)],
  };
}

function findUnit(given: Given): (typeof UNITS)[number] {
  return UNITS.find(([letter]) => given.has(letter)) ?? UNITS[3];
}

function formatShare(used: number, total: number): string {
  return `${total > 0 ? Math.ceil(100 * used / total) : 0}%`;
}

function formatLine(name: string, cells: string[], folder: string): string {
  const last = cells.at(-1) ?? "";
  return [name.padEnd(14), ...padCells(cells.slice(0, -1), 9), last.padStart(4), folder].join(" ") + "\n";
}

function padCells(cells: string[], width: number): string[] {
  return cells.map((cell) => cell.padStart(width));
}

/** Rounded up, as df does. */
function formatSize(bytes: number): string {
  const units = ["", "K", "M", "G"];
  let value = bytes;
  while (value >= 1024 && units.length > 1) {
    value /= 1024;
    units.shift();
  }
  return `${value < 10 && units[0] ? Math.ceil(value * 10) / 10 : Math.ceil(value)}${units[0]}`;
}
