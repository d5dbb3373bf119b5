/** Which module has which command; `make fmt` writes this file, see build/command_index.ts. */
import type { Command } from "just-bash";

type LoadModule = () => Promise<{ commands: Command[] }>;

export const MODULES: [name: string, load: LoadModule][] = [
  ["bc", () => import("./bc/bc.ts")],
  ["sqlite3", () => import("./unavailable.ts")],
  ["rg", () => import("../rg/command.ts")],
];
