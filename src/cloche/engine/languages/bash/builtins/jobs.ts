/** wait, jobs, kill, fg, bg, disown. */
import { emptyResult, failure } from "../interpreter/just_bash_types.ts";
import type { ShellInterpreter } from "../interpreter/interpreter.ts";
import type { Job } from "../interpreter/jobs.ts";
import type { Builtin } from "../interpreter/process.ts";
import { signalName } from "../interpreter/traps.ts";

const NUMBERS: Record<string, number> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
};

const wait: Builtin = async (shell, args) => {
  const { jobs } = shell.process.table;
  const words = args.filter((word) => !word.startsWith("-"));
  if (args.includes("-n")) return await waitForOne(shell, words);
  let code = 0;
  if (words.length === 0) {
    for (const job of jobs.of(shell.process)) {
      await settled(shell, job.done);
      jobs.forget(job);
    }
  }
  for (const word of words) {
    const job = jobs.find(shell.process, word);
    if (!job) return unknown("wait", word, 127);
    code = await settled(shell, job.done);
    job.hidden = true;
  }
  return emptyResult(code);
};

async function waitForOne(shell: ShellInterpreter, words: string[]) {
  const { jobs } = shell.process.table;
  const all = words.length > 0 ? words.map((word) => jobs.find(shell.process, word)) : jobs.of(shell.process);
  const candidates = all.filter((job): job is Job => job !== undefined);
  if (candidates.length === 0) return emptyResult(127);
  const [job, code] = await settled(shell, Promise.race(candidates.map(async (one) => [one, await one.done] as const)));
  jobs.forget(job);
  return emptyResult(code);
}

/** Waits for something, or for the interrupt, which the interpreter then acts upon. */
function settled<T>(shell: ShellInterpreter, promise: Promise<T>): Promise<T> {
  const { signal } = shell.state;
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => shell.leave(130).catch(reject);
    if (signal.aborted) return void stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const list: Builtin = (shell, args) => {
  const { jobs } = shell.process.table;
  const own = jobs.of(shell.process);
  const lines = own.map((job, i) => {
    if (args.includes("-p")) return `${job.pid}\n`;
    const mark = i === own.length - 1 ? "+" : i === own.length - 2 ? "-" : " ";
    const pid = args.includes("-l") ? `${job.pid} ` : "";
    return `[${job.id}]${mark}  ${pid}${statusOf(job).padEnd(23)} ${job.text}${job.code === undefined ? " &" : ""}\n`;
  });
  const shown = own.filter((job) => !(args.includes("-r") && job.code !== undefined));
  for (const job of own) if (job.code !== undefined) jobs.forget(job);
  return { ...emptyResult(0), stdout: lines.filter((_, i) => shown.includes(own[i])).join("") };
};

function statusOf(job: Job): string {
  if (job.code === undefined) return "Running";
  if (job.signal !== undefined) return job.signal === 9 ? "Killed" : "Terminated";
  return job.code === 0 ? "Done" : `Exit ${job.code}`;
}

const kill: Builtin = async (shell, args) => {
  if (args[0] === "-l" || args[0] === "-L") {
    return {
      ...emptyResult(0),
      stdout: Object.entries(NUMBERS).map(([name, number]) => `${number}) SIG${name}\n`).join(""),
    };
  }
  const { signal, targets, bad } = parseKill(args);
  if (bad !== undefined) return failure(`bash: kill: ${bad}: invalid signal specification`);
  if (targets.length === 0) {
    return failure("kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]", 2);
  }
  let code = 0;
  let message = "";
  for (const target of targets) {
    const problem = await send(shell, signal, target);
    if (problem === undefined) continue;
    message += problem;
    code = 1;
  }
  return { ...emptyResult(code), stderr: message };
};

function parseKill(args: string[]): { signal: number; targets: string[]; bad?: string } {
  const [first = "", ...rest] = args;
  if (first === "--") return { signal: 15, targets: rest };
  if (!/^-./.test(first)) return { signal: 15, targets: args };
  const word = first === "-s" || first === "-n" ? rest[0] ?? "" : first.slice(1);
  const targets = (word === rest[0] && /^-[sn]$/.test(first) ? rest.slice(1) : rest).filter((item) => item !== "--");
  if (/^\d+$/.test(word)) return { signal: Number(word), targets };
  const name = word.toUpperCase().replace(/^SIG/, "");
  return name in NUMBERS ? { signal: NUMBERS[name], targets } : { signal: 15, targets, bad: word };
}

async function send(shell: ShellInterpreter, signal: number, target: string): Promise<string | undefined> {
  const { jobs } = shell.process.table;
  const number = Number(target);
  if (number === shell.state.virtualPid || number === 0) {
    return signal === 0 ? undefined : await killSelf(shell, signal);
  }
  const job = jobs.find(shell.process, target);
  if (!job && target.startsWith("%")) return `bash: kill: ${target}: no such job\n`;
  if (!job && !/^-?\d+$/.test(target)) return `bash: kill: ${target}: arguments must be process or job IDs\n`;
  const found = job ?? jobs.find(shell.process, target.replace(/^-/, ""));
  const alive = found !== undefined && found.code === undefined && found.signal === undefined;
  if (!found || !alive) return `bash: kill: (${target}) - No such process\n`;
  if (signal !== 0) jobs.kill(found, signal);
  return undefined;
}

async function killSelf(shell: ShellInterpreter, signal: number): Promise<undefined> {
  const name = signalName(String(signal)) ?? "";
  const action = shell.process.traps.get(name);
  if (action === undefined) return await shell.leave(128 + signal);
  if (action !== "") await shell.runText(action);
}

const foreground: Builtin = async (shell, args) => {
  const { jobs } = shell.process.table;
  const job = jobs.find(shell.process, args[0] ?? "%%");
  if (!job) return failure(`bash: fg: ${args[0] ?? "current"}: no such job`);
  const code = await settled(shell, job.done);
  jobs.forget(job);
  return emptyResult(code);
};

const background: Builtin = (shell, args) => {
  const job = shell.process.table.jobs.find(shell.process, args[0] ?? "%%");
  return job ? emptyResult(0) : failure(`bash: bg: ${args[0] ?? "current"}: no such job`);
};

const disown: Builtin = (shell, args) => {
  const { jobs } = shell.process.table;
  const own = jobs.of(shell.process);
  const words = args.filter((word) => !/^-[ahr]+$/.test(word));
  for (const word of words.length > 0 || args.includes("-a") ? words : ["%%"]) {
    const job = jobs.find(shell.process, word);
    if (!job) return unknown("disown", word, 1);
    job.hidden = true;
  }
  if (args.includes("-a")) { for (const job of own) job.hidden = true; }
  return emptyResult(0);
};

/** The shell, its running jobs, and itself: nothing else runs here. */
const ps: Builtin = (shell, args) => {
  const flags = args.join("").replaceAll("-", "");
  const rows: [pid: number, text: string][] = [
    [shell.state.virtualPid, "bash"],
    ...shell.process.table.jobs.running().map((job): [number, string] => [job.pid, job.text]),
    [shell.process.table.nextPid(), ["ps", ...args].join(" ")],
  ];
  const full = /[fux]/.test(flags);
  const user = (shell.state.env.get("USER") || "user").padEnd(8);
  const head = full ? "USER         PID TTY      STAT CMD\n" : "    PID TTY          TIME CMD\n";
  const lines = rows.map(([pid, text], i) => {
    const status = i === rows.length - 1 ? "R+" : "S ";
    if (full) return `${user} ${String(pid).padStart(7)} ?        ${status}   ${text}\n`;
    return `${String(pid).padStart(7)} ?        00:00:00 ${text.split(" ")[0]}\n`;
  });
  return { ...emptyResult(0), stdout: head + lines.join("") };
};

function unknown(name: string, word: string, code: number) {
  const text = word.startsWith("%") ? `${word}: no such job` : `pid ${word} is not a child of this shell`;
  return failure(`bash: ${name}: ${text}`, code);
}

export const jobBuiltins: Record<string, Builtin> = {
  wait,
  jobs: list,
  kill,
  fg: foreground,
  bg: background,
  disown,
  ps,
};
