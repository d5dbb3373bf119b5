/** The processes of the sandbox, as ps, pgrep and others see them. */
import type { ProgramContext } from "../../execution/run_program.ts";
import type { CommandContext } from "../../processes/command.ts";
import type { Kernel } from "../../processes/kernel.ts";
import type { Process } from "../../processes/process.ts";
import { signalName, signalNumber } from "../../processes/signals.ts";

export function kernelOf(context: CommandContext): Kernel {
  return (context as ProgramContext).interpreter.kernel;
}

/** All that run, by their numbers. */
export function listProcesses(context: CommandContext): Process[] {
  return [...kernelOf(context).processes.values()].filter(({ code }) => code === undefined)
    .sort((a, b) => a.pid - b.pid);
}

/** The name of its program. */
export function nameOfProcess(process: Process): string {
  const words = process.title.trim().split(/\s+/).filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  return (words[0] ?? "bash").split("/").at(-1) ?? "";
}

export function userOf(context: CommandContext): string {
  return context.env.USER || "user";
}

/** The number of a signal: 9, KILL, SIGKILL. */
export function parseSignal(word: string): number | undefined {
  if (/^\d+$/.test(word)) return Number(word) <= 64 ? Number(word) : undefined;
  const name = signalName(word);
  return name === undefined ? undefined : signalNumber(name);
}
