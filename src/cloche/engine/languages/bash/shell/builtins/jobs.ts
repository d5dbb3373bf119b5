/** wait and jobs. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import type { Process } from "../processes/process.ts";
import { signalNumber } from "../processes/signals.ts";
import type { Task } from "../task.ts";

/** Waits for processes, the first or all; a trap that becomes due ends that with 128 and more. */
function* waitFor(shell: Interpreter, all: Process[], first: boolean): Task<number> {
  const interrupted = Promise.withResolvers<number>();
  const stop = shell.process.onTrap(() => {
    const name = shell.process.pending.at(-1) ?? "";
    if (name !== "CHLD") interrupted.resolve(-128 - (signalNumber(name) ?? 0));
  });
  try {
    const codes = all.map((process) => process.done);
    const work = first ? Promise.race(codes) : Promise.all(codes).then((done) => done.at(-1) ?? 0);
    const code = (yield Promise.race([work, interrupted.promise])) as number;
    if (code < 0) yield* shell.attend();
    return code < 0 ? -code : code;
  } finally {
    stop();
  }
}

const wait: Builtin = function* (shell, args): Task<number> {
  const { jobs } = shell.kernel;
  const words = args.filter((word) => !/^-[nfp]/.test(word));
  const own = jobs.of(shell.process);
  if (args.includes("-n")) {
    const found = words.length > 0 ? words.flatMap((word) => jobs.find(shell.process, word) ?? []) : own;
    if (found.length === 0) return 127;
    const code = yield* waitFor(shell, found.map((job) => job.process), true);
    const done = found.find((job) => job.process.code !== undefined);
    if (done) jobs.forget(done);
    return code;
  }
  if (words.length === 0) {
    const code = own.length > 0 ? yield* waitFor(shell, own.map((job) => job.process), false) : 0;
    if (code > 128 && shell.process.signalled) return code;
    for (const job of own) if (job.process.code !== undefined) jobs.forget(job);
    return 0;
  }
  let code = 0;
  for (const word of words) {
    const job = jobs.find(shell.process, word);
    if (!job) {
      shell.complain(word.startsWith("%") ? `wait: ${word}: no such job` : `wait: pid ${word} is not a child of this shell`);
      code = 127;
      continue;
    }
    code = yield* waitFor(shell, [job.process], false);
    job.hidden = true;
  }
  return code;
};

export const jobBuiltins: Record<string, Builtin> = { wait };
