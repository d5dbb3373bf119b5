/** break, continue, return, exit, and those that do nothing. */
import { type Builtin, ExitShell } from "../interpreter.ts";

function loopFlow(kind: "break" | "continue"): Builtin {
  return (shell, args) => {
    const levels = args[0] === undefined ? 1 : Number(args[0]);
    if (!Number.isInteger(levels)) {
      shell.complain(`${kind}: ${args[0]}: numeric argument required`);
      throw new ExitShell(128);
    }
    if (levels < 1) {
      shell.complain(`${kind}: ${args[0]}: loop count out of range`);
      shell.flow = { kind: "break", levels: Math.max(1, shell.state.loops) };
      return 1;
    }
    if (shell.state.loops === 0) {
      shell.complain(`${kind}: only meaningful in a \`for', \`while', or \`until' loop`);
      return 0;
    }
    shell.flow = { kind, levels: Math.min(levels, shell.state.loops) };
    return 0;
  };
}

function codeOf(word: string | undefined, otherwise: number): number | undefined {
  if (word === undefined) return otherwise;
  return /^\s*[-+]?\d+\s*$/.test(word) ? Number(BigInt(word.trim()) & 255n) : undefined;
}

const exit: Builtin = (shell, args) => {
  const code = codeOf(args[0], shell.state.status);
  if (code === undefined) {
    shell.complain(`exit: ${args[0]}: numeric argument required`);
    throw new ExitShell(2);
  }
  if (args.length > 1) {
    shell.complain("exit: too many arguments");
    return 1;
  }
  throw new ExitShell(code);
};

const leave: Builtin = (shell, args) => {
  const { frames, status } = shell.state;
  if (!frames.some(({ kind }) => kind !== "main")) {
    shell.complain("return: can only `return' from a function or sourced script");
    return 2;
  }
  let code = codeOf(args[0], status);
  if (code === undefined) {
    shell.complain(`return: ${args[0]}: numeric argument required`);
    code = 2;
  }
  shell.flow = { kind: "return", code };
  return code;
};

export const flowBuiltins: Record<string, Builtin> = {
  break: loopFlow("break"),
  continue: loopFlow("continue"),
  exit,
  return: leave,
  ":": () => 0,
  true: () => 0,
  false: () => 1,
};
