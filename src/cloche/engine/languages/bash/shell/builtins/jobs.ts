/** wait, jobs, fg, bg, disown. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import { hasJobControl, isAtTerminal, type Job } from "../processes/jobs.ts";
import type { Process } from "../processes/process.ts";
import { describeSignal, SIGINT, signalNumber, SIGPIPE, SIGTERM } from "../processes/signals.ts";
import { assignVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import { readFlags } from "./options.ts";

/** Waits for processes, the first or all; a trap that becomes due ends that with 128 and more. */
function* waitFor(
  shell: Interpreter,
  all: Process[],
  first: boolean,
): Task<{ code: number; interrupted: boolean }> {
  const interrupted = Promise.withResolvers<number>();
  const stop = shell.process.onTrap(() => {
    const name = shell.process.pending.at(-1) ?? "";
    if (name !== "CHLD") interrupted.resolve(-128 - (signalNumber(name) ?? 0));
  });
  try {
    const codes = all.map((process) => process.done);
    const work = first ? Promise.race(codes) : Promise.all(codes).then((done) => done.at(-1) ?? 0);
    const code = (yield Promise.race([work, interrupted.promise])) as number;
    return { code: Math.abs(code), interrupted: code < 0 };
  } finally {
    stop();
  }
}

/** Signals of which a script says nothing when they have ended a job. */
const QUIET = new Set([SIGINT, SIGPIPE, SIGTERM]);

const wait: Builtin = function* (shell, args): Task<number> {
  const { jobs } = shell.kernel;
  const given = readFlags(shell, "wait", args, "fnp:");
  if (!given) return 2;
  const own = jobs.of(shell.process);
  const finish = (job: Job) => {
    const { endedBy: signal, pid } = job.process;
    if (job.hidden) return;
    if (isAtTerminal(shell)) shell.say(describe(shell, job));
    else if (signal !== undefined && !QUIET.has(signal)) {
      shell.complain(`${String(pid).padStart(5)} ${describeSignal(signal).padEnd(23)} ${job.text}`);
    }
    job.hidden = true;
  };
  const tell = (job: Job | undefined) =>
    given.has("p") && job && assignVariable(shell, given.get("p") ?? "", String(job.process.pid));
  if (given.has("n")) {
    const found = given.rest.length > 0
      ? given.rest.flatMap((word) => jobs.find(shell.process, word) ?? (shell.complain(unknown("wait", word)), []))
      : own;
    if (found.length === 0) return 127;
    const { code } = yield* waitFor(shell, found.map((job) => job.process), true);
    const done = found.find((job) => job.process.code !== undefined);
    tell(done);
    if (done) finish(done);
    return code;
  }
  if (given.rest.length === 0) {
    if (own.length === 0) return 0;
    const { code, interrupted } = yield* waitFor(shell, own.map((job) => job.process), false);
    tellEnded(shell);
    for (const job of own) if (job.process.code !== undefined) jobs.forget(job);
    return interrupted ? code : 0;
  }
  let code = 0;
  for (const word of given.rest) {
    const job = jobs.find(shell.process, word);
    if (!job) {
      shell.complain(unknown("wait", word));
      code = /^(%|\d+$)/.test(word) ? 127 : 1;
      continue;
    }
    ({ code } = yield* waitFor(shell, [job.process], false));
    tell(job);
    if (job.process.code !== undefined) finish(job);
  }
  return code;
};

function unknown(name: string, word: string): string {
  if (word.startsWith("%")) return `${name}: ${word}: no such job`;
  return /^\d+$/.test(word)
    ? `${name}: pid ${word} is not a child of this shell`
    : `${name}: \`${word}': not a pid or valid job spec`;
}

function statusOf({ process }: Job): string {
  if (process.code === undefined) return "Running";
  if (process.endedBy !== undefined) return describeSignal(process.endedBy);
  return process.code === 0 ? "Done" : `Exit ${process.code}`;
}

/** A line of `jobs`. */
function describe(shell: Interpreter, job: Job, long = false): string {
  const own = shell.kernel.jobs.of(job.owner);
  const mark = job === own.at(-1) ? "+" : job === own.at(-2) ? "-" : " ";
  const running = job.process.code === undefined;
  const pid = long ? `${job.process.pid} ` : " ";
  return `[${job.id}]${mark} ${pid}${statusOf(job).padEnd(23)} ${job.text}${running ? " &" : ""}`;
}

/** Tells which jobs have ended, as it is done at a terminal before a prompt. */
export function tellEnded(shell: Interpreter): void {
  if (!isAtTerminal(shell)) return;
  const ended = shell.kernel.jobs.of(shell.process).filter((job) => job.process.code !== undefined);
  for (const line of ended.map((job) => describe(shell, job))) shell.say(line);
  for (const job of ended) job.hidden = true;
}

/** Its jobs; a subshell that has none lists those of the shell it came from. */
function jobsOf({ kernel, process, state }: Interpreter): Job[] {
  const own = kernel.jobs.of(process);
  return own.length === 0 && state.subshell > 0 && process.parent ? kernel.jobs.of(process.parent) : own;
}

const list: Builtin = function* (shell, args) {
  const { jobs } = shell.kernel;
  const given = readFlags(shell, "jobs", args, "lnprsx");
  if (!given) return 2;
  const own = jobsOf(shell);
  let code = 0;
  const wanted = given.rest.map((word) =>
    jobs.find(shell.process, word) ?? (shell.complain(`jobs: ${word}: no such job`), code = 1, undefined)
  );
  for (const job of own) {
    const running = job.process.code === undefined;
    if (wanted.length > 0 && !wanted.includes(job) || given.has("r") && !running || given.has("s")) continue;
    if (given.has("p")) {
      yield* shell.print(`${job.process.pid}\n`);
      continue;
    }
    yield* shell.print(`${describe(shell, job, given.has("l"))}\n`);
  }
  for (const job of own) if (job.process.code !== undefined) jobs.forget(job);
  return code;
};

/** The job that fg or bg is to take; says so if it cannot. */
function findControlled(shell: Interpreter, name: string, word: string | undefined): Job | undefined {
  const job = shell.kernel.jobs.find(shell.process, word ?? "%%");
  if (!hasJobControl(shell)) shell.complain(`${name}: no job control`);
  else if (!job) shell.complain(`${name}: ${word ?? "current"}: no such job`);
  else if (!job.controlled) shell.complain(`${name}: job ${job.id} started without job control`);
  else return job;
  return undefined;
}

const foreground: Builtin = function* (shell, args) {
  const { jobs } = shell.kernel;
  const given = readFlags(shell, "fg", args, "");
  if (!given) return 2;
  const job = findControlled(shell, "fg", given.rest[0]);
  if (!job) return 1;
  yield* shell.print(`${job.text}\n`);
  const { code } = yield* waitFor(shell, [job.process], false);
  jobs.forget(job);
  return code;
};

const background: Builtin = (shell, args) => {
  const given = readFlags(shell, "bg", args, "");
  if (!given) return 2;
  const job = findControlled(shell, "bg", given.rest[0]);
  if (!job) return 1;
  shell.complain(`bg: job ${job.id} already in background`);
  return 0;
};

const disown: Builtin = (shell, args) => {
  const given = readFlags(shell, "disown", args, "ahr");
  if (!given) return 2;
  const { jobs } = shell.kernel;
  const all = given.has("a") || given.has("r") && given.rest.length === 0;
  if (all) { for (const job of jobs.of(shell.process)) job.hidden = true; }
  for (const word of given.rest.length > 0 || all ? given.rest : ["%%"]) {
    const job = jobs.find(shell.process, word);
    if (!job) {
      shell.complain(`disown: ${word === "%%" ? "current" : word}: no such job`);
      return 1;
    }
    job.hidden = true;
  }
  return 0;
};

export const jobBuiltins: Record<string, Builtin> = { wait, jobs: list, fg: foreground, bg: background, disown };
